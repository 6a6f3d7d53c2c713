package format

import (
	"math/bits"
	"slices"
	"strconv"
)

// Style tells what a span of a point's text is, for coloring.
type Style uint8

const (
	StyleName       Style = iota // names and the characters that join them
	StyleMark                    // the diff status before the text
	StyleKeyword                 // new, loop, iteration, catch
	StyleAlarm                   // threw, throw
	StyleValue                   // a value without a style of its own
	StyleString                  // a string or a string builder
	StyleNumber                  // a number
	StyleResult                  // what a call returned
	StyleException               // what was thrown or caught
	StyleUnfinished              // instead of a result: unfinished, untracked
	StyleLocation                // file and line, in verbose text
	StyleMethod                  // the name of a called method, or of the class of a new object
	StyleClass                   // the class that a method is called on, with the dot
	StyleHash                    // the identity hash of an object, with the @
	StyleParameter               // the name of a parameter, with the = before its argument; only in an Extra
)

// Span is a part of a text: byte offsets into the whole slice that the text was appended to.
type Span struct {
	Start, End int
	Style      Style
}

// Parent is what the text of a point needs to know about the container around it. The zero
// Parent is none, or one that is no call.
type Parent struct {
	Call   bool
	Method int32 // method id, of a call
}

// ParentOf returns p as the parent of its children.
func ParentOf(p *Point) Parent {
	if p.Class != ClassCall {
		return Parent{}
	}
	return Parent{Call: true, Method: p.Ref}
}

// maxText bounds the text of one point, in bytes: paths and arguments beyond it end in "…". No
// recorder writes a point that large.
const maxText = 16 << 20

// AppendText appends the text of a point: one line without a line break. f is its footer; nil
// omits the parts that depend on it. Ids that the Context does not know are shown as <method
// 12> and the like. verbose adds the code location. Control characters are not escaped: see
// [AppendEscaped].
//
// It may run concurrently with other readers of the Context.
func (c *Context) AppendText(dst []byte, p *Point, f *Footer, parent Parent, verbose bool) []byte {
	var w textWriter
	w.c, w.b, w.limit, w.verbose = c, dst, len(dst)+maxText, verbose
	w.point(p, f, parent)
	return w.b
}

// AppendNamed is AppendText, and returns where the name of a called method begins in the text:
// what comes before it depends on where the call was made. at is -1 for points other than calls
// with an owner, and for methods that the Context does not know.
func (c *Context) AppendNamed(dst []byte, p *Point, f *Footer, parent Parent, verbose bool) (text []byte, at int) {
	var w textWriter
	w.c, w.b, w.limit, w.verbose = c, dst, len(dst)+maxText, verbose
	w.point(p, f, parent)
	return w.b, w.method - 1
}

// AppendSpans is AppendText and also appends the styles of the text: spans in order, without
// gaps, over the whole text.
func (c *Context) AppendSpans(dst []byte, spans []Span, p *Point, f *Footer, parent Parent, verbose bool) ([]byte, []Span) {
	w := textWriter{c: c, b: dst, limit: len(dst) + maxText, verbose: verbose,
		spans: spans, first: len(spans), styled: true, from: len(dst)}
	w.point(p, f, parent)
	w.span()
	return w.b, w.spans
}

// textWriter builds the text of one point.
type textWriter struct {
	c       *Context
	b       []byte
	limit   int // of len(b)
	verbose bool
	method  int      // 1 + where the name of the called method begins; 0 if nowhere
	most    int      // of len(b), for more fields of a struct; 0 outside of one
	extras  *[]Extra // nil if they are not asked for

	styled bool
	style  Style // of the text appended from offset from on
	from   int
	spans  []Span
	first  int // index in spans of the first span of the text
}

// to ends the current span and begins one of style s. It returns the style that was current.
func (w *textWriter) to(s Style) Style {
	if !w.styled {
		return 0
	}
	return w.turn(s)
}

// turn is to for a text with spans.
func (w *textWriter) turn(s Style) (old Style) {
	old = w.style
	if s != old {
		w.span()
		w.style = s
	}
	return old
}

func (w *textWriter) span() {
	if len(w.b) == w.from {
		return
	}
	if n := len(w.spans); n > w.first && w.spans[n-1].Style == w.style {
		w.spans[n-1].End = len(w.b)
	} else {
		w.spans = append(w.spans, Span{w.from, len(w.b), w.style})
	}
	w.from = len(w.b)
}

// in appends text of style s.
func (w *textWriter) in(s Style, text string) {
	old := w.to(s)
	w.b = append(w.b, text...)
	w.to(old)
}

