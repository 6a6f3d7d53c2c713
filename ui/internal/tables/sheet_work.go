package tables

import (
	"context"
	"errors"
	"iter"

	"tracex/lazy/query/pattern"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// work is what a sheet does in the background: it sorts, groups, loads rows or filters.
type work struct {
	what string // for the title: "sorting by calls"; "" if it is not told
	do   func(ctx context.Context) error
	done func(err error)
}

// toDo returns the next work, if none is under way: what a key asked for, then the rows on the screen, then a turn of
// the filter; nil if there is nothing to do.
func (s *Sheet) toDo(from, to int) (w *work) {
	if s.task.Running() {
		return nil
	}
	w, s.next = s.next, nil
	if w == nil {
		w = s.loading(from, to)
	}
	if w == nil {
		w = s.filtering()
	}
	return w
}

// later sets the work that is to be done next, in place of the one under way. Afterwards group is shown, and the cursor
// is on the first row.
func (s *Sheet) later(what string, group int, do func(ctx context.Context) error) {
	s.giveUp()
	s.next = &work{what: what, do: do, done: func(err error) {
		if err == nil {
			s.group = group
			s.Select(0)
		}
		s.fail(err)
	}}
}

func (s *Sheet) fail(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		s.failed = screen.ErrorLine(err)
	}
}

// doing tells what a key has asked for that is under way; "" if nothing is.
func (s *Sheet) doing() string {
	switch {
	case s.next != nil:
		return s.next.what
	case s.task.Running():
		return s.what
	}
	return ""
}

func (s *Sheet) giveUp() {
	s.task.Stop()
	s.next, s.failed = nil, ""
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
	t := s.t
	return &work{do: func(ctx context.Context) error { return l.Load(ctx, t, first, last+1) }, done: s.fail}
}

// loadedRows is how many rows are made known at once.
const loadedRows = 256

// filtering returns a turn of the filter; nil if it has ended. It loads rows that are not known, and skips those that
// stay unknown.
func (s *Sheet) filtering() *work {
	if s.filter == nil || s.filter.Ended {
		return nil
	}
	t, g := s.t, s.env.Glyphs.Glyphs
	l, _ := s.src.(Loader)
	var ctx context.Context // of the turn
	var err error
	turn := s.filter.Turn(t.Rows.Len(), func(i int) int { return i }, func(numbers iter.Seq[int], yield func(int, func(*pattern.Pattern) bool) bool) {
		for i := range numbers {
			if l != nil && t.Rows.Row(i) == nil {
				if err = l.Load(ctx, t, i, min(i+loadedRows, t.Rows.Len())); err != nil {
					return
				}
			}
			text := []byte(t.RowText(i, g))
			if !yield(i, func(p *pattern.Pattern) bool { return p.Match(text) }) {
				return
			}
		}
	})
	var end prompt.Turned
	return &work{do: func(of context.Context) error {
		ctx = of
		end = turn()
		return err
	}, done: func(err error) {
		if s.filter != end.Of() {
			return // it has been replaced
		}
		end.Apply()
		s.filter.Ended = s.filter.Ended || err != nil
		s.fail(err)
	}}
}
