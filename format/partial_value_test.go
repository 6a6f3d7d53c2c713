package format

import (
	"testing"
)

func partialExample(kind ValueKind) Value {
	message := "it broke"
	v := Value{Kind: kind}
	switch kind {
	case ValueObject, ValueSequence, ValueEnum:
		v.ClassID = 7
	case ValueException:
		v.ClassID, v.Captured = 7, &Captured{Message: &message, Frames: []string{"a", "b"}}
	case ValueArray:
		v.ClassID, v.Bits = 7, ArrayBits(-5, 2)
		v.Captured = &Captured{Elements: []Value{{Kind: ValueInt, Bits: 3}, {Kind: ValueString, Text: "x"}}}
	}
	switch kind {
	case ValueObject, ValueBuilder, ValueSequence, ValueByte, ValueShort, ValueInt, ValueLong:
		v.Bits = -12
	case ValueBoolean:
		v.Bits = 1
	case ValueChar:
		v.Bits = 'x'
	case ValueFloat:
		v.Bits = 0x3fc00000
	case ValueDouble:
		v.Bits = 0x3ff8000000000000
	}
	switch kind {
	case ValueString, ValueRawString, ValueBuilder, ValueSequence, ValueEnum, ValueBigInteger, ValueBigDecimal, ValueJavaClass, ValueKotlinClass:
		v.Text = "some text"
	}
	return v
}

// TestPartialValue: reading a value partially tells the same as decoding it, and where the next one begins.
// It never reads beyond the end.
func TestPartialValue(t *testing.T) {
	for _, version := range []Version{V22, V27} {
		seen := 0
		for kind := range valueKindCount {
			v := partialExample(kind)
			b, err := version.AppendValue([]byte{0xff}, &v)
			if err != nil {
				continue // the version has no such kind
			}
			seen++
			for _, after := range []string{"", "more than enough bytes after it"} {
				var g PartialValue
				b := append(b[:len(b):len(b)], after...)
				n := version.partialValue(b, 1, &g)
				d := decoder{reader{b: b[1:], v: version}}
				var want Value
				if d.value(&want, 0); n != 1+d.i || d.err != nil {
					t.Errorf("version %d, %v: ends at %d, want %d", version, kind, n, 1+d.i)
				}
				want.mark22()
				if g.Kind != want.Kind && want.Kind != ValueUnfinished && want.Kind != ValueUntracked && want.Kind != ValueArray {
					t.Errorf("version %d: %v instead of %v", version, g.Kind, want.Kind)
				}
				switch {
				case want.Kind == ValueUnfinished || want.Kind == ValueUntracked:
				case g.ClassID != want.ClassID && want.ClassID != 0, int32(g.Bits) != want.Hash() && want.Kind != ValueLong, string(g.Text) != want.Text,
					g.Rest != (kind == ValueException && version >= V27):
					t.Errorf("version %d, %v: %+v, want %+v", version, kind, g, want)
				}
			}
			for end := range len(b) {
				var g PartialValue
				if n := version.partialValue(b[:end], 1, &g); n != 0 {
					t.Errorf("version %d, %v: cut to %d bytes, it ends at %d", version, kind, end, n)
				}
			}
		}
		if seen < 15 {
			t.Errorf("version %d: only %d kinds", version, seen)
		}
	}
}

// FuzzPartialValue: whatever the bytes are, a partial value ends where decoding does, or declines.
func FuzzPartialValue(f *testing.F) {
	for _, version := range []Version{V22, V27} {
		for kind := range valueKindCount {
			v := partialExample(kind)
			if b, err := version.AppendValue(nil, &v); err == nil {
				f.Add(b, version == V27)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, newer bool) {
		version := V22
		if newer {
			version = V27
		}
		var g PartialValue
		n := version.partialValue(append([]byte{0}, b...), 1, &g)
		if n == 0 {
			return
		}
		c := skipper{reader{b: b, v: version}}
		if c.skipValue(0); c.err != nil || n != 1+c.i {
			t.Errorf("%x ends at %d, want %d, %v", b, n, 1+c.i, c.err)
		}
	})
}
