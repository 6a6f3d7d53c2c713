package lazy

import (
	"tracex/format"
	"tracex/lazy/internal/lines"
)

// PrintRange limits what is printed of a trace. Events are identified by their
// numbers, as in [format.Point.Event].
type PrintRange struct {
	Thread *int32 // nil for all threads
	From   int32  // skip trace points with smaller events, in each thread
	Count  int64  // maximum number of trace points to print; 0 for all
}

// printer is the state of a running Print or PrintEvent.
type printer struct {
	r       *walkReader
	version format.Version // of the trace
	lines   *lines.Writer
	from    int32 // the first event
	left    int64 // trace points to print, when limited
	limited bool
	several bool   // several threads of the trace have points
	pending func() // writes the heading of the thread, before its first point; nil if written
	begun   bool   // a heading has been written
	at      *int32 // the thread; nil if none yet
	done    int64  // trace points of that thread that have been visited
	levels  int    // to print; 0 for all
	counts  bool   // tell how many children the last level has
	top     int    // depth in the trace of what is printed without indentation
}

// enough reports whether the requested number of points has been printed.
func (p *printer) enough() bool { return p.limited && p.left == 0 }

// enter begins a thread.
func (p *printer) enter(thread int32) {
	p.at, p.done = &thread, 0
	p.pending = p.heading(thread, p.several)
	if p.from == 0 {
		p.begin()
	}
}

// begin writes the heading that is pending.
func (p *printer) begin() {
	if p.pending != nil {
		p.pending()
		p.pending, p.begun = nil, true
	}
}

// heading returns a function that writes the heading of a thread. It may be called with
// the context locked.
func (p *printer) heading(thread int32, several bool) func() {
	took := noTime
	if p.lines.Options().JSON {
		took = p.r.threadTime(thread)
	}
	name := ""
	p.r.withContext(func(c *format.Context) {
		if t := c.Thread(thread); t != nil {
			name = t.Name
		}
	})
	return func() { p.lines.Thread(thread, name, several, took) }
}

// take writes the text of points, unless it has too much indentation.
func (p *printer) take(c *textChunk) error {
	if !p.lines.Indents(c.indented) {
		return errIndent
	}
	if p.limited { // there is one visitor; otherwise others read it
		p.left = c.left
	}
	from := 0
	for _, run := range c.runs {
		if p.at == nil || *p.at != run.thread {
			p.enter(run.thread)
		}
		if text := c.text[from:run.end]; len(text) > 0 {
			p.begin()
			p.lines.Text(text)
		}
		p.done += run.points
		from = run.end
	}
	return p.lines.Err()
}

// textChunk is the text of points, in runs of the same thread.
type textChunk struct {
	text     []byte
	runs     []textRun
	indented int64 // bytes of indentation in the text
	left     int64 // trace points to print after it, when limited
}

// textRun is the text of consecutively visited points of a thread.
type textRun struct {
	thread int32
	end    int   // offset in the text of the chunk
	points int64 // number visited, with or without text
}
