package perfetto

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

type rec struct {
	time int64
	body []byte
}

// TestSpool adds records to several streams in all kinds of disorder, with
// little memory, and expects each stream sorted, and stably.
func TestSpool(t *testing.T) {
	shapes := map[string]func(r *rand.Rand, i int) int64{
		"in order":      func(r *rand.Rand, i int) int64 { return int64(i / 3) },
		"all the same":  func(r *rand.Rand, i int) int64 { return 7 },
		"a little late": func(r *rand.Rand, i int) int64 { return int64(i) - r.Int64N(40) },
		"runs":          func(r *rand.Rand, i int) int64 { return int64(i % 1000) },
		"backwards":     func(r *rand.Rand, i int) int64 { return -int64(i) },
		"any order":     func(r *rand.Rand, i int) int64 { return r.Int64() - r.Int64() },
	}
	for name, shape := range shapes {
		for _, limit := range []int64{1 << 12, 1 << 30} {
			t.Run(fmt.Sprintf("%s/%d", name, limit), func(t *testing.T) {
				dir := t.TempDir()
				s := newSpool(dir, limit)
				defer s.close()
				r := rand.New(rand.NewPCG(1, 2))
				streams := []*stream{s.stream(), s.stream(), s.stream()}
				want := make([][]rec, len(streams))
				for i := range 6000 {
					k := min(r.IntN(12), 2)
					time := shape(r, i)
					body := binary.AppendUvarint(nil, uint64(i))
					if r.IntN(500) == 0 {
						body = append(body, make([]byte, r.IntN(9000))...)
					}
					if err := s.add(streams[k], time, body); err != nil {
						t.Fatal(err)
					}
					want[k] = append(want[k], rec{time, body})
				}
				compareRecords(t, s, streams[:1], want[0])
				compareRecords(t, s, streams[1:], append(want[1], want[2]...))
				s.close()
				if left, _ := os.ReadDir(dir); len(left) > 0 {
					t.Errorf("files stay: %v", left)
				}
			})
		}
	}
}

// TestSpoolReduces has more runs over each other than are read at a time.
func TestSpoolReduces(t *testing.T) {
	s := newSpool(t.TempDir(), 1<<12)
	defer s.close()
	k := s.stream()
	var want []rec
	body := make([]byte, 30000) // two in a page
	for i := range 6*mergeWays + 5 {
		binary.LittleEndian.PutUint32(body, uint32(i))
		time := int64(i / 2)
		if i%2 == 0 {
			time = -time / 3
		}
		if err := s.add(k, time, body); err != nil {
			t.Fatal(err)
		}
		want = append(want, rec{time, slices.Clone(body[:4])})
	}
	runs, err := s.runs([]*stream{k})
	if err != nil || overlap(runs) <= mergeWays {
		t.Fatalf("%d runs over each other, %v: the test says nothing", overlap(runs), err)
	}
	slices.SortStableFunc(want, func(a, b rec) int { return cmp.Compare(a.time, b.time) })
	r, err := s.open(k)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if !r.next() || r.time != w.time || !bytes.Equal(r.body[:4], w.body) || len(r.body) != len(body) {
			t.Fatalf("record %d: %d %x, want %d %x (%v)", i, r.time, r.body[:4], w.time, w.body, r.err)
		}
	}
	if r.next() {
		t.Error("more records than were added")
	}
}

func compareRecords(t *testing.T, s *spool, streams []*stream, want []rec) {
	t.Helper()
	slices.SortStableFunc(want, func(a, b rec) int { return cmp.Compare(a.time, b.time) })
	r, err := s.open(streams...)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if !r.next() {
			t.Fatalf("record %d of %d is missing: %v", i, len(want), r.err)
		}
		if r.time != w.time || !bytes.Equal(r.body, w.body) {
			t.Fatalf("record %d: %d %x, want %d %x", i, r.time, r.body, w.time, w.body)
		}
	}
	if r.next() {
		t.Error("more records than were added")
	}
}
