package notes

import (
	"context"
	"fmt"
	"slices"

	"tracex/lazy"
)

// Quoted is the row of the trace that an item is about.
type Quoted struct {
	Text string
	Path []string // names of the nodes around it, outermost first, without the thread
	Cut  bool     // the path has more nodes at its beginning
	// Folded means that the folded view does not show the row: Text is as it was recorded.
	Folded bool
}

// maxPath bounds the names of a path.
const maxPath = 12

// Quoter reads the rows that items are about, through trees of its own. It keeps nothing loaded.
type Quoter struct{ folded, raw *lazy.Tree }

// NewQuoter returns a Quoter for a trace.
func NewQuoter(r *lazy.LazyTraceReader) *Quoter { return &Quoter{r.Tree(true), r.Tree(false)} }

// Quote reads the row of an item. It fails if something else is at the item's position.
func (q *Quoter) Quote(ctx context.Context, it *Item) (Quoted, error) {
	t := q.folded
	n, err := t.Reveal(ctx, it.At)
	if err != nil {
		return Quoted{}, err
	}
	defer forget(t, it.At.Thread)
	folded := it.At.At >= 0 && n.ShowsEvent(it.Event, it.At) != nil
	if folded {
		t = q.raw
		if n, err = t.Reveal(ctx, it.At); err != nil {
			return Quoted{}, err
		}
		defer forget(t, it.At.Thread)
		if n.ShowsEvent(it.Event, it.At) != nil {
			return Quoted{}, fmt.Errorf("%s is not at %s", it.Handle(), lazy.PositionHandle(it.At))
		}
	}
	quoted := Quoted{Text: string(t.AppendText(nil, n, false)), Folded: folded}
	for up := n.Parent(); up != nil && !up.IsThread(); up = up.Parent() {
		if len(quoted.Path) == maxPath {
			quoted.Cut = true
			break
		}
		quoted.Path = append(quoted.Path, string(t.AppendName(nil, up)))
	}
	slices.Reverse(quoted.Path)
	return quoted, nil
}

// forget unloads a thread of a tree.
func forget(t *lazy.Tree, thread int32) {
	if n, _ := t.Thread(thread); n != nil {
		t.Forget(n)
	}
}
