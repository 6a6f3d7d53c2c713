package values

import (
	"encoding/binary"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"tracex/format"
)

// Room returns how many bytes the value takes at most, in any version. A value that takes more
// than 12 has a text.
func (v *Value) Room(by *Terms) int {
	if v.Text == "" {
		return format.MaxObjectSize
	}
	return v.textRoom(by)
}

// Put writes the value to b, which has room for it, and returns the number of
// bytes.
func (v *Value) Put(b []byte, by *Terms) int {
	switch v.Kind {
	case NullKind:
		return by.Layout.PutKind(b, NullKind)
	case IntKind, FloatKind:
		return by.Layout.Put32(b, v.Kind, uint32(v.Bits))
	case ObjectKind:
		if uint32(v.Bits>>Shift) != by.Tag {
			return v.putUnregistered(b, by)
		}
		return by.Layout.PutObject(b, v.Class-1, int32(v.Bits))
	case StringKind, TypeKind:
		n := by.Layout.PutKind(b, v.Kind)
		return n + putText(b[n:], v.Text, int(by.Text))
	case RawKind:
		return by.Layout.putRaw(b, v.Text, int(by.Text))
	}
	return v.putRare(b, by)
}

// putUnregistered writes an object of a class that the recorder does not know, or of a captured
// value with such classes in it.
func (v *Value) putUnregistered(b []byte, by *Terms) int {
	n, identity := int64(v.Bits>>Shift), int32(0)
	if v.Kind != EncodedKind {
		n, identity = n|int64(v.Class), int32(v.Bits)
	}
	return by.Layout.PutObject(b, by.unregistered(n), identity)
}

func (v *Value) putRare(b []byte, by *Terms) int {
	if v.Kind > wireKinds {
		return v.putMade(b, by)
	}
	n := by.Layout.PutKind(b, v.Kind)
	switch v.Kind {
	case ByteKind, BoolKind:
		b[n] = byte(v.Bits)
		return n + 1
	case ShortKind, CharKind:
		b[n], b[n+1] = byte(v.Bits>>8), byte(v.Bits)
		return n + 2
	case LongKind, DoubleKind:
		binary.BigEndian.PutUint64(b[n:], v.Bits)
		return n + 8
	}
	return n // void
}

func (by *Terms) unregistered(number int64) int32 {
	if by.Names == nil {
		return 0 // nothing is recorded
	}
	return by.Names.Unregistered(number)
}

// textRoom is Room for values with a text. A byte of a string takes three if it is not UTF-8.
func (v *Value) textRoom(by *Terms) int {
	max := int(by.Text)
	if v.Kind < firstMade {
		return 9 + 3*min(len(v.Text), max)
	}
	switch v.Kind {
	case BytesKind:
		return 64 + 2*min(len(v.Text), max)
	case FailureKind:
		by.know(v)
		return 20 + 3*min(len(v.Text), FailureText(max)+v.message()) + cutRoom
	case ExactKind:
		return 9 + 3*min(len(v.Text), MaxText)
	case EncodedKind:
		return 12 + len(v.Text)
	}
	return 64
}

// putMade writes a value that needs more than a number, or whose text is made now.
func (v *Value) putMade(b []byte, by *Terms) int {
	l := by.Layout
	switch v.Kind {
	case EncodedKind, ExceptionKind:
		if uint32(v.Bits>>Shift) != by.Tag {
			return v.putUnregistered(b, by)
		}
		if v.Kind == EncodedKind {
			return copy(b, v.Text)
		}
		return l.putException(b, v.Class-1, int32(v.Bits))
	case ExactKind:
		return l.putRaw(b, v.Text, MaxText)
	case UnfinishedKind, UntrackedKind:
		return l.putMark(b, v.Kind)
	case FailureKind:
		return l.putFailure(b, v, by)
	}
	var room [128]byte
	text := v.AppendMade(room[:0], int(by.Text))
	return l.putRaw(b, unsafe.String(unsafe.SliceData(text), len(text)), MaxText)
}

// AppendMade appends the text of a value, keeping max characters.
func (v *Value) AppendMade(dst []byte, max int) []byte {
	switch v.Kind {
	case DurationKind:
		return append(dst, time.Duration(v.Bits).String()...)
	case MomentKind:
		return time.Unix(int64(v.Bits), int64(v.Class)).UTC().AppendFormat(dst, time.RFC3339Nano)
	case BytesKind:
		return appendBytes(dst, v.Text, max)
	case FailureKind:
		dst = append(dst, cutFailure(v.Text, FailureText(max)+v.message())...)
	}
	return dst
}

func appendBytes(dst []byte, all string, max int) []byte {
	return AppendBytes(dst, all[:min(len(all), max)], int64(len(all)))
}

// AppendBytes appends the text of so many bytes, of which the first are kept.
func AppendBytes(dst []byte, kept string, all int64) []byte {
	dst = append(dst, "[]byte("...)
	if text := whole(kept); readable(text) {
		dst = append(append(append(dst, '"'), text...), '"')
		kept = text
	} else {
		dst = append(dst, "0x"...)
		for i := range len(kept) {
			const digits = "0123456789abcdef"
			dst = append(dst, digits[kept[i]>>4], digits[kept[i]&15])
		}
	}
	if int64(len(kept)) < all {
		dst = append(dst, "..., "...)
		dst = append(strconv.AppendInt(dst, all, 10), " bytes"...)
	}
	return append(dst, ')')
}

// whole returns s without an incomplete character at its end.
func whole(s string) string {
	for n := len(s) - 1; n >= 0 && n >= len(s)-utf8.UTFMax; n-- {
		if utf8.RuneStart(s[n]) {
			if !utf8.FullRuneInString(s[n:]) {
				return s[:n]
			}
			break
		}
	}
	return s
}

// readable reports whether s is a text that needs no quoting.
func readable(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || r == '"' || r == '\\' || !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			return false
		}
	}
	return true
}

// PutDropped writes a note of how many trace points of a thread are missing before it: a write
// to a variable, in at most DroppedRoom bytes. It returns its size.
func (l *Layout) PutDropped(b []byte, thread, event, variable int32, missing int64) int {
	format.PutPointHead(b, l.points[format.ClassVariableWrite], -1, thread, event, 0)
	PutInt32(b[format.LeafIDAt:], variable)
	value := Value{Kind: LongKind, Bits: uint64(missing)}
	return format.LeafValueAt + value.Put(b[format.LeafValueAt:], &Terms{Layout: l})
}
