package sheet

import (
	"context"
	"errors"
	"iter"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
	"tracex/ui/internal/list"
	"tracex/ui/internal/screen"
)

// work is what a sheet does in the background: it sorts, groups, loads rows or filters.
type work struct {
	what   string // for the title: "sorting by calls"; "" if it is not told
	do     func(ctx context.Context) tea.Msg
	cancel context.CancelFunc
	done   func() // on success; may be nil
}

// start begins the next work, if none is under way: what a key asked for, then the rows on the
// screen, then a turn of the filter.
func (s *Sheet) start(life context.Context, from, to int) func() tea.Msg {
	if s.work != nil {
		return nil
	}
	switch {
	case s.next != nil:
		s.work, s.next = s.next, nil
	default:
		if s.work = s.loading(from, to); s.work == nil {
			s.work = s.filtering()
		}
	}
	w := s.work
	if w == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(life)
	w.cancel = cancel
	return func() tea.Msg { return w.do(ctx) }
}

// later sets the work that is to be done next, in place of the one under way.
func (s *Sheet) later(what string, do func(ctx context.Context) error, done func()) {
	s.giveUp()
	w := &work{what: what, done: done}
	w.do = func(ctx context.Context) tea.Msg { return ended{s, w, do(ctx)} }
	s.next = w
}

// giveUp cancels the work under way.
func (s *Sheet) giveUp() {
	if s.work != nil {
		s.work.cancel()
	}
	s.work, s.next, s.failed = nil, nil, ""
}

// loading returns the work of loading rows on the screen; nil if all are known, or have been
// requested since the last key.
func (s *Sheet) loading(from, to int) *work {
	l, ok := s.src.(Loader)
	if !ok {
		return nil
	}
	first, last := -1, -1
	for i := from; i < to; i++ {
		n := s.number(i)
		switch {
		case s.tried[n], s.t.Rows.Row(n) != nil:
		case first < 0:
			first, last = n, n
		case n == last+1:
			last = n
		}
	}
	if first < 0 {
		return nil
	}
	for n := first; n <= last; n++ {
		s.tried[n] = true
	}
	w, t := &work{}, s.t
	w.do = func(ctx context.Context) tea.Msg { return ended{s, w, l.Load(ctx, t, first, last+1)} }
	return w
}

// filtering returns a turn of the filter; nil if it has ended.
func (s *Sheet) filtering() *work {
	if s.filter == nil || s.filter.Ended {
		return nil
	}
	w, t, l, g := &work{}, s.t, s.loader(), s.g
	var ctx context.Context // of the turn
	var err error
	turn := s.filter.Turn(t.Rows.Len(), func(i int) int { return i }, func(numbers iter.Seq[int], yield func(int, []byte) bool) {
		err = errors.Join(err, texts(ctx, t, l, g, numbers, yield))
	})
	w.do = func(of context.Context) tea.Msg {
		ctx = of
		end := turn()
		return turned{s, w, end, err}
	}
	return w
}

func (s *Sheet) loader() Loader {
	l, _ := s.src.(Loader)
	return l
}

// texts gives yield the texts of rows. It loads those that are not known, and skips those that
// stay unknown.
func texts(ctx context.Context, t *table.Table, l Loader, g *display.Glyphs, numbers iter.Seq[int], yield func(int, []byte) bool) error {
	for i := range numbers {
		if l != nil && t.Rows.Row(i) == nil {
			if err := l.Load(ctx, t, i, min(i+256, t.Rows.Len())); err != nil {
				return err
			}
		}
		if !yield(i, []byte(t.RowText(i, g))) {
			return nil
		}
	}
	return nil
}

// Msg is the result of a sheet's work: see Part.Update.
type Msg interface{ end() }

// ended is the result of work.
type ended struct {
	s   *Sheet
	w   *work
	err error
}

func (e ended) end() {
	s := e.s
	if s.work != e.w {
		return // it was given up
	}
	e.w.cancel()
	s.work = nil
	switch {
	case e.err == nil && e.w.done != nil:
		e.w.done()
	case e.err != nil && !errors.Is(e.err, context.Canceled):
		s.failed = screen.ErrorLine(e.err)
	}
}

// turned is the result of a turn of the filter.
type turned struct {
	s    *Sheet
	w    *work
	turn list.Turned
	err  error
}

func (t turned) end() {
	s := t.s
	if s.work != t.w {
		return
	}
	t.w.cancel()
	s.work = nil
	if s.filter != t.turn.Of() {
		return // it has been replaced
	}
	t.turn.Apply()
	if t.err != nil {
		s.filter.Ended = true
		s.failed = screen.ErrorLine(t.err)
	}
}
