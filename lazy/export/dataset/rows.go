package dataset

import (
	"bytes"
	"math"
	"strconv"
	"sync"
	"unicode/utf8"

	"tracex/format"
	"tracex/lazy/export"
)

// call is a row of the table of calls. It has no pointers, so that the collector of garbage need not
// look into millions of them.
type call struct {
	first, last      int64 // less the chunk's base
	start, dur, self int64 // ns; dur is negative if the time is not known, self the same
	points           int64
	path, shape      uint64

	event, parent  int32 // parent is only valid if depth is not 0
	method, caller int32 // numbers of methods
	depth          int32
	thread         int32 // from 0
	threadName     int32
	file, line     int32
	receiverClass  int32
	receiverHash   int32
	exception      int32
	args           int32 // where its arguments begin in the chunk's values
	argCount       int32
	result         int32 // in the chunk's values; none if it has none
	done           bool  // its end is known
	unfinished     bool
	started        bool // start is known
	hasArgs        bool // the arguments are exported
}

// point is a row of the table of points.
type point struct {
	first            int64 // of the call around, less the chunk's base; noCall if there is none
	at               int64 // ns, if timed
	event, call      int32
	thread           int32
	threadName       int32
	kind, name       int32
	class            int32 // of the field, or of the exception
	owner, ownerHash int32
	element          int32
	file, line       int32
	method           int32 // that the point is in
	value            int32 // in the chunk's values
	timed, indexed   bool
}

// noCall is the first of a point that is in no call.
const noCall = -1 << 62

// value is an argument, a result, or what was written.
type value struct {
	integer int64 // or the bits of a number
	text    int32 // where its text begins in the chunk's
	length  int32 // of the text; negative if it has none
	kind    int32 // a name
	hash    int32
	number  export.Scalar
	hashed  bool
}

// chunk is rows of neighboring points of the trace, with what they refer to.
type chunk[R any] struct {
	rows   []R
	values []value
	text   []byte
	base   int64 // calls before those of the chunk
	open   int   // rows that are not done
	shared bool  // its memory is also that of others
}

// clear makes the chunk ready for other rows.
func (c *chunk[R]) clear() {
	c.rows, c.values, c.text = c.rows[:0], c.values[:0], c.text[:0]
	c.base, c.open = 0, 0
}

// chunks keeps chunks that are no longer used, for others.
type chunks[R any] struct {
	mu   sync.Mutex
	free []*chunk[R]
}

func (p *chunks[R]) take() *chunk[R] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		c := p.free[n-1]
		p.free = p.free[:n-1]
		return c
	}
	return new(chunk[R])
}

func (p *chunks[R]) giveBack(list []*chunk[R]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range list {
		if !c.shared {
			c.clear()
			p.free = append(p.free, c)
		}
	}
}

// bytes returns how much memory the chunk takes, roughly.
func (c *chunk[R]) bytes() int64 {
	return 160*int64(len(c.rows)) + 32*int64(len(c.values)) + int64(len(c.text))
}

// slice returns some of the rows. What is added to them later does not show in the others.
func (c *chunk[R]) slice(from, to int) *chunk[R] {
	c.shared = true
	return &chunk[R]{
		shared: true,
		rows:   c.rows[from:to:to], values: c.values[:len(c.values):len(c.values)], text: c.text[:len(c.text):len(c.text)], base: c.base,
	}
}

// typeNames are what the columns named type have for values that are no objects. They are in files: do not change.
var typeNames = [...]string{
	format.ValueNull: "null", format.ValueVoid: "void", format.ValueUnit: "unit",
	format.ValueByte: "byte", format.ValueShort: "short", format.ValueInt: "int", format.ValueLong: "long",
	format.ValueFloat: "float", format.ValueDouble: "double", format.ValueBoolean: "boolean", format.ValueChar: "char",
	format.ValueString: "string", format.ValueRawString: "raw", format.ValueBuilder: "builder",
	format.ValueJavaClass: "java class", format.ValueKotlinClass: "kotlin class", format.ValueEnum: "enum", format.ValueSequence: "sequence",
	format.ValueBigInteger: "big integer", format.ValueBigDecimal: "big decimal",
	format.ValueObject: "object", format.ValueArray: "array", format.ValueException: "exception",
	format.ValueUnfinished: "unfinished", format.ValueUntracked: "untracked",
}

// mostText bounds the texts of a chunk: a value that takes few bytes in a trace may have a long one.
const mostText = 32 << 20

// kind returns the number of the type of a value: of an object that of its class.
func (l *lookup) kind(v *format.Value) int32 {
	switch v.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueEnum, format.ValueSequence:
		if n := l.class(v.ClassID); n != none {
			return n
		}
	}
	if int(v.Kind) >= len(typeNames) || int(v.Kind) >= len(l.types) {
		return l.word("unknown")
	}
	if l.types[v.Kind] == 0 {
		l.types[v.Kind] = l.word(typeNames[v.Kind]) + 1
	}
	return l.types[v.Kind] - 1
}

// add appends a value to the chunk, and returns where it is.
func (c *chunk[R]) add(l *lookup, v *format.Value) int32 {
	x := value{kind: l.kind(v), length: -1, number: export.ScalarOf(v)}
	switch v.Kind {
	case format.ValueObject, format.ValueArray, format.ValueException, format.ValueSequence, format.ValueBuilder:
		x.hash, x.hashed = v.Hash(), !v.ByValue()
	}
	switch x.number {
	case export.Integer:
		x.integer = v.Bits
	case export.Real:
		x.setReal(v.Float())
	}
	switch v.Kind {
	case format.ValueNull, format.ValueVoid, format.ValueUnit, format.ValueUnfinished, format.ValueUntracked:
	default:
		x.text = int32(len(c.text))
		if l.text = appendValid(l.text[:0], l.context, v); len(c.text) < mostText {
			c.text = append(c.text, l.text...)
		} else {
			c.text = append(c.text, "…"...)
		}
		x.length = int32(len(c.text)) - x.text
	}
	c.values = append(c.values, x)
	return int32(len(c.values) - 1)
}

func copyValue[R, S any](to *chunk[R], from *chunk[S], i int32) int32 {
	x := from.values[i]
	if x.length >= 0 {
		at := int32(len(to.text))
		to.text = append(to.text, from.text[x.text:x.text+x.length]...)
		x.text = at
	}
	to.values = append(to.values, x)
	return int32(len(to.values) - 1)
}

// longestText is how many bytes of the text of a value are exported. Columns with longer texts are of no use.
const longestText = 1 << 16

// appendValid appends the text of a value, as valid UTF-8 that is not too long.
func appendValid(dst []byte, c *format.Context, v *format.Value) []byte {
	if v.Kind == format.ValueInt || v.Kind == format.ValueLong {
		return strconv.AppendInt(dst, v.Bits, 10)
	}
	at := len(dst)
	dst = export.AppendText(dst, c, v)
	if len(dst)-at > longestText {
		dst = dst[:at+longestText]
		for len(dst) > at && !utf8.RuneStart(dst[len(dst)-1]) {
			dst = dst[:len(dst)-1]
		}
		dst = append(dst[:len(dst)-1], "…"...)
	}
	if !utf8.Valid(dst[at:]) {
		dst = append(dst[:at], bytes.ToValidUTF8(dst[at:], []byte("\uFFFD"))...)
	}
	return dst
}

// setReal makes the value a number that is no integer.
func (x *value) setReal(f float64) { x.integer = int64(math.Float64bits(f)) }

// real returns the number that a value is, if it is no integer.
func (x *value) real() float64 { return math.Float64frombits(uint64(x.integer)) }
