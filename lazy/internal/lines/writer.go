package lines

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"tracex/format"
	"tracex/lazy/internal/times"
)

// Writer writes the lines of a printed tree. After the first write error it writes
// nothing more, nor once indentation has its most bytes. Only one goroutine may use a Writer, while the descriptors do not
// change.
type Writer struct {
	w       io.Writer // nil if the owner of the Writer takes buf
	ctx     *format.Context
	version format.Version // of the trace
	o       Options
	buf     []byte // lines not yet written
	text    []byte // scratch, for a line that is escaped
	pending []byte // the line of a thread, to be written with its first point
	base    int    // depth in the trace of points at depth 0
	json    *format.JSON
	within  int32 // the thread of the current JSON points: a point may name another
	err     error

	indented int64        // bytes of indentation so far
	full     *IndentError // the indentation of a line would have been too much
	cut      int          // where that line begins in buf
}

// lineBuffer is how many bytes are collected before they are written, and
// bufferRoom the capacity of a buffer: that and some more lines.
const (
	lineBuffer = 64 << 10
	bufferRoom = lineBuffer + 4<<10
)

// New returns a Writer of a trace's lines to w. If w is nil the owner takes the lines with
// Swap. ctx has the descriptors of the trace and v is its version.
func New(w io.Writer, ctx *format.Context, v format.Version, o Options) *Writer {
	l := &Writer{w: w, ctx: ctx, version: v, o: o, buf: NewBuffer()}
	if o.JSON {
		l.json = ctx.JSON()
	}
	return l
}

// Output returns where lines go that a caller wants in w: standard output for nil.
func Output(w io.Writer) io.Writer {
	if w == nil {
		return os.Stdout
	}
	return w
}

// NewBuffer returns an empty buffer for lines.
func NewBuffer() []byte { return make([]byte, 0, bufferRoom) }

// Options returns the options of the Writer.
func (l *Writer) Options() Options { return l.o }

// Err returns the first write error, or why there is no room for more lines; nil if none.
func (l *Writer) Err() error {
	if l.err == nil && l.full != nil {
		return l.full
	}
	return l.err
}

// Indents takes n bytes of indentation, which another Writer has written. It reports whether there is room
// for them; if not, they are not taken.
func (l *Writer) Indents(n int64) bool {
	if l.o.MaxIndent > 0 && l.indented+n > l.o.MaxIndent {
		return false
	}
	l.indented += n
	return true
}

// Indented returns the bytes of indentation so far.
func (l *Writer) Indented() int64 { return l.indented }

// SetBase sets the depth in the trace of points at depth 0, for JSON.
func (l *Writer) SetBase(depth int) { l.base = depth }

// SetThread sets the thread of the points that follow.
func (l *Writer) SetThread(id int32) { l.within = id }

// Gathered returns how many bytes of lines are collected but not written.
func (l *Writer) Gathered() int { return len(l.buf) }

// Full reports whether enough lines are collected to be taken.
func (l *Writer) Full() bool { return len(l.buf) >= lineBuffer }

// Swap returns the collected lines, and continues with an empty buffer.
func (l *Writer) Swap(empty []byte) (text []byte) {
	text, l.buf = l.buf, empty
	return text
}

// Append makes b the collected lines: what follows is appended to it.
func (l *Writer) Append(b []byte) { l.buf = b }

// Thread writes the line above the tree of a thread, with its name if several threads
// have points. A thread without points has no line, except in version 22 beside several
// that have some: the text that is expected of such a trace has it there.
func (l *Writer) Thread(id int32, name string, several bool, took times.Time) {
	if l.o.JSON {
		l.jsonThread(id, name, took)
		return
	}
	at := len(l.buf)
	l.buf = append(l.buf, "# Thread "...)
	l.buf = strconv.AppendInt(l.buf, int64(id)+1, 10)
	if several {
		l.buf = append(l.buf, " ("...)
		if l.o.Escape {
			l.buf = format.AppendEscaped(l.buf, name)
		} else {
			l.buf = format.AppendPlain(l.buf, name)
		}
		l.buf = append(l.buf, ')')
	}
	if !several || !l.version.HeadsEmptyThreads() {
		l.pending = append(append(l.pending[:0], l.buf[at:]...), '\n')
		l.buf = l.buf[:at]
		return
	}
	l.end()
}

