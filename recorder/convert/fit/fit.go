// Package fit makes what others wrote fit: texts into the limits of the format, values into its
// versions, and the names of a hostile input into a limited amount of memory.
package fit

import (
	"bufio"
	"errors"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tracex/format"
)

const (
	// MaxText is the maximum size of a text in the format, in bytes of its encoding.
	MaxText = 0xffff
	// SurelyFits is how many bytes always fit: none takes more than three in the encoding.
	SurelyFits = MaxText / 3
	// MaxName bounds the names of tracks, threads and processes, in bytes: all of them are kept
	// in memory.
	MaxName = 1 << 10

	more = "…" // ends a text that was cut
)

// Text returns a text, cut if it is too long for the format, and whether it was cut. A cut is marked
// at its end. A text that fits is s itself.
func Text[T string | []byte](s T) (text T, cut bool) {
	if len(s) <= SurelyFits {
		return s, false
	}
	room, end := MaxText, 0
	for at := 0; at < len(s); {
		r, n := decode(s[at:])
		switch {
		case r == 0:
			room -= 2
		case r > 0xffff:
			room -= 6
		default:
			room -= utf8.RuneLen(r)
		}
		if room < 0 {
			return T(slices.Concat([]byte(s[:end]), []byte(more))), true
		}
		if at += n; room >= len(more) {
			end = at
		}
	}
	return s, false
}

// decode decodes the first character of s, which is not empty.
func decode[T string | []byte](s T) (r rune, n int) {
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(string(s[:min(len(s), utf8.UTFMax)]))
}

// Name returns a copy of a name, cut to MaxName.
func Name[T string | []byte](name T) string {
	if len(name) <= MaxName {
		return string(name)
	}
	end := MaxName
	for end > MaxName-utf8.UTFMax && !utf8.RuneStart(name[end]) {
		end--
	}
	return string(name[:end]) + more
}

// Method returns the name of a method without its class before it, as tracex export and many other tools write it:
// Order.pay of the class shop.Order is the method pay, new Order its constructor.
func Method(class, name string) string {
	short := class[strings.LastIndexAny(class, "./")+1:]
	if strings.IndexByte(short, '$') >= 0 {
		short = strings.ReplaceAll(short, "$", ".")
	}
	if short == "" {
		return name
	}
	if method, ok := strings.CutPrefix(name, short); ok && len(method) > 1 && method[0] == '.' {
		return method[1:]
	}
	if name == "new "+short {
		return "<init>"
	}
	return name
}

// MayHaveClass reports whether Method may return something else than the name.
func MayHaveClass[T string | []byte](name T) bool {
	for i := range len(name) {
		if name[i] == '.' || name[i] == ' ' {
			return true
		}
	}
	return false
}

// Position reports whether the name of an argument only tells that it is the n-th, from 1, such as arg.1: then it is
// shown without a name.
func Position[T string | []byte](name T, n int) bool {
	digits, ok := strings.CutPrefix(string(name), "arg.")
	return ok && digits == strconv.Itoa(n)
}

// Names of arguments of an event that say how a call ended, if they are its only ones: tracex export writes them.
const (
	Result    = "result"
	Exception = "exception"
)

// Unquoted turns a text without quotes into a value that a version supports: if it has no kind for it,
// that of a number, which can hold any text.
func Unquoted(v *format.Value, to format.Version) {
	switch v.Kind {
	case format.ValueRawString:
		if to.HasValue(format.ValueRawString) {
			return
		}
		if v.Kind = format.ValueBigDecimal; format.WholeNumber(v.Text) {
			v.Kind = format.ValueBigInteger
		}
	case format.ValueBigInteger, format.ValueBigDecimal:
		if !to.HasValue(v.Kind) {
			v.Kind = format.ValueRawString
		}
	}
}

