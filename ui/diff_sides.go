package ui

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// OtherTrace is a trace that is compared with one that is open. Close closes what Open returned.
type OtherTrace interface {
	Trace
	Close() error
}

// otherSide is a trace that was opened to be compared.
type otherSide struct {
	trace   OtherTrace
	reader  *lazy.LazyTraceReader
	options Options
	model   *Model // that shows it; nil if none does
	kept    *kept
	work    sync.WaitGroup // that reads it
}

// diffSide is A or B of a comparison.
type diffSide struct {
	name   string
	path   string // of the file, as the user knows it
	reader *lazy.LazyTraceReader
	model  *Model     // that shows it; nil if none does
	other  *otherSide // nil if it was open before
}

// compareWith compares the trace of a Model with that of a file: it opens that, unless it is open, and then a tab.
func (t *Tabs) compareWith(from *Model, file diffFile) tea.Cmd {
	c := comparison{sides: [2]diffSide{t.sideOf(from), {}}, identity: file.identity, noise: file.noise}
	path, open := file.path, false
	if c.sides[1], open = t.openSide(path); open {
		return t.compare(c)
	}
	other := from.compare.given.Other(path)
	from.env.Say("opening " + path)
	return from.compare.opening.Run(from.env, func(ctx context.Context) func() tea.Cmd {
		if !t.diffs.begin() {
			return nil
		}
		defer t.diffs.working.Done()
		side := &otherSide{trace: other, kept: t.diffs.keep(other.Close)}
		var err error
		if side.reader, side.options, err = t.open(ctx, other); err == nil {
			err = readable(ctx, side.reader)
		}
		if err != nil {
			t.diffs.release(side.kept) // the error of opening is the one to tell
		}
		return func() tea.Cmd {
			if err != nil {
				text := screen.ErrorLine(err)
				if base := filepath.Base(path); !strings.Contains(text, base) {
					text = base + ": " + text
				}
				return from.env.Warn(text)
			}
			t.diffs.others = append(t.diffs.others, side)
			c.sides[1] = diffSide{name: filepath.Base(path), path: path, reader: side.reader, other: side}
			return t.compare(c)
		}
	})
}

// readable waits until the beginning of a trace is known, and returns why it cannot be read.
func readable(ctx context.Context, r *lazy.LazyTraceReader) error {
	for {
		changed := r.Changed()
		st := r.Status()
		if st.Phase == lazy.PhaseFailed {
			return st.Problem
		}
		if st.Phase != lazy.PhaseOpening {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// sideOf returns the trace of a Model as a side of a comparison.
func (t *Tabs) sideOf(m *Model) diffSide {
	s := diffSide{name: m.env.Trace.Name(), path: m.env.Trace.File(), reader: m.env.Trace.Reader, model: m}
	if m.env.Trace.Named() {
		s.path = s.name
	}
	for _, o := range t.diffs.others {
		if o.model == m {
			s.other = o
		}
	}
	return s
}

// openSide returns the trace of a file if it is open, and not another one by now.
func (t *Tabs) openSide(path string) (s diffSide, open bool) {
	current := func(r *lazy.LazyTraceReader) bool {
		lazy.LookForAnother(r)
		return !r.Status().Replaced
	}
	for _, tab := range t.list {
		if tab.model != nil && tab.diff == nil && samePath(tab.trace.Path(), path) && current(tab.model.env.Trace.Reader) {
			s = t.sideOf(tab.model)
			s.name = tab.name
			return s, true
		}
	}
	for _, o := range t.diffs.others {
		if samePath(o.trace.Path(), path) && current(o.reader) {
			return diffSide{name: filepath.Base(path), path: path, reader: o.reader, other: o, model: o.model}, true
		}
	}
	return s, false
}

// open opens a trace until ctx ends. The trace lives longer than ctx, which ends with the task that opens it.
func (t *Tabs) open(ctx context.Context, other OtherTrace) (*lazy.LazyTraceReader, Options, error) {
	life, cancel := context.WithCancel(t.diffs.lifeIn(t.ctx))
	keep := context.AfterFunc(ctx, cancel)
	defer keep()
	return other.Open(life)
}

func samePath(a, b string) bool {
	x, err := filepath.Abs(a)
	y, other := filepath.Abs(b)
	return err == nil && other == nil && x == y
}

func (t *Tabs) showModel(m *Model) {
	for i := range t.list {
		if t.list[i].model == m {
			t.show(i)
		}
	}
}

// showSide shows A or B of a diff, each in its own tab, and goes to a place there.
func (t *Tabs) showSide(of *Model, side int, to func(in *Model) tea.Cmd) tea.Cmd {
	i := slices.IndexFunc(t.list, func(b *tab) bool { return b.model == of && b.diff != nil })
	if i < 0 {
		return nil
	}
	d := t.list[i].diff
	s := &d.sides[side]
	var begin tea.Cmd
	if s.model == nil {
		s.model = s.other.model // another diff may have opened it
	}
	if s.model == nil {
		t.list = append(t.list, &tab{trace: s.other.trace, name: s.name})
		i := len(t.list) - 1
		o := s.other.options
		o.Fresh, o.Other = true, d.sides[0].model.compare.given.Other
		begin = t.opened(i, opened{s.reader, o, nil})
		s.model, s.other.model = t.list[i].model, t.list[i].model
	}
	t.showModel(s.model)
	s.model.env.Keyboard.Touched, s.model.env.Keyboard.Used = true, true
	s.model.env.Front.CloseLists()
	cmd := to(s.model)
	_, more := s.model.Update(nil) // brings its screen up to date
	return tea.Batch(begin, t.own(t.list[t.shown], tea.Batch(cmd, more)))
}
