package query

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy/internal/spill"
	"tracex/lazy/internal/walk"
)

// TestNested: answers about calls within one another are the same whether what is known of the open ones is in memory or in a
// file, and whether parts are short, joined, or go on while what was found is taken.
func TestNested(t *testing.T) {
	for _, s := range []formattest.Spec{
		{Shape: formattest.Deep, N: 100, Seed: 1, Timed: true},
		{Shape: formattest.Deep, N: 100, Seed: 2, Timed: true, Crash: formattest.CrashLost, Options: formattest.Options{BlockSize: 2 << 10}},
		{Shape: formattest.Calls, N: 150, Seed: 3, Timed: true},
		{Shape: formattest.Random, N: 150, Seed: 4, Timed: true},
	} {
		t.Run(fmt.Sprintf("%s-%d", s.Shape, s.Seed), func(t *testing.T) {
			r := opened(t, formattest.File(t, s))
			list := questions(t, r, false)
			if len(list) < 20 {
				t.Fatalf("%d questions", len(list))
			}
			list = slices.DeleteFunc(list, func(q question) bool { return q.name == "log" || q.name == "around" }) // they read a place at a time
			want := make([]string, len(list))
			for i, q := range list {
				want[i] = q.ask(t, r, 1<<40)
			}
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			defer spill.SetChunk(1500)()
			for _, cut := range []walk.PassCut{
				{Bytes: 700, Approach: 3, Take: 50},
				{Bytes: 700, Approach: 3, Take: 1 << 30},
			} {
				undo := walk.SetUsualPassCut(cut)
				for i, q := range list {
					if got := q.ask(t, r, 700); got != want[i] {
						t.Errorf("%+v: %s\n%s\nwant\n%s", cut, q.name, got, want[i])
					}
				}
				undo()
			}
			if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
				t.Errorf("%v is left, %v", left, err)
			}
		})
	}
}
