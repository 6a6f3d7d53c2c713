package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/ui/internal/uitest"
)

// TestSourceSaysWhich: the details name the file that they show, and mark a guess; a row
// without a code location does not keep the source of another row.
func TestSourceSaysWhich(t *testing.T) {
	lines := strings.Repeat("some line\n", 50)
	t.Chdir(uitest.WriteFiles(t, map[string]string{"src/Libs.java": lines, "src/b/Libs.java": lines, "one/Libs.java": "one line\n", "src/Threads.java": lines}))
	d := drive(t, uitest.Recorded(t, "gson.dump"), 150, 40, Options{Source: []string{"src"}})
	d.keys("5 j d").has("source     src/Libs.java, a guess: 2 files of that name", "some line")
	whole, err := filepath.Abs("src/Libs.java")
	if err != nil {
		t.Fatal(err)
	}
	if link := "\x1b]8;;file://" + filepath.ToSlash(whole) + "\asrc/Libs.java"; !strings.Contains(d.m.View().Content, link) {
		t.Errorf("no link %q in %q", link, d.m.View().Content)
	}
	d = drive(t, uitest.Recorded(t, "gson.dump"), 150, 40, Options{Source: []string{"one"}})
	d.keys("5 j d").has("source     one/Libs.java, which has no line 8")
	d = drive(t, uitest.Recorded(t, "threads.stream"), 200, 40, Options{Source: []string{"src"}})
	d.keys("d : 3 0 enter").has("at         Threads.java:19", "some line")
	if d.keys(": 2 5 enter").has("at         unknown"); strings.Contains(d.screen(), "some line") {
		t.Error("a call without a place has the source of another:\n" + d.screen())
	}
}

// TestSource finds the source of a row, shows it and opens it in the editor.
func TestSource(t *testing.T) {
	dir := t.TempDir()
	for _, pkg := range []string{"a/app", "b/other"} {
		pkgDir := filepath.Join(dir, pkg)
		if err := os.MkdirAll(pkgDir, 0o755); err != nil {
			t.Fatal(err)
		}
		var lines strings.Builder
		for i := range 40 {
			fmt.Fprintf(&lines, "\tline %d of %s\x1b[31m\n", i+1, pkg)
		}
		if err := os.WriteFile(filepath.Join(pkgDir, "Libs.java"), []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := uitest.Recorded(t, "gson.dump")
	d := drive(t, r, 130, 40, Options{Source: []string{dir}})
	d.keys("5 j d").has("at         Libs.java:8", `    line 8 of a/app\x1b[31m`)
	if want := filepath.Join(dir, "a", "app", "Libs.java"); d.m.details.Source.Found(d.m.tree.Out.Cursor.Node).Path != want {
		t.Errorf("found %q, not %q", d.m.details.Source.Found(d.m.tree.Out.Cursor.Node).Path, want)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", self+" --wait")
	if d.keys("o"); len(d.sent) != 1 {
		t.Errorf("%d messages for the terminal; %s", len(d.sent), message(d))
	}
	t.Setenv("VISUAL", filepath.Join(dir, "no-such-editor"))
	d.keys("o").has("cannot start the editor")
	d = drive(t, r, 130, 40, Options{Source: []string{t.TempDir()}})
	d.keys("5 j o").has("Libs.java is not under")
	d = drive(t, r, 130, 40, Options{})
	d.keys("5 j o").has("start tracex with --source DIRECTORY")
}
