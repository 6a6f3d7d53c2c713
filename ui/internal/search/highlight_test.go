package search

import (
	"testing"

	"tracex/lazy"
	"tracex/lazy/query/pattern"
	"tracex/ui/internal/uitest"
)

// TestHighlight: the matches of the pattern are marked, and, for calls of a method, only those of its
// calls.
func TestHighlight(t *testing.T) {
	p := seek(t, uitest.Recorded(t, "gson.dump"))
	tree := p.tree.Out.Tree
	var calls []*lazy.Node
	parent, err := tree.Child(t.Context(), tree.ThreadAt(0), 0)
	if err != nil {
		t.Fatal(err)
	}
	all, err := tree.Children(t.Context(), parent)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range all {
		if !n.Leaf() {
			calls = append(calls, n)
		}
	}
	if len(calls) < 2 {
		t.Fatal("too few calls: the test shows nothing")
	}
	if p.Highlight(calls[0], "abc", nil) != nil {
		t.Error("parts are marked without a search")
	}
	p.Preview(pattern.New("b", false))
	if lit := p.Highlight(calls[0], "abcb", nil); len(lit) != 2 || lit[1] != [2]int{3, 4} {
		t.Errorf("%v", lit)
	}
	p.Preview(p.like(calls[0]))
	name := string(tree.AppendName(nil, calls[0]))
	if p.Highlight(calls[0], name, nil) == nil {
		t.Errorf("%s is not marked", name)
	}
	if lit := p.Highlight(calls[1], name, nil); lit != nil {
		t.Errorf("a call of another method is marked: %v", lit)
	}
}
