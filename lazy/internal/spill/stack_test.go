package spill

import (
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

type element struct {
	a int64
	b uint8
}

// TestStack: a stack that spills is like a slice, whatever is done with it.
func TestStack(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	defer SetChunk(5 * 16)()
	check(t, new(Stack[element]))
}

// TestStackWithoutFile: what cannot be written stays in memory.
func TestStackWithoutFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	t.Setenv("TMP", os.Getenv("TMPDIR")) // where that is asked
	defer SetChunk(5 * 16)()
	s := new(Stack[element])
	check(t, s)
	for range 100 {
		s.Push(element{})
	}
	if s.file != nil || len(s.kept) == 0 {
		t.Error("there was a file")
	}
}

func check(t *testing.T, s *Stack[element]) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var want []element
	most, up := 0, 60
	for i := range 20_000 {
		switch n := r.IntN(100); {
		case n < up:
			e := element{r.Int64(), uint8(i)}
			s.Push(e)
			want = append(want, e)
		case len(want) == 0:
		case n < 97:
			if got := *s.Last(); got != want[len(want)-1] {
				t.Fatalf("step %d: the last of %d is %v, want %v", i, len(want), got, want[len(want)-1])
			}
			s.Pop()
			want = want[:len(want)-1]
		case n < 98:
			to := max(0, len(want)-r.IntN(30))
			if r.IntN(40) == 0 {
				to = 0
			}
			s.Truncate(to)
			want = want[:to]
		default:
			s.Last().a++
			want[len(want)-1].a++
			at := r.IntN(len(want))
			if got := *s.At(at); got != want[at] {
				t.Fatalf("step %d: number %d of %d is %v, want %v", i, at, len(want), got, want[at])
			}
			want[at].b++
			s.Put(at, want[at])
		}
		if i%1000 == 0 {
			up = 40 + r.IntN(40)
			c := s.Clone()
			for at := range want {
				if *c.At(at) != want[at] {
					t.Fatalf("step %d: the copy has another number %d", i, at)
				}
			}
		}
		if most = max(most, len(want)); s.Len() != len(want) || len(s.top) > 2*s.chunk {
			t.Fatalf("step %d: %d elements, %d in memory, want %d", i, s.Len(), len(s.top), len(want))
		}
	}
	if most < 400 || s.Err() != nil {
		t.Errorf("%d elements at most, error %v", most, s.Err())
	}
	s.Reset()
	if s.Len() != 0 || s.file != nil {
		t.Error("something is left")
	}
}

// TestStackUnreadable: what the file no longer has is an error.
func TestStackUnreadable(t *testing.T) {
	defer SetChunk(5 * 16)()
	s := new(Stack[element])
	for i := range 100 {
		s.Push(element{a: int64(i)})
	}
	if err := s.file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if got := *s.At(0); got != (element{}) || s.Err() == nil {
		t.Errorf("%v, error %v", got, s.Err())
	}
	for s.Len() > 0 {
		s.Pop()
	}
}

// TestStackOfPointers: memory that is not in use, as far as the collector knows, would be pointed to.
func TestStackOfPointers(t *testing.T) {
	defer SetChunk(1)()
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "pointers") {
			t.Errorf("it panicked with %q", text)
		}
	}()
	var s Stack[struct{ p [1]*int }]
	for range 3 {
		s.Push(struct{ p [1]*int }{})
	}
}
