package export

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestName: where exports go.
func TestName(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/folder", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"t.bin", "t.bin.idx", "t-1.csv", "t-1-2.csv", "t-2.cut.bin.tim", "folder/t-1.csv", "typed", "t.trace"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", filepath.Join(dir, "folder"))
	csv := Name{Trace: dir + "/t.bin", Part: "#1", Suffix: ".csv"}
	with := func(change func(n *Name)) Name {
		n := csv
		change(&n)
		return n
	}
	for _, c := range []struct {
		n          Name
		want, fail string
	}{
		{csv, "t-1-3.csv", ""},
		{with(func(n *Name) { n.Replace = true }), "t-1.csv", ""},
		{with(func(n *Name) { n.Part = "" }), "t.csv", ""},
		{with(func(n *Name) { n.Part = " calls of A.b(int, \"x\")/.." }), "t-calls-of-A.b-int-x.csv", ""},
		{with(func(n *Name) { n.Part = strings.Repeat("é", 100) }), "t-" + strings.Repeat("é", mostPart) + ".csv", ""},
		{with(func(n *Name) { n.Part, n.Suffix, n.Several = "2", ".cut.bin", true }), "t-2-2.cut.bin", ""},
		{with(func(n *Name) { n.Typed = dir + "/new" }), "new", ""},
		{with(func(n *Name) { n.Typed = dir + "/typed" }), "", "file already exists"},
		{with(func(n *Name) { n.Typed, n.Replace = dir+"/typed", true }), "typed", ""},
		{with(func(n *Name) { n.Typed = dir + "/folder" }), "folder/t-1-2.csv", ""},
		{with(func(n *Name) { n.Typed = "~" }), "folder/t-1-2.csv", ""},
		{with(func(n *Name) { n.Typed = "~/x.csv" }), "folder/x.csv", ""},
		{with(func(n *Name) { n.Typed = dir + "/none/" }), "none/t-1.csv", ""},
		{with(func(n *Name) { n.Typed, n.Replace = dir+"/t.bin", true }), "", "is the trace itself"},
		{with(func(n *Name) { n.Typed, n.Replace, n.Several = dir+"/t.bin.idx", true, true }), "", "is the trace itself"},
		{with(func(n *Name) { n.Typed, n.Replace = dir+"/folder/t-1.csv/x", true }), "folder/t-1.csv/x", ""}, // Create reports it
	} {
		path, err := c.n.Path()
		switch {
		case c.fail != "":
			if err == nil || !strings.Contains(err.Error(), c.fail) {
				t.Errorf("%+v: %s, %v", c.n, path, err)
			}
		case err != nil || path != filepath.Join(dir, c.want):
			t.Errorf("%+v: %s, %v, not %s", c.n, path, err, c.want)
		}
	}
	if mode := csv.mode(); mode&0o200 == 0 || mode.Type() != 0 {
		t.Error(mode)
	}
	if err := os.Chmod(csv.Trace, 0o400); err != nil {
		t.Fatal(err)
	}
	if mode := csv.mode(); mode != 0o600 {
		t.Error(mode)
	}
}
