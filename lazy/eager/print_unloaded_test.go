package eager

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// fiveCalls makes a root with five leaves.
func fiveCalls(t *testing.T) *Forest {
	w := formattest.NewBuilder(t)
	x := w.Variable("x\x1b[2J")
	w.Call(-1, w.Method("a.A", "run", formattest.IntType), func() {
		for range 5 {
			w.Access(format.ClassVariableRead, -1, x)
		}
	})
	return loadBuilt(t, w)
}

func TestPrintUnloaded(t *testing.T) {
	const leaf = "  x\x1b[2J ➜ 5\n"
	for _, tc := range []struct {
		forget []int
		want   string
	}{
		{nil, strings.Repeat(leaf, 5)},
		{[]int{0}, "  ... <unloaded child>\n" + strings.Repeat(leaf, 4)},
		{[]int{1, 2, 4}, leaf + "  ... <2 unloaded children>\n" + leaf + "  ... <unloaded child>\n"},
		{[]int{0, 1, 2, 3, 4}, "  ... <5 unloaded children>\n"},
	} {
		f := fiveCalls(t)
		for root := range f.Threads[0].Roots() {
			i := 0
			for c := range root.Children() {
				for _, n := range tc.forget {
					if n == i {
						c.Forget()
					}
				}
				i++
			}
		}
		var out bytes.Buffer
		if err := f.Print(&out, PrintOptions{}); err != nil {
			t.Fatal(err)
		}
		if want := "# Thread 1\nA.run(): 7\n" + tc.want; out.String() != want {
			t.Errorf("forgotten %v: got\n%swant\n%s", tc.forget, out.String(), want)
		}
	}
}

func TestPrintEscaped(t *testing.T) {
	var out bytes.Buffer
	if err := fiveCalls(t).Print(&out, PrintOptions{Escape: true}); err != nil {
		t.Fatal(err)
	}
	if want := `  x\x1b[2J ➜ 5`; !strings.Contains(out.String(), want) || strings.Contains(out.String(), "\x1b") {
		t.Errorf("got %q", out.String())
	}
}

func TestPrintWriteError(t *testing.T) {
	f := loadRecorded(t, "kotlin.stream.bin")
	for left := range 3 {
		w := formattest.FullWriter{Left: left}
		if err := f.Print(&w, PrintOptions{}); !errors.Is(err, formattest.ErrFull) {
			t.Errorf("after %d writes: %v", left, err)
		}
		if w.Left != -1 {
			t.Errorf("after %d writes: written on after the failure", left)
		}
	}
}