// Whole returns the text of a JSON number as that of a whole number, if it is one: 1.0 is 1, and 1e3 is 1000. Writers
// whose numbers are all floats have such ids and lines.
func Whole[T string | []byte](text T) T {
	for i := range len(text) {
		if c := text[i]; c == '.' || c == 'e' || c == 'E' {
			if n, ok := WholeFloat(parse(text)); ok {
				return T(strconv.FormatInt(n, 10))
			}
			break
		}
	}
	return text
}

func parse[T string | []byte](text T) float64 {
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// WholeFloat returns a number as a whole one, and whether it is one.
func WholeFloat(x float64) (n int64, ok bool) {
	const exact = 1 << 53
	return int64(x), x == math.Trunc(x) && math.Abs(x) < exact
}

// Line returns a value as the number of a line, and whether it may be one.
func Line(v *format.Value) (line int, ok bool) {
	n := v.Bits
	switch v.Kind {
	case format.ValueLong:
	case format.ValueDouble:
		if n, ok = WholeFloat(v.Float()); !ok {
			return 0, false
		}
	default:
		return 0, false
	}
	return int(n), n >= 0 && n < 1<<30
}

// Map is a map that drops old entries: it keeps at least the limit most recently used entries, and
// at most twice as many. It bounds a conversion's memory if an input has a new name in each event.
type Map[K comparable, V any] struct {
	limit      int
	young, old map[K]V
}

// NewMap returns an empty map.
func NewMap[K comparable, V any](limit int) *Map[K, V] {
	return &Map[K, V]{limit: limit, young: make(map[K]V)}
}

// Get returns the value of a key, and whether it is known.
func (m *Map[K, V]) Get(key K) (V, bool) {
	v, ok := m.young[key]
	if !ok && m.old != nil {
		if v, ok = m.old[key]; ok {
			m.Put(key, v)
		}
	}
	return v, ok
}

// Put sets the value of a key.
func (m *Map[K, V]) Put(key K, v V) {
	if len(m.young) >= m.limit {
		m.young, m.old = make(map[K]V), m.young
	}
	m.young[key] = v
}

// Digest identifies a text. Two texts with the same digest practically never occur, even if someone
// tries, since the seeds change with each run.
type Digest [2]uint64

var digestSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// DigestOf returns the digest of a text.
func DigestOf(text []byte) Digest {
	return Digest{maphash.Bytes(digestSeeds[0], text), maphash.Bytes(digestSeeds[1], text)}
}

// Lines reads the lines of a text.
type Lines struct {
	Line  []byte // without its end; valid until the next one
	At    int64  // its offset
	After int64  // that of the next line
	Cut   bool   // it is longer
	Part  bool   // the file ends within it
	Err   error  // of the input

	in   *bufio.Reader
	most int
	long []byte
}

// NewLines returns lines that are cut after about so many bytes.
func NewLines(r io.Reader, most int) *Lines {
	return &Lines{in: bufio.NewReaderSize(r, 64<<10), most: most}
}

// Next moves to the next line, and reports whether there is one.
func (l *Lines) Next() bool {
	if l.Err != nil {
		return false
	}
	l.At, l.Cut = l.After, false
	piece, err := l.in.ReadSlice('\n')
	l.After += int64(len(piece))
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = append(l.long[:0], piece...)
		for errors.Is(err, bufio.ErrBufferFull) {
			piece, err = l.in.ReadSlice('\n')
			l.After += int64(len(piece))
			room := l.most - len(l.long)
			l.Cut = l.Cut || len(piece) > room
			l.long = append(l.long, piece[:min(len(piece), room)]...)
		}
		piece = l.long
	}
	if err != nil && !errors.Is(err, io.EOF) {
		l.Err = err
		return false
	}
	l.Part = err != nil && len(piece) > 0
	for len(piece) > 0 && (piece[len(piece)-1] == '\n' || piece[len(piece)-1] == '\r') {
		piece = piece[:len(piece)-1]
	}
	l.Line = piece
	return err == nil || len(piece) > 0
}
