package ui

import (
	"strings"
	"testing"

	"tracex/ui/internal/uitest"
)

// TestSourceSaysWhich: the details name the file that they show, and that it is
// a guess; a row that has no place does not keep the source of another.
func TestSourceSaysWhich(t *testing.T) {
	lines := strings.Repeat("some line\n", 50)
	t.Chdir(uitest.WriteFiles(t, map[string]string{"src/Libs.java": lines, "src/b/Libs.java": lines, "one/Libs.java": "one line\n", "src/Threads.java": lines}))
	d := drive(t, uitest.Recorded(t, "gson.dump"), 200, 40, Options{Source: []string{"src"}})
	d.keys("5 j d").has("source     src/Libs.java, a guess: 2 files of that name", "some line")
	d = drive(t, uitest.Recorded(t, "gson.dump"), 200, 40, Options{Source: []string{"one"}})
	d.keys("5 j d").has("source     one/Libs.java, which has no line 8")
	d = drive(t, uitest.Recorded(t, "threads.stream"), 200, 40, Options{Source: []string{"src"}})
	d.keys("d : 3 0 enter").has("at         Threads.java:19", "some line")
	if d.keys(": 2 5 enter").has("at         unknown"); strings.Contains(d.screen(), "some line") {
		t.Error("a call without a place has the source of another:\n" + d.screen())
	}
}
