package lines

import (
	"io"
	"strconv"

	"tracex/format"
	"tracex/lazy/internal/times"
)

// Writer writes the lines of a printed tree. The first failure to write sticks, and
// nothing is written after it. A Writer is used by one goroutine, while the
// descriptors do not change.
type Writer struct {
	w       io.Writer // nil: the owner of the Writer takes buf
	ctx     *format.Context
	version format.Version // of the trace
	o       Options
	buf     []byte // lines not yet written
	text    []byte // scratch, of a line that is escaped
	pending []byte // the line of a thread that is written with its first point
	base    int    // how deep in the trace the points of depth 0 are
	json    *format.JSON
	within  int32 // the thread whose points are JSON now: a point may name another
	err     error
}

// lineBuffer is how many bytes are gathered before they are written, and
// bufferRoom how many a buffer has room for: those and some lines more.
const (
	lineBuffer = 64 << 10
	bufferRoom = lineBuffer + 4<<10
)

// New returns a Writer of a trace's lines to w; nil when its owner takes them by
// Swap. ctx has the descriptors of the trace and v is its version.
func New(w io.Writer, ctx *format.Context, v format.Version, o Options) *Writer {
	l := &Writer{w: w, ctx: ctx, version: v, o: o, buf: NewBuffer()}
	if o.JSON {
		l.json = ctx.JSON()
	}
	return l
}

// NewBuffer returns an empty buffer for lines.
func NewBuffer() []byte { return make([]byte, 0, bufferRoom) }

// Options returns how lines are written.
func (l *Writer) Options() Options { return l.o }

// Err returns the first failure of w; nil while there was none.
func (l *Writer) Err() error { return l.err }

// SetBase says how deep in the trace the points of depth 0 are; JSON tells depths.
func (l *Writer) SetBase(depth int) { l.base = depth }

// SetThread says which thread the points that come are of.
func (l *Writer) SetThread(id int32) { l.within = id }

// Gathered returns how many bytes of lines have not been written.
func (l *Writer) Gathered() int { return len(l.buf) }

// Full reports whether enough is gathered to be taken.
func (l *Writer) Full() bool { return len(l.buf) >= lineBuffer }

// Swap returns what is gathered, and gathers in an empty buffer from now on.
func (l *Writer) Swap(empty []byte) (text []byte) {
	text, l.buf = l.buf, empty
	return text
}

// Drop drops what is gathered.
func (l *Writer) Drop() { l.buf = l.buf[:0] }

// Thread writes the line above the tree of a thread, with its name if the
// trace has several. Since version 27 the reference prints none for a thread
// without points.
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
	if l.version >= format.V27 {
		l.pending = append(append(l.pending[:0], l.buf[at:]...), '\n')
		l.buf = l.buf[:at]
		return
	}
	l.end()
}

// Point writes the line of a point. inside, the event of the container around
// it, -1 for none, and took are told in JSON alone.
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
// loaded; nothing for none.
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

func (l *Writer) indent(depth int) {
	l.headed()
	n := 2 * depth
	for ; n > len(spaces); n -= len(spaces) {
		l.buf = append(l.buf, spaces...)
	}
	l.buf = append(l.buf, spaces[:n]...)
}

// headed writes the line of a thread that is pending.
func (l *Writer) headed() {
	if len(l.pending) > 0 {
		l.buf = append(l.buf, l.pending...)
		l.pending = l.pending[:0]
	}
}

func (l *Writer) end() {
	l.buf = append(l.buf, '\n')
	if len(l.buf) >= lineBuffer && l.w != nil {
		l.Flush()
	}
}

// Text writes lines of points that another lineWriter made.
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

// Flush writes what is gathered and returns the first failure.
func (l *Writer) Flush() error {
	if l.err == nil && len(l.buf) > 0 {
		_, l.err = l.w.Write(l.buf)
	}
	l.buf = l.buf[:0]
	return l.err
}
