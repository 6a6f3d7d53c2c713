package lazy

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
)

// emptyThreads are traces with threads without points, see [formattest.EmptyThreads], and what
// Lincheck 3.6 and 3.7 print of them.
var emptyThreads = []struct{ kinds, text string }{
	{"p", "# Thread 1\nx ➜ 0\n"},
	{"p-", "# Thread 1\nx ➜ 0\n"},
	{"-p", "# Thread 2\nx ➜ 1\n"},
	{"pd", "# Thread 1\nx ➜ 0\n"},
	{"-", ""},
	{"--", ""},
	{"-d", ""},
	{"-d-d-p", "# Thread 6\nx ➜ 5\n"},
	{"pn", "# Thread 1\nx ➜ 0\n"},
	{"pp", "# Thread 1 (t0)\nx ➜ 0\n# Thread 2 (t1)\nx ➜ 1\n"},
	{"pnp", "# Thread 1 (t0)\nx ➜ 0\n# Thread 3 (t2)\nx ➜ 2\n"},
	{"p-dp", "# Thread 1 (t0)\nx ➜ 0\n# Thread 4 (t3)\nx ➜ 3\n"},
}

func TestPrintEmptyThreads(t *testing.T) {
	for _, c := range emptyThreads {
		for i, v := range []format.Version{format.V27, format.V22, format.V27, format.V22} {
			want := c.text
			if v == format.V22 && c.kinds == "p-dp" { // as in roots.dump
				want = "# Thread 1 (t0)\nx ➜ 0\n# Thread 2 (t1)\n# Thread 3 (t2)\n# Thread 4 (t3)\nx ➜ 3\n"
			}
			t.Run(fmt.Sprintf("%s, version %d, dump %v", c.kinds, v, i > 1), func(t *testing.T) {
				printsEverywhere(t, formattest.EmptyThreads(t, v, i > 1, c.kinds), want)
			})
		}
	}
}

// printsEverywhere checks the text of a whole trace, from each that prints one.
func printsEverywhere(t *testing.T, path, want string) {
	t.Helper()
	ctx := context.Background()
	for _, from := range []string{path, withoutIndex(t, path)} {
		r := ready(t, from, Options{NoWrite: true})
		tree := r.Tree(true)
		for _, th := range tree.Threads() {
			childrenOf(t, tree, th)
		}
		printed := func(what string, print func(out *bytes.Buffer) error) {
			t.Helper()
			var out bytes.Buffer
			if err := print(&out); err != nil || out.String() != want {
				t.Errorf("%s prints %q (%v), want %q", what, out.String(), err, want)
			}
		}
		printed("Print", func(out *bytes.Buffer) error { return r.Print(ctx, out, PrintOptions{}, PrintRange{}) })
		printed("Print, thread by thread", func(out *bytes.Buffer) error {
			return r.Print(ctx, out, PrintOptions{Folded: true, MaxDepth: 9}, PrintRange{})
		})
		printed("PrintLoaded", func(out *bytes.Buffer) error { return tree.PrintLoaded(ctx, out, PrintOptions{}) })
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	forest, err := eager.Load(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := forest.Print(&out, PrintOptions{}); err != nil || out.String() != want {
		t.Errorf("the eager loader prints %q (%v), want %q", out.String(), err, want)
	}
}

// TestPrintLoadedAfterEmptyThread: a node is not below the line of another thread, which has none.
func TestPrintLoadedAfterEmptyThread(t *testing.T) {
	r := ready(t, formattest.EmptyThreads(t, format.V27, false, "-p"), Options{NoWrite: true})
	tree := r.Tree(false)
	empty, other := tree.Threads()[0], tree.Threads()[1]
	var out bytes.Buffer
	if err := tree.PrintLoaded(context.Background(), &out, PrintOptions{}, empty, childrenOf(t, tree, other)[0]); err != nil {
		t.Fatal(err)
	}
	if want := "x ➜ 1\n"; out.String() != want {
		t.Errorf("prints %q, want %q", out.String(), want)
	}
}
