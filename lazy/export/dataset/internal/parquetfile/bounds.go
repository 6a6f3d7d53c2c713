package parquetfile

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/format"
)

// longestBound is how many bytes the bound of a column of names may have.
const longestBound = 256

// bounds are the smallest and the largest value of a chunk, of integers.
type bounds struct {
	known    bool
	min, max int64
}

func (s *bounds) add(low, high int64) {
	if !s.known {
		s.known, s.min, s.max = true, low, high
		return
	}
	s.min, s.max = min(s.min, low), max(s.max, high)
}

func (s *bounds) ints32(list []int32) {
	if len(list) == 0 {
		return
	}
	low, high := list[0], list[0]
	for _, n := range list {
		low, high = min(low, n), max(high, n)
	}
	s.add(int64(low), int64(high))
}

func (s *bounds) ints64(list []int64) {
	if len(list) == 0 {
		return
	}
	low, high := list[0], list[0]
	for _, n := range list {
		low, high = min(low, n), max(high, n)
	}
	s.add(low, high)
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
