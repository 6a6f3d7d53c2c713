package walk

import (
	"tracex/format"
	"tracex/lazy/internal/lines"
	"tracex/lazy/internal/trace"
)

// PrintRange limits what is printed of a trace. Events are identified by their
// numbers, as in [format.Point.Event].
type PrintRange struct {
	Thread *int32 // nil for all threads
	From   int32  // skip trace points with smaller events, in each thread
	Count  int64  // maximum number of trace points to print; 0 for all
}

// Printer is the state of a running Print or PrintEvent.
type Printer struct {
	r       *Reader
	version format.Version // of the trace
	Lines   *lines.Writer
	from    int32 // the first event
	Left    int64 // trace points to print, when limited
	Limited bool
	several bool   // several threads of the trace have points
	pending func() // writes the heading of the thread, before its first point; nil if written
	begun   bool   // a heading has been written
	At      *int32 // the thread; nil if none yet
	done    int64  // trace points of that thread that have been visited
	Levels  int    // to print; 0 for all
	Counts  bool   // tell how many children the last level has
	Top     int    // depth in the trace of what is printed without indentation
}

// enough reports whether the requested number of points has been printed.
func (p *Printer) enough() bool { return p.Limited && p.Left == 0 }

// enter begins a thread.
func (p *Printer) enter(thread int32) {
	p.At, p.done = &thread, 0
	p.pending = p.Heading(thread, p.several)
	if p.from == 0 {
		p.begin()
	}
}

// begin writes the heading that is pending.
func (p *Printer) begin() {
	if p.pending != nil {
		p.pending()
		p.pending, p.begun = nil, true
	}
}

// Heading returns a function that writes the heading of a thread. It may be called with
// the context locked.
func (p *Printer) Heading(thread int32, several bool) func() {
	took := trace.NoTime
	if p.Lines.Options().JSON {
		took = p.r.TimeOfThread(thread)
	}
	name := ""
	p.r.WithContext(func(c *format.Context) {
		if t := c.Thread(thread); t != nil {
			name = t.Name
		}
	})
	return func() { p.Lines.Thread(thread, name, several, took) }
}

// take writes the text of points, unless it has too much indentation.
func (p *Printer) take(c *TextChunk) error {
	if !p.Lines.Indents(c.indented) {
		return errIndent
	}
	if p.Limited { // there is one visitor; otherwise others read it
		p.Left = c.left
	}
	from := 0
	for _, run := range c.Runs {
		if p.At == nil || *p.At != run.thread {
			p.enter(run.thread)
		}
		if text := c.Text[from:run.End]; len(text) > 0 {
			p.begin()
			p.Lines.Text(text)
		}
		p.done += run.Points
		from = run.End
	}
	return p.Lines.Err()
}

// TextChunk is the text of points, in runs of the same thread.
type TextChunk struct {
	Text     []byte
	Runs     []TextRun
	indented int64 // bytes of indentation in the text
	left     int64 // trace points to print after it, when limited
}

// TextRun is the text of consecutively visited points of a thread.
type TextRun struct {
	thread int32
	End    int   // offset in the text of the chunk
	Points int64 // number visited, with or without text
}
