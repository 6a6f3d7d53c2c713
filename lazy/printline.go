package lazy

import (
	"io"
	"strconv"

	"tracex/format"
)

// lineWriter writes the lines of a printed tree. The first failure of w sticks
// in err; nothing is written after it.
type lineWriter struct {
	w       io.Writer // nil: who has the lineWriter takes buf
	ctx     *format.Context
	version format.Version // of the trace
	options PrintOptions
	buf     []byte // lines not yet written
	text    []byte // scratch, of a line that is escaped
	pending []byte // the line of a thread that is written with its first point
	base    int    // how deep in the trace the points of depth 0 are
	json    *format.JSON
	within  int32 // the thread whose points are JSON now: a point may name another
	err     error
}

// lineBuffer is how many bytes are gathered before they are written.
const lineBuffer = 64 << 10

func newLineWriter(w io.Writer, ctx *format.Context, v format.Version, o PrintOptions) *lineWriter {
	l := &lineWriter{w: w, ctx: ctx, version: v, options: o, buf: make([]byte, 0, lineBuffer+4<<10)}
	if o.JSON {
		l.json = ctx.JSON()
	}
	return l
}

// thread writes the line above the tree of a thread, with its name if the
// trace has several. Since version 27 the reference prints none for a thread
// without points.
func (l *lineWriter) thread(id int32, name string, several bool, took Time) {
	if l.options.JSON {
		l.jsonThread(id, name, took)
		return
	}
	at := len(l.buf)
	l.buf = append(l.buf, "# Thread "...)
	l.buf = strconv.AppendInt(l.buf, int64(id)+1, 10)
	if several {
		l.buf = append(l.buf, " ("...)
		if l.options.Escape {
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

// point writes the line of a point. inside, the event of the container around
// it, -1 for none, and took are told in JSON alone.
func (l *lineWriter) point(p *format.Point, f *format.Footer, parent format.Parent, inside int64, depth int, took Time) {
	if l.options.JSON {
		l.jsonPoint(p, f, parent, inside, depth, took)
		return
	}
	l.indent(depth)
	if l.options.Escape {
		l.text = l.ctx.AppendText(l.text[:0], p, f, parent, l.options.Verbose)
		l.buf = format.AppendEscaped(l.buf, l.text)
	} else {
		l.buf = l.ctx.AppendText(l.buf, p, f, parent, l.options.Verbose)
	}
	l.end()
	if l.options.Values {
		l.values(p, f, depth)
	}
}

// unloaded writes the line that stands for a run of n children that are not
// loaded; nothing for none.
func (l *lineWriter) unloaded(n, depth int) {
	if n == 0 {
		return
	}
	if l.options.JSON {
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

func (l *lineWriter) indent(depth int) {
	l.headed()
	n := 2 * depth
	for ; n > len(spaces); n -= len(spaces) {
		l.buf = append(l.buf, spaces...)
	}
	l.buf = append(l.buf, spaces[:n]...)
}

// headed writes the line of a thread that is pending.
func (l *lineWriter) headed() {
	if len(l.pending) > 0 {
		l.buf = append(l.buf, l.pending...)
		l.pending = l.pending[:0]
	}
}

func (l *lineWriter) end() {
	l.buf = append(l.buf, '\n')
	if len(l.buf) >= lineBuffer && l.w != nil {
		l.flush()
	}
}

// lines writes lines of points that another lineWriter made.
func (l *lineWriter) lines(text []byte) {
	l.headed()
	if len(l.buf)+len(text) < lineBuffer {
		l.buf = append(l.buf, text...)
		return
	}
	l.flush()
	if l.err == nil {
		_, l.err = l.w.Write(text)
	}
}

// flush writes what is gathered and returns the first failure.
func (l *lineWriter) flush() error {
	if l.err == nil && len(l.buf) > 0 {
		_, l.err = l.w.Write(l.buf)
	}
	l.buf = l.buf[:0]
	return l.err
}