// Apart tells that what follows is not of the thread whose line was to be written last.
func (l *Writer) Apart() { l.pending = l.pending[:0] }

// Point writes the line of a point. inside is the event of the container around
// it, -1 if none; only JSON includes inside and took.
func (l *Writer) Point(p *format.Point, f *format.Footer, parent format.Parent, inside int64, depth int, took times.Time) {
	if l.o.JSON {
		l.jsonPoint(p, f, parent, inside, depth, took)
		return
	}
	l.indent(depth)
	if l.o.Escape {
		l.text = l.ctx.AppendText(l.text[:0], p, f, parent, l.o.Verbose)
		l.buf = format.AppendEscaped(l.buf, l.text)
	} else {
		l.buf = l.ctx.AppendText(l.buf, p, f, parent, l.o.Verbose)
	}
	l.end()
	if l.o.Values {
		l.values(p, f, depth)
	}
}

// Unloaded writes the line for a run of n children that are not
// loaded; nothing if n is 0.
func (l *Writer) Unloaded(n, depth int) {
	if n == 0 {
		return
	}
	if l.o.JSON {
		l.jsonUnloaded(n, depth)
		return
	}
	l.indent(depth)
	if n == 1 {
		l.buf = append(l.buf, "... <unloaded child>"...)
	} else {
		l.buf = append(l.buf, "... <"...)
		l.buf = strconv.AppendInt(l.buf, int64(n), 10)
		l.buf = append(l.buf, " unloaded children>"...)
	}
	l.end()
}

const spaces = "                                                                "

// indent begins a line.
func (l *Writer) indent(depth int) {
	l.headed()
	if l.begins(2*depth, depth) {
		l.pad(2 * depth)
	}
}

// begins begins a line that has n bytes of indentation, unless there is no room for them.
func (l *Writer) begins(n, depth int) bool {
	if l.full == nil && !l.Indents(int64(n)) {
		l.full, l.cut = &IndentError{depth, l.o.MaxIndent}, len(l.buf)
	}
	return l.full == nil
}

func (l *Writer) pad(n int) {
	for ; n > len(spaces); n -= len(spaces) {
		l.buf = append(l.buf, spaces...)
	}
	l.buf = append(l.buf, spaces[:n]...)
}

// headed writes the pending line of a thread.
func (l *Writer) headed() {
	if len(l.pending) > 0 {
		l.buf = append(l.buf, l.pending...)
		l.pending = l.pending[:0]
	}
}

func (l *Writer) end() {
	if l.full != nil {
		l.buf = l.buf[:l.cut]
		return
	}
	l.buf = append(l.buf, '\n')
	if len(l.buf) >= lineBuffer && l.w != nil {
		l.Flush()
	}
}

// Text writes lines of points made by another Writer.
func (l *Writer) Text(text []byte) {
	l.headed()
	if len(l.buf)+len(text) < lineBuffer {
		l.buf = append(l.buf, text...)
		return
	}
	l.Flush()
	if l.err == nil {
		_, l.err = l.w.Write(text)
	}
}

// Flush writes the collected lines and returns the first write error.
func (l *Writer) Flush() error {
	if l.err == nil && len(l.buf) > 0 {
		_, l.err = l.w.Write(l.buf)
	}
	l.buf, l.cut = l.buf[:0], 0
	return l.Err()
}

// valueMark begins the lines about values below a point, to distinguish them from
// points.
const valueMark = "| "

