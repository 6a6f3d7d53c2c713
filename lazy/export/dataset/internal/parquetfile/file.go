package parquetfile

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// magic begins and ends a file. On disk, do not change.
const magic = "PAR1"

// mostGroups is how many row groups a file can have: their number is 16 bits wide.
const mostGroups = 1 << 15

// Writer writes a file. Its first failure sticks.
type Writer struct {
	w       io.Writer
	schema  *Schema
	creator string
	sorting []format.SortingColumn

	groups []format.RowGroup
	rows   int64
	size   int64
	err    error
}

// NewWriter begins a file. creator names the program that writes it. sorted are the leaves, by number, in
// whose order the rows of each group are.
func NewWriter(w io.Writer, s *Schema, creator string, sorted ...int) *Writer {
	f := &Writer{w: w, schema: s, creator: creator}
	for _, i := range sorted {
		f.sorting = append(f.sorting, format.SortingColumn{ColumnIdx: int32(i)})
	}
	f.write([]byte(magic))
	return f
}

// Rows returns how many rows have been written, Size how many bytes.
func (f *Writer) Rows() int64 { return f.rows }

// Size returns the number of bytes written.
func (f *Writer) Size() int64 { return f.size }

// Full reports whether the file can have no more row groups.
func (f *Writer) Full() bool { return len(f.groups) >= mostGroups }

func (f *Writer) write(b []byte) {
	if f.err == nil {
		_, f.err = f.w.Write(b)
		f.size += int64(len(b))
	}
}

// Group writes a row group of all pages of the columns, one for each leaf, and empties these. Without rows nothing is
// written.
func (f *Writer) Group(rows int64, columns []*Column) error {
	if f.err == nil && rows > 0 {
		f.err = f.group(rows, columns)
	}
	for _, c := range columns {
		c.reset()
	}
	return f.err
}

func (f *Writer) group(rows int64, columns []*Column) error {
	if f.Full() {
		return fmt.Errorf("a file cannot have more than %d row groups", mostGroups)
	}
	g := format.RowGroup{NumRows: rows, FileOffset: f.size, SortingColumns: f.sorting, Ordinal: int16(len(f.groups))}
	for _, c := range columns {
		m, err := f.chunk(c)
		if err != nil {
			return err
		}
		g.TotalByteSize += m.TotalUncompressedSize
		g.TotalCompressedSize += m.TotalCompressedSize
		g.Columns = append(g.Columns, format.ColumnChunk{MetaData: m})
	}
	f.groups = append(f.groups, g)
	f.rows += rows
	return f.err
}

// Close writes the footer. It does not close what the file is written to.
func (f *Writer) Close() error {
	if f.err != nil {
		return f.err
	}
	foot, err := thrift.Marshal(new(thrift.CompactProtocol), &format.FileMetaData{
		Version: 2, Schema: f.schema.elements, NumRows: f.rows, RowGroups: f.groups, CreatedBy: f.creator, ColumnOrders: f.schema.orders,
	})
	if err != nil {
		return err
	}
	f.write(append(binary.LittleEndian.AppendUint32(foot, uint32(len(foot))), magic...))
	return f.err
}

// chunk writes the pages of a column, and returns what the footer tells of them.
func (f *Writer) chunk(c *Column) (m format.ColumnMetaData, err error) {
	m = format.ColumnMetaData{
		Type: physical[c.leaf.kind], PathInSchema: c.leaf.path, Codec: format.Zstd, NumValues: c.values, Statistics: c.statistics(),
	}
	at := f.size
	if d := &c.dictionary; d.entries > 0 {
		h := format.PageHeader{Type: format.DictionaryPage}
		h.DictionaryPageHeader.Set(format.DictionaryPageHeader{NumValues: int32(d.entries), Encoding: format.Plain})
		c.body = d.appendPlain(c.body[:0], c.names)
		if c.buf, err = c.appendPage(c.buf[:0], &h, c.body); err != nil {
			return m, err
		}
		m.DictionaryPageOffset = at
		f.write(c.buf)
		c.encoded(format.Plain)
	}
	c.encoded(format.RLE) // of levels
	m.DataPageOffset = f.size
	f.write(c.pages)
	m.Encoding, m.TotalUncompressedSize, m.TotalCompressedSize = c.encodings, c.plain, f.size-at
	return m, nil
}
