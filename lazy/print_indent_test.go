package lazy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/lazy/internal/walk"
)

// upTo returns the lines of a text that have so many bytes of indentation in all, and whether that is all.
func upTo(text string, indent int) (string, bool) {
	n, end := 0, 0
	for line := range strings.Lines(text) {
		if n += len(line) - len(strings.TrimLeft(line, " ")); n > indent {
			return text[:end], false
		}
		end += len(line)
	}
	return text, true
}

// TestPrintIndent: a text ends before the line with which it would have too much indentation, whatever prints
// it; JSON has none.
func TestPrintIndent(t *testing.T) {
	ctx := context.Background()
	for _, s := range []formattest.Spec{
		{Shape: formattest.Deep, N: 700, Seed: 1}, {Shape: formattest.Calls, N: 900, Seed: 2, Threads: 3}, {Shape: formattest.Threads, N: 60, Seed: 3},
	} {
		s.BlockSize = 2048
		if formattest.Race {
			s.N /= 4
		}
		path := formattest.File(t, s)
		r := ready(t, path, Options{NoWrite: true, Memory: 1 << 30})
		tree := r.Tree(true)
		for _, th := range tree.Threads() {
			if _, _, err := tree.ExpandAll(ctx, th, 0, 1<<40, nil); err != nil {
				t.Fatal(err)
			}
		}
		root := tree.Threads()[0]
		if kids, err := tree.Children(ctx, root); err == nil {
			root = kids[0]
		}
		loadedWhole := func(w io.Writer, o PrintOptions) error {
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			forest, err := eager.Load(f)
			if err != nil {
				return err
			}
			return forest.Print(w, o)
		}
		for name, print := range map[string]func(w io.Writer, o PrintOptions) error{
			"one by one": func(w io.Writer, o PrintOptions) error { return r.r.PrintIn(ctx, w, o, PrintRange{}, walk.Uncut) },
			"spread": func(w io.Writer, o PrintOptions) error {
				return r.r.PrintIn(ctx, w, o, PrintRange{}, walk.PassCut{Bytes: 3000, Approach: 512, Width: 3})
			},
			"below": func(w io.Writer, o PrintOptions) error {
				return r.PrintEvent(ctx, w, o, root.Point().Event, true, PrintRange{})
			},
			"loaded": func(w io.Writer, o PrintOptions) error { return tree.PrintLoaded(ctx, w, o) },
			"eager":  loadedWhole,
		} {
			var whole bytes.Buffer
			if err := print(&whole, PrintOptions{Folded: true}); err != nil {
				t.Fatal(err)
			}
			for _, most := range []int64{1, 100, 2000, 9999, 30_000, 1 << 40} {
				var got bytes.Buffer
				err := print(&got, PrintOptions{Folded: true, MaxIndent: most})
				want, all := upTo(whole.String(), int(most))
				if got.String() != want && got.String()+lastHeading(want) != want {
					t.Errorf("%s, %s, %d bytes: %d of text, want %d", s.Name(), name, most, got.Len(), len(want))
				}
				var deep *IndentError
				if errors.As(err, &deep) == all {
					t.Errorf("%s, %s, %d bytes, all %v: %v", s.Name(), name, most, all, err)
				}
				if err := print(io.Discard, PrintOptions{Folded: true, JSON: true, MaxIndent: most}); err != nil {
					t.Errorf("%s, %s, JSON: %v", s.Name(), name, err)
				}
			}
		}
	}
}

// lastHeading returns the heading of a thread that ends a text, "" if none does: nothing of the thread follows.
func lastHeading(text string) string {
	if i := strings.LastIndex(text, "# Thread "); i >= 0 && strings.Count(text[i:], "\n") == 1 {
		return text[i:]
	}
	return ""
}
