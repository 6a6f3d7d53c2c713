package formattest

import (
	"bytes"
	"encoding/binary"
	"testing"

	"tracex/format"
)

// TimeCells returns the cells of a file of times of any version.
func TimeCells(tb testing.TB, times []byte) (cells []format.TimeCell) {
	tb.Helper()
	s := format.NewTimesScanner(bytes.NewReader(times))
	for s.Next() {
		cells = append(cells, s.Cell())
	}
	if err := s.Err(); err != nil {
		tb.Fatal(err)
	}
	return cells
}

// TimesOf makes a file of times with cells.
func TimesOf(cells ...format.TimeCell) []byte {
	b := format.AppendTimesHeader(nil, Anchor)
	w := format.NewTimesWriter(int64(len(b)), 0, false)
	for _, c := range cells {
		b = w.Append(b, c)
	}
	return b
}

// FixedTimesOf makes a file of times of version 1.
func FixedTimesOf(cells ...format.TimeCell) []byte {
	b := format.AppendTimesHeader(nil, Anchor)
	binary.BigEndian.PutUint64(b[8:], 1)
	for _, c := range cells {
		b = c.Append(b)
	}
	return b
}
