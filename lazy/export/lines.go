package export

import (
	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/lines"
)

// linesFormat is what print --json prints, of any part of a trace: see docs/json.md.
var linesFormat = Format{
	Name: "jsonl", Suffix: ".jsonl", What: "JSON lines, as print --json has them",
	Text: true,
	make: func(j *Job, out *output) target {
		j.Reads = true
		return newStream(j, out, &jsonLines{j: j})
	},
}

type jsonLines struct{ j *Job }

func (f *jsonLines) writer(c *format.Context) *lines.Writer {
	return lines.New(nil, c, f.j.Version, lines.Options{JSON: true, Folded: !f.j.Scope.Raw})
}

// alone returns what a writer without descriptors writes.
func (f *jsonLines) alone(dst []byte, write func(*lines.Writer)) []byte {
	w := f.writer(format.NewContext(f.j.Version))
	write(w)
	return append(dst, w.Swap(nil)...)
}

func (f *jsonLines) head(dst []byte) []byte {
	return f.alone(dst, func(w *lines.Writer) { w.Head(f.j.Start, f.j.Timed) })
}

func (f *jsonLines) thread(dst []byte, thread int32) []byte {
	took, ok := f.j.R.ThreadTime(thread)
	if !ok {
		took = lazy.Time{Duration: format.NoDuration}
	}
	return f.alone(dst, func(w *lines.Writer) { w.Thread(thread, f.j.ThreadName(thread), true, took) })
}

func (f *jsonLines) threadEnd(dst []byte, _ int32, _ []Span, _ int64) []byte { return dst }
func (f *jsonLines) tail(dst []byte) []byte                                  { return dst }
func (f *jsonLines) merge(dst []byte, _ encoder) []byte                      { return dst }
func (f *jsonLines) encoder() encoder                                        { return &linesEncoder{f: f} }

// linesEncoder is an encoder. Its writer gathers the line of one point at a time.
type linesEncoder struct {
	f      *jsonLines
	c      *format.Context // of the writer
	w      *lines.Writer
	thread int32
	bare   withoutValues
}

func (e *linesEncoder) begin(thread int32) { e.thread = thread }

func (e *linesEncoder) enter(dst []byte, p *lazy.PassPoint, _ Span) []byte { return e.line(dst, p) }

func (e *linesEncoder) leaf(dst []byte, p *lazy.PassPoint, _ int64) []byte { return e.line(dst, p) }

func (e *linesEncoder) exit(dst []byte, _ *lazy.PassPoint, _ Span) []byte { return dst }

func (e *linesEncoder) line(dst []byte, p *lazy.PassPoint) []byte {
	point, err := p.Point()
	if err != nil {
		return dst // the pass gets the error too
	}
	footer, err := p.Footer()
	if err != nil {
		return dst
	}
	if c := p.Context(); e.w == nil || e.c != c {
		e.c, e.w = c, e.f.writer(c)
	}
	if !e.f.j.ValuesShown() {
		point, footer = e.bare.point(point), e.bare.footer(footer)
	}
	inside := int64(-1)
	if f, ok := p.Inside(); ok {
		inside = int64(f.Event)
	}
	took, ok := p.Time()
	if !ok {
		took = lazy.Time{Duration: format.NoDuration}
	}
	e.w.SetThread(e.thread)
	e.w.Append(dst)
	e.w.Point(point, footer, p.Parent(), inside, p.Depth, took)
	return e.w.Swap(nil)
}
