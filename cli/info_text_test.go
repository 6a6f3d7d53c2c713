package cli

import (
	"strings"
	"testing"
)

// writeCounter counts the calls of Write.
type writeCounter struct {
	strings.Builder
	writes int
}

func (w *writeCounter) Write(b []byte) (int, error) {
	w.writes++
	return w.Builder.Write(b)
}

// TestInfoOfManyThreads: the text is written in large parts, not cell by cell.
func TestInfoOfManyThreads(t *testing.T) {
	f := facts{Threads: make([]threadFacts, 10_000)}
	var w writeCounter
	if err := f.write(&w); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(w.String(), "\n"); lines < 10_000 || w.writes > lines/100 {
		t.Errorf("%d lines were written in %d writes", lines, w.writes)
	}
}

// TestInfoUnfinished has the singular and the plural of what had not ended.
func TestInfoUnfinished(t *testing.T) {
	for n, want := range map[int]string{1: "1 call, loop or iteration had not ended", 2: "2 calls, loops and iterations had not ended"} {
		var w strings.Builder
		if err := (&facts{Unfinished: n}).write(&w); err != nil || !strings.Contains(w.String(), want) {
			t.Errorf("%v, want %q in:\n%s", err, want, w.String())
		}
	}
}
