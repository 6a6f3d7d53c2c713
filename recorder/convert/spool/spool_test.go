package spool

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

// TestSpool adds records to several streams in all kinds of disorder, with little
// memory, and expects each stream in stable order of time.
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
				s := New(dir, limit)
				defer s.Close()
				r := rand.New(rand.NewPCG(1, 2))
				streams := []*Stream{s.Stream(), s.Stream(), s.Stream()}
				want := make([][]rec, len(streams))
				for i := range 6000 {
					k := min(r.IntN(12), 2)
					time := shape(r, i)
					body := binary.AppendUvarint(nil, uint64(i))
					if r.IntN(500) == 0 {
						body = append(body, make([]byte, r.IntN(9000))...)
					}
					if err := s.Add(streams[k], time, body); err != nil {
						t.Fatal(err)
					}
					want[k] = append(want[k], rec{time, body})
				}
				compareRecords(t, s, streams[:1], want[0])
				compareRecords(t, s, streams[1:], append(want[1], want[2]...))
				s.Close()
				if left, _ := os.ReadDir(dir); len(left) > 0 {
					t.Errorf("files stay: %v", left)
				}
			})
		}
	}
}

// TestSpoolReduces has more overlapping runs than are read at once.
func TestSpoolReduces(t *testing.T) {
	s := New(t.TempDir(), 1<<12)
	defer s.Close()
	k := s.Stream()
	var want []rec
	body := make([]byte, 30000) // two fit into a batch
	for i := range 6*mergeWays + 5 {
		binary.LittleEndian.PutUint32(body, uint32(i))
		time := int64(i / 2)
		if i%2 == 0 {
			time = -time / 3
		}
		if err := s.Add(k, time, body); err != nil {
			t.Fatal(err)
		}
		want = append(want, rec{time, slices.Clone(body[:4])})
	}
	runs, err := s.runs([]*Stream{k})
	if err != nil || overlap(runs) <= mergeWays {
		t.Fatalf("%d runs over each other, %v: the test says nothing", overlap(runs), err)
	}
	slices.SortStableFunc(want, func(a, b rec) int { return cmp.Compare(a.time, b.time) })
	r, err := s.Open(k)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if !r.Next() || r.Time != w.time || !bytes.Equal(r.Body[:4], w.body) || len(r.Body) != len(body) {
			t.Fatalf("record %d: %d %x, want %d %x (%v)", i, r.Time, r.Body[:4], w.time, w.body, r.err)
		}
	}
	if r.Next() {
		t.Error("more records than were added")
	}
}

func compareRecords(t *testing.T, s *Spool, streams []*Stream, want []rec) {
	t.Helper()
	slices.SortStableFunc(want, func(a, b rec) int { return cmp.Compare(a.time, b.time) })
	r, err := s.Open(streams...)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range want {
		if !r.Next() {
			t.Fatalf("record %d of %d is missing: %v", i, len(want), r.err)
		}
		if r.Time != w.time || !bytes.Equal(r.Body, w.body) {
			t.Fatalf("record %d: %d %x, want %d %x", i, r.Time, r.Body, w.time, w.body)
		}
	}
	if r.Next() {
		t.Error("more records than were added")
	}
}
