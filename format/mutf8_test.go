package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// modified encodes as the description of the format says, in the simplest way: each UTF-16 unit
// in one to three bytes.
func modified(units ...uint16) []byte {
	var b []byte
	for _, u := range units {
		switch {
		case u != 0 && u < 0x80:
			b = append(b, byte(u))
		case u < 0x800:
			b = append(b, 0xc0|byte(u>>6), 0x80|byte(u&0x3f))
		default:
			b = append(b, 0xe0|byte(u>>12), 0x80|byte(u>>6&0x3f), 0x80|byte(u&0x3f))
		}
	}
	return b
}

// inMemory returns a string as it is in memory: UTF-8, with unpaired surrogates in three bytes.
func inMemory(units ...uint16) string {
	var b []byte
	for i := 0; i < len(units); i++ {
		if r := rune(units[i]); !utf16.IsSurrogate(r) {
			b = utf8.AppendRune(b, r)
			continue
		}
		if i+1 < len(units) {
			if r := utf16.DecodeRune(rune(units[i]), rune(units[i+1])); r != utf8.RuneError {
				b = utf8.AppendRune(b, r)
				i++
				continue
			}
		}
		b = append(b, modified(units[i])...)
	}
	return string(b)
}

func checkUnits(t *testing.T, units ...uint16) {
	t.Helper()
	wire, text := modified(units...), inMemory(units...)
	if got, bad := decodeModified(wire); bad >= 0 || got != text {
		t.Fatalf("%x: read %q, bad %d, want %q", units, got, bad, text)
	}
	got, err := AppendUTF(nil, text)
	if err != nil || int(binary.BigEndian.Uint16(got)) != len(wire) || !bytes.Equal(got[2:], wire) {
		t.Fatalf("%x: wrote %x, %v, want %x", units, got, err, wire)
	}
}

func TestModifiedUTF8AllUnits(t *testing.T) {
	for u := range 0x10000 {
		checkUnits(t, uint16(u))
		checkUnits(t, 'a', uint16(u), 'b')
	}
}

func TestModifiedUTF8AllPairs(t *testing.T) {
	for high := uint16(0xd800); high < 0xdc00; high++ {
		for low := uint16(0xdc00); low < 0xe000; low++ {
			checkUnits(t, high, low)
		}
	}
}

// All sequences of up to four units, one for each kind of unit.
func TestModifiedUTF8Mixed(t *testing.T) {
	sorts := []uint16{0, 'a', 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xfffd, 0xffff}
	for _, a := range sorts {
		for _, b := range sorts {
			checkUnits(t, a, b)
			for _, c := range sorts {
				checkUnits(t, a, b, c)
				for _, d := range sorts {
					checkUnits(t, a, b, c, d)
				}
			}
		}
	}
}

func TestModifiedUTF8Malformed(t *testing.T) {
	for _, c := range []struct {
		wire string
		bad  int
	}{
		{"\x80", 0}, {"a\xbf", 1}, {"\xc3", 0}, {"ab\xc3(", 2}, {"\xe2\x82", 0}, {"\xe2(\xa1", 0}, {"\xe2\x82(", 0},
		{"\xf0\x9f\x91\x8d", 0}, {"\xff", 0}, {"é\xc0", 2}, {"\xed\xa0\x80\xed\xb0", 3}, {"\xf8", 0},
	} {
		if s, bad := decodeModified([]byte(c.wire)); bad != c.bad || s != "" {
			t.Errorf("%x: %q, bad %d, want %d", c.wire, s, bad, c.bad)
		}
	}
	// Overlong forms mean the same, as in Java, and so does a bare NUL.
	for wire, want := range map[string]string{"\xc1\x81": "A", "\xe0\x81\x81": "A", "\x00": "\x00", "\xe0\x80\x80": "\x00"} {
		if s, bad := decodeModified([]byte(wire)); bad >= 0 || s != want {
			t.Errorf("%x: %q, bad %d, want %q", wire, s, bad, want)
		}
	}
}

// Bytes that are neither UTF-8 nor a surrogate are written as U+FFFD.
func TestAppendUTFInvalid(t *testing.T) {
	for s, want := range map[string]string{"\xff": "\ufffd", "a\xc3": "a\ufffd", "\xed\xa0": "\ufffd\ufffd", "\xf5\x80b": "\ufffd\ufffdb"} {
		if got, err := AppendUTF(nil, s); err != nil || string(got[2:]) != want {
			t.Errorf("%x: %x, %v, want %x", s, got, err, want)
		}
	}
}

// TestAppendUTFInPlace: a buffer that has room for what is written is used.
func TestAppendUTFInPlace(t *testing.T) {
	for _, s := range []string{"a", "\x00", "é", "漢字", "👍", "\xff"} {
		got, _ := AppendUTF(nil, s)
		room := make([]byte, 0, len(got))
		if in, err := AppendUTF(room, s); err != nil || &in[0] != &room[:1][0] || !bytes.Equal(in, got) {
			t.Errorf("%q: %x in another buffer, %v", s, in, err)
		}
	}
}

func TestAppendUTFLength(t *testing.T) {
	for _, unit := range []string{"a", "\x00", "é", "漢", "👍"} {
		n := len(modified(utf16.Encode([]rune(unit))...))
		most := strings.Repeat(unit, 0xffff/n)
		got, err := AppendUTF([]byte("x"), most)
		if err != nil || len(got) != 3+0xffff/n*n {
			t.Errorf("%q: %d bytes, %v", unit, len(got), err)
		}
		got, err = AppendUTF([]byte("x"), most+unit)
		if !errors.Is(err, ErrStringTooLong) || string(got) != "x" {
			t.Errorf("%q: %d bytes left, %v", unit, len(got), err)
		}
		if want := fmt.Sprint(0xffff/n*n + n); err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
}

func FuzzModifiedUTF8(f *testing.F) {
	for _, s := range []string{"", "plain", "\xc0\x80", "é漢", "\xed\xa0\xbd\xed\xb1\x8d", "\xed\xa0\x80", "\xff", "\xe2\x82"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		wire = wire[:min(len(wire), maxUTF/3)]
		s, bad := decodeModified(wire)
		if bad >= len(wire) || bad < 0 && len(s) > 2*len(wire) {
			t.Fatalf("bad %d of %d, %d bytes", bad, len(wire), len(s))
		}
		if bad >= 0 {
			s = string(wire) // any string can be written and then read
		}
		b, err := AppendUTF(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		again, bad2 := decodeModified(b[2:])
		if bad2 >= 0 || bad < 0 && again != s {
			t.Fatalf("%q became %q, bad %d", s, again, bad2)
		}
	})
}

// TestPlainUTF: bytes that are the same in modified UTF-8 are distinguished from others, wherever these are.
func TestPlainUTF(t *testing.T) {
	for n := range 41 {
		b := bytes.Repeat([]byte{0x01, 'a', 0x7f}, n)[:n]
		if !PlainUTF(b) {
			t.Errorf("%q is taken for another text than it is", b)
		}
		for i := range b {
			was := b[i]
			for _, c := range []struct {
				b     byte
				plain bool
			}{{0, false}, {1, true}, {0x7f, true}, {0x80, false}, {0x81, false}, {0xff, false}} {
				if b[i] = c.b; PlainUTF(b) != c.plain {
					t.Errorf("%x: plain is %v", b, !c.plain)
				}
			}
			b[i] = was
		}
	}
}
