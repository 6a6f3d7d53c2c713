package counting

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
)

// Left counts what the rows of a tree that shows only some places stand for, and how many children of
// the others are shown, one turn at a time.
// The zero value has counted nothing.
type Left struct {
	busy   bool
	failed map[lazy.Row]bool // rows whose counting failed
}

// Begin returns a turn of counting for the rows on the screen that need it, or nil if none does or a
// turn is under way. The caller passes its message to Update.
func (l *Left) Begin(f Facts) (work func() tea.Msg) {
	if l.busy {
		return nil
	}
	var rows []lazy.Row
	part := lazy.ShownIn(f.Tree).Part()
	for _, r := range f.Rows {
		if part && (r.Node != nil || r.Left != 0 && r.Parent != nil) && !l.failed[r] {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	unknown := rows[:0]
	for _, line := range f.Tree.Lines(rows, false) {
		if line.Node == nil && !line.LeftKnown || line.ShownMore {
			unknown = append(unknown, line.Row)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(f.Life, childrenFor)
	l.busy = true
	return func() tea.Msg {
		defer cancel()
		for _, r := range unknown {
			count := lazy.ShownIn(f.Tree).Count
			if r.Node != nil {
				count = func(ctx context.Context, r lazy.Row) error { return lazy.ShownIn(f.Tree).CountIn(ctx, r.Node) }
			}
			if err := count(ctx, r); err != nil {
				return LeftCounted{r, err}
			}
		}
		return LeftCounted{}
	}
}

// LeftCounted is the result of a turn.
type LeftCounted struct {
	row lazy.Row // at which it ended early
	err error
}

func (m LeftCounted) apply(p *Part) { p.Left.Update(m) }

// maxFailed bounds the rows that are remembered.
const maxFailed = 1000

// Update handles the result of a turn.
func (l *Left) Update(end LeftCounted) {
	l.busy = false
	if end.err == nil || errors.Is(end.err, context.DeadlineExceeded) {
		return
	}
	if l.failed == nil || len(l.failed) >= maxFailed {
		l.failed = make(map[lazy.Row]bool)
	}
	l.failed[end.row] = true
}
