package format

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// TestThreadNames: the name of a thread is the one that was put first, whatever the names, the ids and their order, for
// several goroutines at once.
func TestThreadNames(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	name := []func(i int32) string{
		func(i int32) string {
			return fmt.Sprintf("goroutine %d main.worker ← %d main.main main.go:78", i, i/8)
		},
		func(i int32) string { return strings.Repeat("ab", rng.IntN(4)) + "a"[:rng.IntN(2)] },
		func(i int32) string { return strings.Repeat("é\x00", rng.IntN(200)) },
	}
	names, want := new(threadNames), make(map[int32]string)
	for i := range int32(3000) {
		id := i
		if i > 1000 {
			id = rng.Int32() - 1<<30
		}
		text := name[i/100%3](i)
		if _, known := want[id]; !known {
			want[id] = text
		}
		names.put(id, text)
		names.put(id, "another")
		if got, ok := names.get(id); !ok || got != want[id] {
			t.Fatalf("after %d names, %d is %q, want %q", i, id, got, want[id])
		}
	}
	if _, ok := names.get(-1 << 31); ok || names.numbers.n != len(want) {
		t.Errorf("%d names, want %d", names.numbers.n, len(want))
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for id, text := range want {
				if got, _ := names.get(id); got != text {
					t.Errorf("%d is %q, want %q", id, got, text)
				}
			}
		})
	}
	wait.Wait()
}

// TestThreadNamesSize: a name that is like the one before takes a few bytes.
func TestThreadNamesSize(t *testing.T) {
	const threads = 10_000
	names, size := new(threadNames), 0
	for i := range int32(threads) {
		names.put(i, fmt.Sprintf("goroutine %d main.worker ← %d main.main main.go:78", 17+i, 1+i/8))
	}
	for _, g := range names.groups {
		size += cap(g)
	}
	if each := size / threads; each > 12 {
		t.Errorf("%d bytes for each name", each)
	}
}
