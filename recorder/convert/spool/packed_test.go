package spool

import (
	"fmt"
	"math/rand"
	"testing"
)

// TestPack: streams that were packed have the records that they had, wherever these were, and take no memory.
func TestPack(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	s := New(t.TempDir(), 8<<10)
	defer s.Close()
	kept := s.Stream()
	var want [][]string
	for i := range 300 {
		st := s.Stream()
		var records []string
		n := 1 + r.Intn(20)
		for j := range n {
			at := int64(j)
			if i%3 == 0 {
				at = int64(n - j) // the last one first
			}
			body := fmt.Sprintf("%d of %d, %*d", j, i, r.Intn(200), j)
			if err := s.Add(st, at, []byte(body)); err != nil {
				t.Fatal(err)
			}
			if i%3 == 0 {
				records = append([]string{body}, records...)
			} else {
				records = append(records, body)
			}
		}
		if packed, ok, err := s.Pack([]byte("x"), st, 10); err != nil || ok || string(packed) != "x" {
			t.Fatalf("%d records were packed into 10 bytes: %v", n, err)
		}
		packed, ok, err := s.Pack(nil, st, 1<<20)
		if err != nil || !ok {
			t.Fatal(err)
		}
		if err := s.Add(kept, 0, packed); err != nil {
			t.Fatal(err)
		}
		want = append(want, records)
	}
	if len(s.streams) != 1 {
		t.Errorf("%d streams are known", len(s.streams))
	}
	i := 0
	all := s.OpenBeside(kept)
	for ; all.Next(); i++ {
		one, err := s.Open(Unpack(all.Body))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for one.Next() {
			got = append(got, string(one.Body))
		}
		if fmt.Sprint(got) != fmt.Sprint(want[i]) || one.Err() != nil {
			t.Fatalf("stream %d: %q, want %q, %v", i, got, want[i], one.Err())
		}
	}
	if i != len(want) || all.Err() != nil {
		t.Errorf("%d streams of %d, %v", i, len(want), all.Err())
	}
}