func (w *textWriter) int(n int64) { w.b = appendInt(w.b, n) }

var diffMarks = [...]string{"", "  ", "- ", "+ ", "! ", "! "}

// Mark returns the beginning of a point's text in a diff; "" in other traces.
func (p *Point) Mark() string {
	if mark := int(p.Diff) + 1; mark > 0 && mark < len(diffMarks) && p.Class != ClassSnapshot {
		return diffMarks[mark]
	}
	return ""
}

func (w *textWriter) point(p *Point, f *Footer, parent Parent) {
	if mark := p.Mark(); mark != "" {
		w.in(StyleMark, mark)
	}
	switch p.Class {
	case ClassCall:
		if writeEqual(w, p) {
			return
		}
		w.call(p, f, parent)
	case ClassFieldRead, ClassFieldWrite:
		w.field(p)
	case ClassVariableRead, ClassVariableWrite:
		w.variableName(p.Ref)
		w.access(p.Class == ClassVariableRead, &p.Value)
	case ClassArrayRead, ClassArrayWrite:
		w.array(p)
	case ClassLoop:
		w.loop(f)
	case ClassIteration:
		w.b = append(w.b, '<')
		w.in(StyleKeyword, "iteration ")
		w.int(int64(p.Number) + 1)
		w.b = append(w.b, '>')
	case ClassThrow:
		w.in(StyleAlarm, "throw")
		w.b = append(w.b, ' ')
		w.valueIn(StyleException, &p.Value)
	case ClassCatch:
		w.in(StyleKeyword, "catch")
		w.b = append(w.b, '(')
		w.valueIn(StyleException, &p.Value)
		w.b = append(w.b, ')')
	case ClassSnapshot:
		w.snapshot(p)
		return // contains its location already
	}
	w.location(p.Location)
}

// loop appends the text of a loop, whose count is in its footer.
func (w *textWriter) loop(f *Footer) {
	w.in(StyleKeyword, "loop")
	w.b = append(w.b, '(')
	if f == nil {
		w.b = append(w.b, "iterations)"...)
		return
	}
	w.to(StyleNumber)
	w.int(int64(f.Iterations))
	w.to(StyleName)
	w.b = append(w.b, " iterations)"...)
}

// access appends how a variable, field or element is accessed and the value read or written.
func (w *textWriter) access(read bool, v *Value) {
	if read {
		w.b = append(w.b, " ➜ "...)
	} else {
		w.b = append(w.b, " = "...)
	}
	w.value(v)
}

func (w *textWriter) field(p *Point) {
	w.fieldOwner(p)
	w.access(p.Class == ClassFieldRead, &p.Value)
}

func (w *textWriter) array(p *Point) {
	if path, id := pathOf(w.c, p.Location); id < 0 {
		w.value(&p.Target)
	} else {
		w.path(path, id, true)
	}
	w.b = append(w.b, '[')
	w.int(int64(p.Number))
	w.b = append(w.b, ']')
	w.access(p.Class == ClassArrayRead, &p.Value)
}

// appendInt is strconv.AppendInt in base 10 for text in bulk: it writes the digits of an
// identity hash, which most lines have, where they belong instead of copying them there.
func appendInt(dst []byte, n int64) []byte {
	u := uint64(n)
	if n < 0 {
		dst = append(dst, '-')
		u = -u
	}
	if u >= 1e10 {
		return strconv.AppendUint(dst, u, 10)
	}
	at := len(dst) + digitCount(u)
	dst = slices.Grow(dst, 10)[:at]
	for u >= 100 {
		q := u / 100
		pair := 2 * (u - 100*q)
		at -= 2
		dst[at+1], dst[at] = digitPairs[pair+1], digitPairs[pair]
		u = q
	}
	if u >= 10 {
		dst[at-1], dst[at-2] = digitPairs[2*u+1], digitPairs[2*u]
	} else {
		dst[at-1] = '0' + byte(u)
	}
	return dst
}

// digitPairs are the numbers 0 to 99 with two digits each.
const digitPairs = "00010203040506070809" + "10111213141516171819" + "20212223242526272829" + "30313233343536373839" +
	"40414243444546474849" + "50515253545556575859" + "60616263646566676869" + "70717273747576777879" +
	"80818283848586878889" + "90919293949596979899"

var powersOfTen = [...]uint64{1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10}

// digitCount returns the number of decimal digits of a number below 1e10.
func digitCount(u uint64) int {
	n := bits.Len64(u) * 1233 >> 12 // by the logarithm: right, or one less
	if u >= powersOfTen[n] {
		n++
	}
	return max(n, 1)
}
