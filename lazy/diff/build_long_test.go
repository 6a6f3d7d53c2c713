package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy"
)

// loopOf writes a loop with an iteration for each value.
func loopOf(t *testing.T, values []int) *lazy.LazyTraceReader {
	var b strings.Builder
	b.WriteString("thread main\nmain\n\tloop\n")
	for _, v := range values {
		fmt.Fprintf(&b, "\t\titeration\n\t\t\tx=%d\n", v)
	}
	return written(t, b.String())
}

func iterationValues(n int, value func(i int) int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = value(i)
	}
	return list
}

// longPairs are values of the iterations of two loops.
func longPairs() map[string][2][]int {
	n := 2*shortList + 100
	a := iterationValues(n, func(i int) int { return i })
	with := func(at int, v ...int) []int { return slices.Insert(slices.Clone(a), at, v...) }
	changed := slices.Clone(a)
	for i := range changed {
		if i%700 == 3 {
			changed[i] = -i
		}
	}
	return map[string][2][]int{
		"one more at the start":       {a, with(0, -1)},
		"one more at the end":         {a, with(n, -1)},
		"one more in the middle":      {a, with(n/2, -1)},
		"at both ends":                {a, with(n, -3)[2:]},
		"a long part removed":         {a, slices.Concat([]int{-1}, a[3000:], []int{-2})},
		"some other values":           {a, changed},
		"equal":                       {a, a},
		"a long and a short one":      {a, a[100:200]},
		"a long and an empty one":     {a, nil},
		"a beginning":                 {a, a[:shortList+chunk]},
		"the same thing, more of it":  {iterationValues(n, func(int) int { return 1 }), iterationValues(n+chunk, func(int) int { return 1 })},
		"nothing but other values":    {a, iterationValues(n, func(i int) int { return -i - 1 })},
		"one other value in each one": {with(chunk, -1), with(n-chunk, -2)},
	}
}

// TestLongLists: long lists are aligned as if all their children were in memory, and with them the script is the one that it should be.
func TestLongLists(t *testing.T) {
	for name, pair := range longPairs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, c := loopOf(t, pair[0]), loopOf(t, pair[1])
			for _, keep := range []int{longKept, 5000, 600} {
				checkLong(t, New(a, c, Options{}), pair, keep)
			}
		})
	}
}

// checkLong compares how two loops are aligned, if as many of their children are kept, with how they should be.
func checkLong(t *testing.T, d *Diff, pair [2][]int, keep int) {
	defer d.Close()
	if err := d.hash(t.Context(), func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	b := &builder{ctx: t.Context(), d: d, sides: d.sides, keep: keep, tell: func(int64) {}}
	f := frame{alone: -1}
	var items [2][]item
	for i := range f.lists {
		l, err := newLane(d.sides[i], 0)
		if err != nil {
			t.Fatal(err)
		}
		b.lanes[i] = l
		err = l.use(func(c *format.Context) error {
			in := l.all()
			for range 2 { // main, and the loop in it
				x := l.list(in)
				if _, _, err := x.read(c); err != nil {
					return err
				}
				in = content{l.data.Start, l.data.End, l.data.First}
			}
			f.lists[i] = l.list(in)
			for x := l.list(in); ; {
				k, ok, err := x.read(c)
				if !ok || err != nil {
					return err
				}
				items[i] = append(items[i], k.item)
			}
		})
		if err != nil || len(items[i]) != len(pair[i]) {
			t.Fatalf("%d children, want %d: %v", len(items[i]), len(pair[i]), err)
		}
	}
	b.stack = append(b.stack, f)
	if err := b.both(func() error { return b.begin(&b.stack[0]) }); err != nil {
		t.Fatal(err)
	}
	if b.later == nil {
		t.Fatal("the lists are short")
	}
	if err := b.later(); err != nil {
		t.Fatal(err)
	}
	if got, want := b.stretches, align(items[0], items[1]); !slices.Equal(got, want) {
		t.Errorf("%d kept: got %v, want %v", keep, got, want)
	}
}

// TestLongLoop: a loop with one iteration more at the start has one added row, whatever is read for it.
func TestLongLoop(t *testing.T) {
	pair := longPairs()["one more at the start"]
	d := New(loopOf(t, pair[0]), loopOf(t, pair[1]), Options{})
	defer d.Close()
	var last, all int64
	err := d.Run(t.Context(), func(done, total int64) {
		if done < last || done > total || all != 0 && total != all {
			t.Errorf("%d of %d, after %d of %d", done, total, last, all)
		}
		last, all = done, total
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != all || all == 0 {
		t.Errorf("ends at %d of %d", last, all)
	}
	n := len(pair[0])
	if got, want := told(t, d), fmt.Sprintf("threads 0 0\n\tmain()\n\t\tloop(0 iterations)\n\t\t\t+ <iteration 3>\n\t\t\t%d equal\n", n); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
