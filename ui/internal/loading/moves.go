package loading

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/outline"
)

// Pursue continues the move of an outline as far as the loaded nodes and the time allow.
func (l *Loader) Pursue(o *outline.Outline) tea.Cmd {
	for last := (load{}); o.Goal != nil; {
		gap, end, wait := o.Goal(o)
		if !wait {
			o.Goal = nil
			o.Packed = true
			return nil
		}
		next := load{gap, end}
		if l.Err(gap) != nil || next == last {
			o.Goal = nil
			o.Jump(gap)
			return nil
		}
		cmd, done := l.start(o, next)
		if !done {
			return cmd
		}
		if last = next; l.env.Late() {
			return tea.Batch(cmd, func() tea.Msg { return more{} })
		}
	}
	return nil
}

// Visible requests the gaps on the screen. It loads those above the cursor from their ends, so
// that the rows next to the cursor arrive first.
func (l *Loader) Visible(o *outline.Outline) tea.Cmd {
	var cmds []tea.Cmd
	again := true
	for rounds := 0; again; rounds++ {
		above := true
		again = false
		for _, row := range o.Rows {
			if row == o.Cursor {
				above = false
			}
			if !row.Gap() || l.Err(row) != nil {
				continue
			}
			end := lazy.AtStart
			if above {
				end = lazy.AtEnd
			}
			cmd, done := l.start(o, load{row, end})
			cmds = append(cmds, cmd)
			again = again || done
		}
		if !again {
			break
		}
		before := slices.Clone(o.Rows)
		o.Settle()
		if l.env.Late() || rounds >= 16 {
			if !slices.Equal(before, o.Rows) {
				cmds = append(cmds, func() tea.Msg { return more{} })
			}
			break
		}
	}
	return tea.Batch(cmds...)
}

// Prefetch requests the gaps within a screen of the rows shown, unless loads are under way.
func (l *Loader) Prefetch(o *outline.Outline) tea.Cmd {
	if len(o.Rows) == 0 || l.Busy() {
		return nil
	}
	find := func(r lazy.Row, neighbor func(lazy.Row) (lazy.Row, bool), end lazy.End) tea.Cmd {
		for range o.Height {
			next, ok := neighbor(r)
			if !ok {
				return nil
			}
			if r = next; r.Gap() {
				break
			}
		}
		what := load{r, end}
		if !r.Gap() || l.Err(r) != nil || l.underWay[what] {
			return nil
		}
		l.underWay[what] = true
		return l.work(o.Tree, what)
	}
	return tea.Batch(
		find(o.Rows[len(o.Rows)-1], o.Tree.Next, lazy.AtStart),
		find(o.Rows[0], o.Tree.Prev, lazy.AtEnd))
}
