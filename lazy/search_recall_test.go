package lazy

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// pathTo returns the names of a node's ancestors, computed the simple way.
func pathTo(t *Tree, n *Node) []byte {
	var names []string
	for up := n.Parent(); up != nil; up = up.Parent() {
		names = append(names, string(t.AppendName(nil, up)))
	}
	slices.Reverse(names)
	if len(names) > 8 {
		names = append([]string{names[0], "…"}, names[len(names)-7:]...)
	}
	return []byte(strings.Join(names, " › "))
}

// TestRecall reads hits again, all or few of them, handed over at once or one
// by one: each has the same text as its node.
func TestRecall(t *testing.T) {
	eachFindable(t, func(t *testing.T, r *LazyTraceReader) {
		for _, folded := range []bool{false, true} {
			tree := r.Tree(folded)
			hits := found(t, r, Search{Folded: folded, Find: func([]byte) (int, int) { return 0, 0 }})
			for _, c := range []struct{ each, batch int }{{every(len(hits)), 1 << 30}, {7 * every(len(hits)), 1}, {97, 5}, {1 + len(hits)/3, 1}} {
				var some []Hit
				for i := c.each / 2; i < len(hits); i += c.each {
					some = append(some, hits[i])
				}
				var got []Hit
				more := some
				err := r.Recall(t.Context(), Search{Folded: folded, Verbose: true}, func() []Hit {
					batch := more[:min(c.batch, len(more))]
					more = more[len(batch):]
					return batch
				}, func(h *Recalled) error {
					n, err := tree.Reveal(t.Context(), h.Position)
					if err != nil {
						return err
					}
					want := tree.Named(n, true)
					if string(h.Text) != string(want.Text) || h.Named.At != want.At || h.Call != want.Call || h.Class != want.Class {
						t.Fatalf("at %+v: %+v, want %+v", h.Position, h.Named, want)
					}
					if path := pathTo(tree, n); string(h.Path) != string(path) {
						t.Fatalf("at %+v: in %q, want %q", h.Position, h.Path, path)
					}
					got = append(got, h.Hit)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, some) {
					t.Fatalf("every %d: %d of %d hits", c.each, len(got), len(some))
				}
			}
		}
	})
}

// TestRecallPassesOver: hits that no longer exist are left out, and an early end
// is reported.
func TestRecallPassesOver(t *testing.T) {
	r := ready(t, formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx"), Options{NoWrite: true})
	hits := found(t, r, Search{Find: finds(`get`)})
	if len(hits) < 3 {
		t.Fatalf("%d hits", len(hits))
	}
	some := []Hit{{Position: Position{Thread: hits[0].Thread, At: hits[0].At + 1}, Event: 0}, hits[1], {Position: Position{Thread: hits[2].Thread, At: 1 << 40}, Event: 0}}
	todo := some
	var got []Hit
	more := func() []Hit {
		list := todo
		todo = nil
		return list
	}
	if err := r.Recall(t.Context(), Search{}, more, func(h *Recalled) error {
		got = append(got, h.Hit)
		return nil
	}); err != nil || !slices.Equal(got, hits[1:2]) {
		t.Errorf("%v, error %v; want %v", got, err, hits[1])
	}
	todo = hits
	stop := errors.New("enough")
	if err := r.Recall(t.Context(), Search{}, more, func(*Recalled) error { return stop }); err != stop {
		t.Errorf("error %v, want that of visit", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	todo = hits
	if err := r.Recall(ctx, Search{}, more, func(*Recalled) error { return nil }); err != context.Canceled {
		t.Errorf("error %v after a cancel", err)
	}
}
