package decode

import (
	"encoding/binary"
	"math"
	"testing"
)

// written has a value of each kind.
func written() []byte {
	b := binary.AppendUvarint(nil, math.MaxUint64)
	b = binary.AppendVarint(b, math.MinInt64)
	b = binary.AppendUvarint(b, math.MaxInt64)
	b = binary.AppendVarint(b, math.MinInt32)
	b = binary.AppendUvarint(b, 7)
	b = append(b, 0x80)
	b = append(binary.AppendUvarint(b, 3), "abc"...)
	return binary.BigEndian.AppendUint32(b, 1<<31)
}

// read reads them; ok is false if one is not what was written.
func read(d *Reader) (ok bool) {
	return d.Next() == math.MaxUint64 && d.Signed() == math.MinInt64 && d.Number() == math.MaxInt64 && d.ID() == math.MinInt32 &&
		d.Count(7) == 7 && d.Byte() == 0x80 && string(d.Bytes()) == "abc" && d.U32() == 1<<31
}

// TestReader reads values, and any beginning of them.
func TestReader(t *testing.T) {
	b := written()
	d := Reader{B: b}
	if !read(&d) || d.Bad || len(d.B) > 0 {
		t.Fatalf("read again: %+v", d)
	}
	for n := range b {
		d := Reader{B: b[:n:n]}
		for range 2 {
			d.Next()
			d.Signed()
			d.Number()
			d.ID()
			d.Count(7)
			d.Byte()
			d.Bytes()
			d.U32()
		}
		if !d.Bad {
			t.Errorf("the first %d bytes are not bad", n)
		}
	}
}

// TestBounds: numbers that do not fit are bad.
func TestBounds(t *testing.T) {
	for name, bad := range map[string]func(*Reader){
		"number": func(d *Reader) { d.B = binary.AppendUvarint(nil, math.MaxInt64+1); d.Number() },
		"id":     func(d *Reader) { d.B = binary.AppendVarint(nil, math.MaxInt32+1); d.ID() },
		"below":  func(d *Reader) { d.B = binary.AppendVarint(nil, math.MinInt32-1); d.ID() },
		"count":  func(d *Reader) { d.B = binary.AppendUvarint(nil, 8); d.Count(7) },
		"size":   func(d *Reader) { d.B = append(binary.AppendUvarint(nil, 4), "abc"...); d.Bytes() },
		"varint": func(d *Reader) { d.B = []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}; d.Next() },
	} {
		d := new(Reader)
		if bad(d); !d.Bad {
			t.Errorf("%s: not bad", name)
		}
	}
}
