package diff

import (
	"testing"
)

// counted returns how often each difference is in a list.
func counted(list []difference) map[difference]int {
	n := make(map[difference]int)
	for _, d := range list {
		n[d]++
	}
	return n
}

// TestSeededPairs: the pairs differ by what their changes noted, and by nothing else; their traces can be read.
func TestSeededPairs(t *testing.T) {
	made := map[string]int{}
	for seed := range uint64(100) {
		p := newSeededPair(t, seed)
		for k, n := range p.made {
			made[k] += n
		}
		want, got := counted(p.want()), counted(p.links())
		for d, n := range want {
			if got[d] != n {
				t.Errorf("pair %d: %+v is there %d times, want %d", seed, d, got[d], n)
			}
		}
		for d, n := range got {
			if want[d] == 0 {
				t.Errorf("pair %d: %+v is there %d times, not noted", seed, d, n)
			}
		}
		if seed%5 == 0 {
			dir := t.TempDir()
			for _, second := range []bool{false, true} {
				p.open(t, dir, second).r.Close()
			}
		}
	}
	for _, k := range changeKinds {
		if made[k] < 20 {
			t.Errorf("%q was made %d times", k, made[k])
		}
	}
	t.Log(made)
}
