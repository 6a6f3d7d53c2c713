package parquetfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Column is the values of a leaf in a row group. The caller appends those of a page, and calls EndPage; after all
// pages a [Writer] takes them. One goroutine uses it at a time.
type Column struct {
	leaf  leafOf
	names func(id int32) string

	// The values of the page, without nulls. Which slice it is depends on the kind of the leaf.
	Booleans []byte // 0 or 1
	Int32s   []int32
	Int64s   []int64
	Doubles  []float64
	Names    []int32
	Text     []byte
	Ends     []uint32 // where each text ends in Text
	// Defs is the definition level of each value, with those that are null; it is empty if the leaf has none.
	// Reps are the repetition levels, the same way.
	Defs, Reps []uint8

	dictionary dictionary
	pages      []byte // with their headers
	encodings  []format.Encoding
	values     int64 // with nulls
	nulls      int64
	plain      int64 // bytes of the pages before they were compressed, with their headers
	stats      bounds

	// Memory that is kept.
	body, buf, packed []byte
	index             []int32
	offsets           []uint32
}

// Columns returns a column for each leaf. names has the texts of leaves of kind [Name]; several goroutines may call
// it at once.
func (s *Schema) Columns(names func(id int32) string) []*Column {
	list := make([]*Column, len(s.leaves))
	for i, l := range s.leaves {
		list[i] = &Column{leaf: l, names: names}
		list[i].reset()
	}
	return list
}

// AddText appends a text to the page.
func (c *Column) AddText(b []byte) {
	c.Text = append(c.Text, b...)
	c.Ends = append(c.Ends, uint32(len(c.Text)))
}

// reset begins a row group.
func (c *Column) reset() {
	c.pages, c.encodings = c.pages[:0], nil
	c.values, c.nulls, c.plain, c.stats = 0, 0, 0, bounds{}
	c.dictionary.reset(c.leaf.kind)
	c.clear()
}

// clear begins a page.
func (c *Column) clear() {
	c.Booleans, c.Int32s, c.Int64s, c.Doubles, c.Names = c.Booleans[:0], c.Int32s[:0], c.Int64s[:0], c.Doubles[:0], c.Names[:0]
	c.Text, c.Ends, c.Defs, c.Reps = c.Text[:0], c.Ends[:0], c.Defs[:0], c.Reps[:0]
}

// count returns how many values that are not null the page has.
func (c *Column) count() int {
	switch c.leaf.kind {
	case Boolean:
		return len(c.Booleans)
	case Int32, Repeat32:
		return len(c.Int32s)
	case Int64, Repeat64:
		return len(c.Int64s)
	case Double:
		return len(c.Doubles)
	case Name:
		return len(c.Names)
	}
	return len(c.Ends)
}

// EndPage encodes the page. An empty one is left out.
func (c *Column) EndPage() error {
	here := c.count()
	all := here
	if c.leaf.maxDef > 0 {
		all = len(c.Defs)
	}
	if all == 0 {
		return nil
	}
	if all > math.MaxInt32 || len(c.Text) > math.MaxInt32/2 {
		return fmt.Errorf("a page of column %s is too large: %d values, %d bytes of text", c.leaf.path, all, len(c.Text))
	}
	c.body = c.body[:0]
	var err error
	if c.leaf.maxRep > 0 {
		c.body, err = c.appendLevels(c.body, c.Reps, c.leaf.maxRep)
	}
	if c.leaf.maxDef > 0 && err == nil {
		c.body, err = c.appendLevels(c.body, c.Defs, c.leaf.maxDef)
	}
	if err != nil {
		return err
	}
	how := format.Plain
	if c.buf = c.buf[:0]; here > 0 {
		if how, err = c.encode(); err != nil {
			return err
		}
	}
	c.body = append(c.body, c.buf...)
	h := format.PageHeader{Type: format.DataPage}
	h.DataPageHeader.Set(format.DataPageHeader{
		NumValues: int32(all), Encoding: how, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
	})
	if c.pages, err = c.appendPage(c.pages, &h, c.body); err != nil {
		return err
	}
	c.values += int64(all)
	c.nulls += int64(all - here)
	c.encoded(how)
	c.clear()
	return nil
}

// appendPage appends a page with its header, whose sizes it sets.
func (c *Column) appendPage(dst []byte, h *format.PageHeader, body []byte) ([]byte, error) {
	c.packed = compressor().EncodeAll(body, c.packed[:0])
	if len(body) > math.MaxInt32 || len(c.packed) > math.MaxInt32 {
		return dst, fmt.Errorf("a page of column %s has %d bytes", c.leaf.path, len(body))
	}
	h.UncompressedPageSize, h.CompressedPageSize = int32(len(body)), int32(len(c.packed))
	head, err := thrift.Marshal(new(thrift.CompactProtocol), h)
	if err != nil {
		return dst, err
	}
	c.plain += int64(len(head) + len(body))
	return append(append(dst, head...), c.packed...), nil
}

// encoded notes an encoding of the chunk.
func (c *Column) encoded(how format.Encoding) {
	for _, e := range c.encodings {
		if e == how {
			return
		}
	}
	c.encodings = append(c.encodings, how)
}

// appendLevels appends levels with their length.
func (c *Column) appendLevels(dst []byte, levels []uint8, most uint8) (_ []byte, err error) {
	if same(levels) { // a run: twice its length, and the level
		c.buf = append(binary.AppendUvarint(c.buf[:0], uint64(len(levels))<<1), levels[0])
	} else if c.buf, err = (&rle.Encoding{BitWidth: bits.Len8(most)}).EncodeLevels(c.buf[:0], levels); err != nil {
		return dst, err
	}
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(c.buf)))
	return append(dst, c.buf...), nil
}

// same reports whether all levels are the same.
func same(levels []uint8) bool {
	for _, l := range levels {
		if l != levels[0] {
			return false
		}
	}
	return true
}

// statistics returns what readers skip row groups by.
func (c *Column) statistics() format.Statistics {
	s := format.Statistics{NullCount: c.nulls}
	le := binary.LittleEndian
	switch c.leaf.kind {
	case Int32, Repeat32:
		if c.stats.known {
			s.MinValue, s.MaxValue = le.AppendUint32(nil, uint32(c.stats.min)), le.AppendUint32(nil, uint32(c.stats.max))
		}
	case Int64, Repeat64:
		if c.stats.known {
			s.MinValue, s.MaxValue = le.AppendUint64(nil, uint64(c.stats.min)), le.AppendUint64(nil, uint64(c.stats.max))
		}
	case Name:
		c.boundNames(&s)
	}
	return s
}

// boundNames sets the bounds of a column of names.
func (c *Column) boundNames(s *format.Statistics) {
	low, high := "", ""
	for i, id := range c.dictionary.ids {
		name := c.names(id)
		if i == 0 {
			low, high = name, name
		}
		low, high = min(low, name), max(high, name)
	}
	if len(c.dictionary.ids) > 0 && len(low) <= longestBound && len(high) <= longestBound {
		s.MinValue, s.MaxValue = []byte(low), []byte(high)
	}
}
