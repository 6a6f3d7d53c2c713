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

// want is what a finder looks for.
type want struct {
	thread         int32
	raw            bool
	from, to       int64 // all if to is 0
	columns, depth int
	generation     int // of what is known of the trace
}

// finder finds one flame at a time, in the background.
type finder struct {
	picture *query.FlamePicture // as last found; nil if none was
	of      want                // what it, or err, is about
	known   bool                // that was found, stopped, or failed
	err     error
	why     string // the same for the screen

	task  env.Task
	looks want // what the task looks for
	part  *atomic.Pointer[lazy.Flame]
}

// settle looks for what is wanted, in the view of the tree, and stops what runs for something else.
func (f *finder) settle(p *Flame, w want) tea.Cmd {
	w.raw, w.generation = !p.tree.Out.Tree.Folded(), p.env.Trace.Known.Generation
	now := w
	now.generation = f.looks.generation // a growing trace is looked at again afterwards
	if f.task.Running() && f.looks == now {
		f.showPart(p)
		return nil
	}
	if f.task.Stop(); f.known && f.of == w {
		return nil
	}
	r, part := p.env.Trace.Reader, new(atomic.Pointer[lazy.Flame])
	f.looks, f.part = w, part
	return f.task.Run(p.env, func(ctx context.Context) func() tea.Cmd {
		found, err := lazy.FlameOf(ctx, r, lazy.FlameOptions{
			Thread: w.thread, Raw: w.raw, From: w.from, To: w.to, Columns: w.columns, Depth: w.depth,
			Tell: func(f lazy.Flame) { part.Store(&f) },
		})
		return env.Done(func() {
			f.of, f.known, f.err = w, true, err
			if err != nil {
				f.picture, f.why = nil, p.why(w, err)
			} else {
				f.show(p, found)
			}
		})
	})
}

func (f *finder) show(p *Flame, found lazy.Flame) {
	f.picture = query.NewFlamePicture(p.env.Trace.Reader, found, p.env.Glyphs.Glyphs)
	for _, pkg := range f.picture.Groups { // in their order in the trace: the same at the next opening
		p.hue(pkg)
	}
}

// showPart shows what has been found so far.
func (f *finder) showPart(p *Flame) {
	if part := f.part.Load(); part != nil {
		f.show(p, *part)
	}
}

// stop stops what runs, and keeps what is known; it reports whether anything did.
func (f *finder) stop(p *Flame) bool {
	if !f.task.Stop() {
		return false
	}
	f.of, f.known = f.looks, true
	f.showPart(p)
	return true
}

// why tells why there is no flame.
func (p *Flame) why(w want, err error) string {
	r := p.env.Trace.Reader
	_, timed := r.Times()
	of := query.NewFlamePicture(r, lazy.Flame{Thread: w.thread, Timed: timed, Begin: w.from, From: w.from, End: w.to, To: w.to}, p.env.Glyphs.Glyphs)
	switch {
	case errors.Is(err, lazy.ErrNoTimes):
		return of.Subject() + ": nothing in it has a time"
	case !errors.Is(err, lazy.ErrEmptyFlame):
		return of.Subject() + ": " + screen.ErrorLine(err)
	case w.to == 0:
		return of.Subject() + ": nothing is there"
	}
	return of.Title() + ": nothing is there; 0 shows all of the thread"
}
