package diff

import (
	"os"
	"slices"
	"testing"
)

// TestScript puts, changes and cuts steps before and after they are in the file.
func TestScript(t *testing.T) {
	var s script
	defer func() {
		name := s.file.Name()
		if err := s.close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(name); !os.IsNotExist(err) {
			t.Errorf("the temporary file is still there: %v", err)
		}
	}()
	var want []step
	put := func(n int) {
		for range n {
			i := int64(len(want))
			x := step{kind: stepKind(i % 7), own: i%2 == 0, quiet: i%3 == 0, moved: i%5 == 0, named: i%11 == 0, marks: uint8(i),
				a: i, b: -i, n: i + 3, calls: i + 4, group: uint64(i) << 33}
			if got := s.put(x); got != i {
				t.Fatalf("step %d has number %d", i, got)
			}
			want = append(want, x)
		}
	}
	check := func(when string) {
		t.Helper()
		var got []step
		for x, err := range s.all() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, x)
		}
		if !slices.Equal(got, want) || s.len() != int64(len(want)) {
			t.Fatalf("%s: %d steps, want %d, or others", when, len(got), len(want))
		}
	}
	put(3 * scriptTail)
	check("put")
	for _, i := range []int{0, 1, scriptTail, len(want) - 1} {
		want[i].marks, want[i].n = 31, 99
		s.change(int64(i), func(x *step) { x.marks, x.n = 31, 99 })
	}
	check("changed")
	for _, n := range []int{len(want) - 2, scriptTail + 5, 7} {
		want = want[:n]
		s.cut(int64(n))
		check("cut")
		put(10)
		check("put after a cut")
	}
	put(2 * scriptTail)
	check("put again")
	for range s.all() { // ends early
		break
	}
}