// values writes the captured contents of a point's values: a line for each field,
// element and frame, and the number of array elements that were not captured.
func (l *Writer) values(p *format.Point, f *format.Footer, depth int) {
	show := func(what string, v *format.Value) {
		if v.Captured != nil || v.Kind == format.ValueArray && v.Length() > 0 {
			l.inside(what, v, depth, 1)
		}
	}
	if p.Class == format.ClassCall {
		show("receiver", &p.Target)
	} else {
		show("owner", &p.Target)
	}
	for i := range p.Args {
		show("argument "+strconv.Itoa(i+1), &p.Args[i])
	}
	show("value", &p.Value)
	if f != nil && p.Class == format.ClassCall {
		list := f.Result.Results(l.ctx)
		for i := range list {
			show("result "+strconv.Itoa(i+1), &list[i].Value)
		}
		if list == nil {
			show("result", &f.Result)
		}
	}
	if p.Snapshot != nil {
		names := l.ctx.LocalNames(p)
		for i := range p.Snapshot.Locals {
			what := "local " + strconv.Itoa(i+1)
			if names != nil {
				what = "local " + names[i]
			}
			show(what, &p.Snapshot.Locals[i])
		}
		for i := range p.Snapshot.Watches {
			show("watch "+strconv.Itoa(i+1), &p.Snapshot.Watches[i])
		}
	}
}

// inside writes a value and its contents; nested is its depth of nesting in others.
func (l *Writer) inside(what string, v *format.Value, depth, nested int) {
	l.valueLine(what, depth, nested, func(dst []byte) []byte { return l.ctx.AppendValueText(dst, v) })
	in := v.Captured
	if in == nil {
		in = new(format.Captured)
	}
	for i := range in.Fields {
		f := &in.Fields[i]
		if f.Rest() {
			l.valueIndent(depth, nested+1)
			l.buf = append(l.buf, "... <more fields>"...)
			l.end()
			break
		}
		l.inside("."+f.Name, &f.Value, depth, nested+1)
	}
	for i := range in.Elements {
		l.inside("["+strconv.Itoa(i)+"]", &in.Elements[i], depth, nested+1)
	}
	for i, frame := range in.Frames {
		l.valueText("frame "+strconv.Itoa(i+1), frame, depth, nested+1)
	}
	if more := int(v.Length()) - len(in.Elements); v.Kind == format.ValueArray && more > 0 {
		l.valueIndent(depth, nested+1)
		l.buf = strconv.AppendInt(append(l.buf, "... <"...), int64(more), 10)
		l.buf = append(l.buf, " more>"...)
		l.end()
	}
}

// valueText writes one line of a value's contents that is a text.
func (l *Writer) valueText(what, text string, depth, nested int) {
	l.valueLine(what, depth, nested, func(dst []byte) []byte { return format.AppendPlain(dst, text) })
}

func (l *Writer) valueLine(what string, depth, nested int, text func(dst []byte) []byte) {
	l.valueIndent(depth, nested)
	l.text = text(append(append(l.text[:0], what...), " = "...))
	if l.o.Escape {
		l.buf = format.AppendEscaped(l.buf, l.text)
	} else {
		l.buf = append(l.buf, l.text...)
	}
	l.end()
}

func (l *Writer) valueIndent(depth, nested int) {
	if at, in := 2*(depth+1), 2*(nested-1); l.begins(at+in, depth+nested) {
		l.pad(at)
		l.buf = append(l.buf, valueMark...)
		l.pad(in)
	}
}

// Options control how a tree is printed.
type Options struct {
	Folded  bool // fold; otherwise print every point as recorded
	Verbose bool // with code locations
	Escape  bool // for a terminal: show control characters in visible form
	Values  bool // below each point, the captured contents of its values
	// JSON makes each line an object: see docs/json.md. It always includes captured
	// values and locations; Verbose and Values have no effect.
	JSON bool
	// MaxDepth is how many levels below the roots are printed; 0 for all. Where a call has more, a line
	// has the number of its children.
	MaxDepth int
	// MaxIndent is how many bytes of indentation are written; 0 for all. Before a line that would have more in
	// all, printing ends with an [*IndentError]: n levels of calls have n² bytes.
	MaxIndent int64
}

// IndentError is the error that a text ended because of [Options.MaxIndent].
type IndentError struct {
	Depth int   // of the line that was not written
	Most  int64 // bytes
}

func (e *IndentError) Error() string {
	return fmt.Sprintf("the text ends here: the next line is %d levels deep, and indentation would have more than %d bytes", e.Depth, e.Most)
}
