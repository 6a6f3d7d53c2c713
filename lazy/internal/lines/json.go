package lines

import (
	"strconv"
	"time"

	"tracex/format"
	"tracex/lazy/internal/times"
)

// JSONVersion is the version of the JSON lines. Adding a member does not change it;
// removing one or changing its meaning does.
const JSONVersion = 1

// Head writes the first line of JSON output, which identifies the format.
func (l *Writer) Head(begun time.Time, timed bool) {
	if !l.o.JSON {
		return
	}
	l.buf = append(l.buf, `{"kind":"trace","schema":"tracex.print","version":`...)
	l.buf = strconv.AppendInt(l.buf, JSONVersion, 10)
	l.buf = strconv.AppendBool(append(l.buf, `,"folded":`...), l.o.Folded)
	if timed {
		l.buf = begun.UTC().AppendFormat(append(l.buf, `,"begun":"`...), time.RFC3339Nano)
		l.buf = append(l.buf, '"')
	}
	l.object()
}

func (l *Writer) jsonThread(id int32, name string, took times.Time) {
	l.within = id
	l.buf = append(l.buf, `{"kind":"thread"`...)
	l.member("thread", int64(id)+1)
	if name != "" {
		l.buf = format.AppendJSONString(append(l.buf, `,"name":`...), name)
	}
	l.span(took)
	l.object()
}

func (l *Writer) jsonPoint(p *format.Point, f *format.Footer, parent format.Parent, inside int64, depth int, took times.Time) {
	l.buf = append(append(append(l.buf, `{"kind":"`...), p.Class.String()...), '"')
	l.member("event", int64(p.Event))
	l.buf = strconv.AppendInt(append(l.buf, `,"handle":"#`...), int64(p.Event), 10)
	l.buf = append(l.buf, '"')
	if inside >= 0 {
		l.member("parent", inside)
	}
	l.member("thread", int64(l.within)+1)
	l.member("depth", int64(l.base+depth))
	l.span(took)
	l.text = l.ctx.AppendText(l.text[:0], p, f, parent, false)
	l.buf = format.AppendJSONString(append(l.buf, `,"text":`...), l.text)
	l.buf = l.json.AppendPoint(l.buf, p, f)
	l.object()
}

func (l *Writer) jsonUnloaded(n, depth int) {
	l.buf = append(l.buf, `{"kind":"unloaded"`...)
	l.member("thread", int64(l.within)+1)
	l.member("depth", int64(l.base+depth))
	l.member("unloaded", int64(n))
	l.object()
}

// span appends start and duration, in nanoseconds.
func (l *Writer) span(t times.Time) {
	if t != times.None {
		l.member("start", t.Start)
		l.member("duration", t.Duration)
	}
}

func (l *Writer) member(name string, n int64) {
	l.buf = append(append(append(l.buf, `,"`...), name...), `":`...)
	l.buf = strconv.AppendInt(l.buf, n, 10)
}

// object completes the line of an object.
func (l *Writer) object() {
	l.buf = append(l.buf, '}')
	l.end()
}
