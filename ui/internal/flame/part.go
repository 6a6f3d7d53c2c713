// Package flame shows what a thread did over its time, or over its events: a strip of one line over
// the tree, and the flame in its place.
package flame

import (
	"context"
	"errors"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
)

// Part finds strips and flames in the background. Its methods run on one goroutine.
type Part struct {
	r   *lazy.LazyTraceReader
	env *env.Env

	// On tells that the strip is shown.
	On    bool
	strip finder
	shown *Screen // the flame that was opened last; nil if none was
}

// New returns a Part that shows nothing.
func New(r *lazy.LazyTraceReader, e *env.Env) *Part { return &Part{r: r, env: e} }

// want is what a finder looks for.
type want struct {
	thread         int32
	raw            bool
	from, to       int64 // all if to is 0
	columns, depth int
	generation     int // of what is known of the trace
}

// finder finds one flame at a time.
type finder struct {
	picture *query.FlamePicture // as last found; nil if none was
	of      want                // what it, or err, is about
	known   bool                // that was found, stopped, or failed
	err     error
	why     string // the same for the screen

	looks  want               // what is being looked for, while cancel is set
	cancel context.CancelFunc // nil if nothing runs
	part   *atomic.Pointer[lazy.Flame]
}

// settle looks for what is wanted. What runs for something else is stopped first: its message arrives
// before the next work begins.
func (f *finder) settle(p *Part, w want) tea.Cmd {
	for {
		now := w
		now.generation = f.looks.generation // a growing trace is looked at again afterwards
		switch {
		case f.cancel != nil && f.looks != now:
			f.cancel()
			return nil
		case f.cancel != nil:
			if part := f.part.Load(); part != nil {
				f.picture = query.NewFlamePicture(p.r, *part, p.env.Glyphs)
			}
			return nil
		case f.known && f.of == w:
			return nil
		}
		ctx, cancel := context.WithCancel(p.env.Life)
		f.looks, f.cancel, f.part = w, cancel, new(atomic.Pointer[lazy.Flame])
		r, part := p.r, f.part
		msg, cmd := p.env.Soon(func() tea.Msg {
			found, err := lazy.FlameOf(ctx, r, lazy.FlameOptions{
				Thread: w.thread, Raw: w.raw, From: w.from, To: w.to, Columns: w.columns, Depth: w.depth,
				Tell: func(f lazy.Flame) { part.Store(&f) },
			})
			return Msg{f, w, found, err}
		})
		if msg == nil {
			return cmd
		}
		p.Update(msg.(Msg))
	}
}

// stop stops what runs, and keeps what is known; it reports whether anything did.
func (f *finder) stop() bool {
	if f.cancel == nil {
		return false
	}
	f.cancel()
	f.of, f.known = f.looks, true
	return true
}

// Msg is the end of a Part's work, for Update.
type Msg struct {
	by    *finder
	of    want
	found lazy.Flame
	err   error
}

// Update handles the end of the work.
func (p *Part) Update(m Msg) {
	f := m.by
	f.cancel()
	f.cancel = nil
	switch {
	case errors.Is(m.err, context.Canceled):
		if part := f.part.Load(); part != nil && f.known && f.of == m.of {
			f.picture = query.NewFlamePicture(p.r, *part, p.env.Glyphs)
		}
		return
	case m.err != nil:
		f.picture, f.why = nil, p.why(m)
	default:
		f.picture = query.NewFlamePicture(p.r, m.found, p.env.Glyphs)
	}
	f.of, f.known, f.err = m.of, true, m.err
}

// why tells why there is no flame.
func (p *Part) why(m Msg) string {
	_, timed := p.r.Times()
	w, g := m.of, p.env.Glyphs
	of := query.NewFlamePicture(p.r, lazy.Flame{Thread: w.thread, Timed: timed, Begin: w.from, From: w.from, End: w.to, To: w.to}, g)
	switch {
	case errors.Is(m.err, lazy.ErrNoTimes):
		return of.Subject() + ": nothing in it has a time"
	case !errors.Is(m.err, lazy.ErrEmptyFlame):
		return of.Subject() + ": " + screen.ErrorLine(m.err)
	case w.to == 0:
		return of.Subject() + ": nothing is there"
	}
	return of.Title() + ": nothing is there; 0 shows all of the thread"
}

