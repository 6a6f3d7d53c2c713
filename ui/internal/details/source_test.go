package details

import (
	"testing"

	"tracex/lazy/query/sourcefiles"
	"tracex/ui/internal/env"
	"tracex/ui/internal/uitest"
)

// TestSource: the source code of a row is looked for once, in the background; a row without any is
// not.
func TestSource(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	e := explorer(t, r)
	tree := r.Tree(true)
	call, err := tree.Child(t.Context(), tree.ThreadAt(0), 0)
	if err != nil {
		t.Fatal(err)
	}
	none := NewSource(e, nil)
	if none.show(call) != nil || none.Edit(call) != nil {
		t.Error("it looks for files nowhere")
	}
	if text, _ := e.Status.Message(); text != "no source directories: start tracex with --source DIRECTORY" {
		t.Errorf("%q", text)
	}
	dir := t.TempDir()
	p := NewSource(e, []string{dir})
	if p.show(nil) != nil || p.show(tree.ThreadAt(0)) != nil {
		t.Error("a thread has no source code")
	}
	cmd := p.show(call)
	if cmd == nil || !p.Busy() || p.show(call) != nil {
		t.Fatal("one search, and no second beside it")
	}
	cmd().(env.Ran).Then()
	if found := p.Found(call); p.Busy() || found.Err == nil || found.Spot == (sourcefiles.Spot{}) {
		t.Errorf("%+v", found)
	}
	if p.show(call) != nil {
		t.Error("it is looked for again")
	}
	if cmd := p.Edit(call); cmd().(env.Ran).Then() != nil {
		t.Error("an editor is started without a file")
	}
	if _, alarm := e.Status.Message(); !alarm {
		t.Error("nothing is said about the missing file")
	}
}
