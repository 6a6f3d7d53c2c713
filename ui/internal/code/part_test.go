package code

import (
	"testing"

	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestPart: the source code of a row is looked for once, in the background; a row without any is
// not.
func TestPart(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	tree := r.Tree(true)
	call, err := tree.Child(t.Context(), tree.ThreadAt(0), 0)
	if err != nil {
		t.Fatal(err)
	}
	none := New(r, e, nil)
	if none.Show(call) != nil || none.Edit(call) != nil {
		t.Error("it looks for files nowhere")
	}
	if text, _ := e.Status.Message(); text != "no source directories: start tracex with --source DIRECTORY" {
		t.Errorf("%q", text)
	}
	dir := t.TempDir()
	p := New(r, e, []string{dir})
	if p.Show(nil) != nil || p.Show(tree.ThreadAt(0)) != nil {
		t.Error("a thread has no source code")
	}
	cmd := p.Show(call)
	if cmd == nil || !p.Busy() || p.Show(call) != nil {
		t.Fatal("one search, and no second beside it")
	}
	p.Update(cmd().(Msg))
	if found := p.Found(call); p.Busy() || found.Err == nil || found.Spot == (Spot{}) {
		t.Errorf("%+v", found)
	}
	if p.Show(call) != nil {
		t.Error("it is looked for again")
	}
	if cmd := p.Edit(call); p.Update(cmd().(Msg)) != nil {
		t.Error("an editor is started without a file")
	}
	if _, alarm := e.Status.Message(); !alarm {
		t.Error("nothing is said about the missing file")
	}
}