// PlaceAt returns the place in the thread of a column of the strip; ok is false if none is known.
func (p *Part) PlaceAt(x int) (at lazy.Position, ok bool) {
	pic := p.strip.picture
	if pic == nil || x < 0 || x+1 >= len(pic.Edges) || p.strip.err != nil {
		return at, false
	}
	return lazy.Position{Thread: pic.Thread, At: pic.Edges[x]}, true
}

// Busy reports whether something runs.
func (p *Part) Busy() bool {
	return p.strip.cancel != nil || p.shown != nil && p.shown.find.cancel != nil
}

// Stop stops what runs for the strip, and reports whether anything did.
func (p *Part) Stop() bool { return p.strip.stop() }

// Facts are what the strip and the flame need to know about the tree.
type Facts struct {
	Thread     int32
	At         int64 // logical offset of the cursor in the thread
	Raw        bool
	Generation int
	Path       []int32 // the events that the cursor is in, the innermost first
	Edited     bool    // steps are in force that the flame does not show
	From, To   int64   // the range in force, on the axis; To is 0 if there is none
	// Match and Note report whether a thread has a match, or a note, in a range of offsets. They may be nil.
	Match, Note func(thread int32, from, to int64) bool
}

// Settle looks for what is shown: the strip, and the flame, if it is open, as many lines as height.
func (p *Part) Settle(f Facts, open bool, height int) tea.Cmd {
	var cmds []tea.Cmd
	if p.On && !open {
		cmds = append(cmds, p.strip.settle(p, want{thread: f.Thread, raw: f.Raw, columns: p.env.Width, depth: 1, generation: f.Generation}))
	} else if p.strip.cancel != nil {
		p.strip.cancel()
	}
	s := p.shown
	switch {
	case s == nil:
	case !open:
		if s.find.cancel != nil {
			s.find.cancel()
		}
	default:
		s.facts = f
		cmds = append(cmds, s.settle(p.env.Width, height))
	}
	return tea.Batch(cmds...)
}

// Strip draws the strip in width cells.
func (p *Part) Strip(f Facts, width int) string {
	l := screen.NewLine(width, p.env.Glyphs)
	pic := p.strip.picture
	switch {
	case errors.Is(p.strip.err, lazy.ErrNoTimes) && p.strip.known:
		return l.Put(" nothing in this thread has a time", screen.Faint).End()
	case p.strip.err != nil && p.strip.known:
		return l.Put(" "+screen.ErrorLine(p.strip.err), screen.Faint).End()
	case pic == nil || pic.Thread != f.Thread:
		return l.Put(" "+p.env.Spinner()+" strip of the thread", screen.Faint).End()
	}
	drawStrip(l, pic, f, pic.Column(f.At))
	return l.End()
}

// drawStrip draws the bars of a picture, with what is marked there. The cursor is in a column; -1 for none.
func drawStrip(l *screen.Line, pic *query.FlamePicture, f Facts, cursor int) {
	ascii := pic.G.ASCII
	sign := func(unicode, plain string) string {
		if ascii {
			return plain
		}
		return unicode
	}
	for k, bar := range []rune(pic.Strip()) {
		style, text := screen.Faint, string(bar)
		if f.To > 0 && pic.Shows(k, f.From, f.To) {
			style = screen.Accent
		}
		has := func(of func(int32, int64, int64) bool) bool {
			return of != nil && k+1 < len(pic.Edges) && of(pic.Thread, pic.Edges[k], pic.Edges[k+1])
		}
		switch {
		case k == cursor:
			style, text = screen.Bold, sign("┃", "|")
		case has(f.Note):
			style, text = screen.Accent, sign("✎", "n")
		case has(f.Match):
			style, text = screen.Alarm, sign("╹", "'")
		}
		l.Put(text, style)
	}
}
