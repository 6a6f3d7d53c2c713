package tree

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/theme"
)

// Pair tells where a row of a diff is in its two traces, A and B, in this order.
type Pair struct {
	At   [2]lazy.Position // of its header; At is -1 if it is not in that trace
	Took [2]int64         // nanoseconds; -1 if not known
}

// PairSource has the pairs of a diff by the numbers of its events. It may read a file.
type PairSource interface {
	Of(event int32) (Pair, error)
}

// Pairs are the pairs of the rows on the screen, read in the background.
type Pairs struct {
	env   *env.Env
	tree  *Tree
	from  PairSource
	timed bool // both traces have times
	known map[int32]Pair
	task  env.Task
}

// mostPairs bounds how many are kept.
const mostPairs = 10_000

func NewPairs(e *env.Env, t *Tree, from PairSource, timed bool) *Pairs {
	p := &Pairs{env: e, tree: t, from: from, timed: timed, known: make(map[int32]Pair)}
	t.pairs = p
	return p
}

// Of returns the pair of a row, if it is known. It may be called on nil, which knows none.
func (p *Pairs) Of(n *lazy.Node) (pair Pair, ok bool) {
	if p == nil || n == nil || n.Point() == nil {
		return pair, false
	}
	pair, ok = p.known[n.Point().Event]
	return pair, ok
}

// Settle reads the pairs of the rows on the screen that are not known.
func (p *Pairs) Settle() tea.Cmd {
	if p == nil || p.task.Running() {
		return nil
	}
	var wanted []int32
	for _, r := range p.tree.Out.Rows {
		if r.Node == nil || r.Node.Point() == nil {
			continue
		}
		event := r.Node.Point().Event
		if _, known := p.known[event]; !known {
			wanted = append(wanted, event)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	return p.task.Run(p.env, func(context.Context) func() tea.Cmd {
		found, err := make(map[int32]Pair), error(nil)
		for _, event := range wanted {
			pair, failed := p.from.Of(event)
			if failed != nil {
				pair, err = Pair{Took: [2]int64{-1, -1}, At: [2]lazy.Position{{At: -1}, {At: -1}}}, failed
			}
			found[event] = pair
		}
		return func() tea.Cmd {
			if len(p.known) > mostPairs {
				clear(p.known)
			}
			for event, pair := range found {
				p.known[event] = pair
			}
			return p.env.Fail("cannot tell where the rows are in A and B", err)
		}
	})
}

// pairColumns are the columns of a diff of two traces with times.
var pairColumns = []column{
	{title: "A", width: 11, from: 60, cell: func(v *View, l *lazy.Line, _ int) (string, theme.Role) { return v.tookIn(l, 0) }},
	{title: "B", width: 11, from: 60, cell: func(v *View, l *lazy.Line, _ int) (string, theme.Role) { return v.tookIn(l, 1) }},
	{title: "B - A", width: 12, from: 60, cell: moreCell},
	{title: "%", width: 8, from: 90, cell: moreShareCell},
}

// tookIn is how long a row took in A or in B.
func (v *View) tookIn(l *lazy.Line, side int) (string, theme.Role) {
	pair, ok := v.Pairs.Of(l.Node)
	switch {
	case !ok || pair.Took[0] < 0 && pair.Took[1] < 0 || l.Diff == format.DiffEditedOld: // the new row has them
		return "", theme.Plain
	case pair.Took[side] < 0:
		return v.Glyphs.None, theme.Faint
	}
	return v.Glyphs.Duration(pair.Took[side]), theme.Plain
}

// more returns how much longer a row took in B than in A, in nanoseconds; alike tells that this may be noise: of a single
// pair, less than a tenth.
func (v *View) more(l *lazy.Line) (ns, of int64, alike, ok bool) {
	pair, ok := v.Pairs.Of(l.Node)
	if a, b := pair.Took[0], pair.Took[1]; ok && (a >= 0 || b >= 0) && l.Diff != format.DiffEditedOld {
		ns = max(b, 0) - max(a, 0)
		return ns, a, a >= 0 && b >= 0 && query.Alike(a, b), true
	}
	return 0, 0, false, false
}

func moreCell(v *View, l *lazy.Line, _ int) (string, theme.Role) {
	switch ns, _, alike, ok := v.more(l); {
	case !ok:
		return "", theme.Plain
	case alike || ns == 0:
		return "~", theme.Faint
	case ns < 0:
		return "-" + v.Glyphs.Duration(-ns), theme.Plain
	default:
		return "+" + v.Glyphs.Duration(ns), theme.Bold
	}
}

// moreShareCell is the same as a share of A.
func moreShareCell(v *View, l *lazy.Line, _ int) (string, theme.Role) {
	ns, of, alike, ok := v.more(l)
	if !ok || alike || of <= 0 {
		return "", theme.Plain
	}
	return display.Change(float64(ns) / float64(of)), theme.Plain
}
