// Package places has result sets: sorted places in a trace, whatever found them.
package places

import (
	"math"
	"slices"
	"sort"
	"sync"

	"tracex/lazy"
)

// MaxPlaces is how many places a Set keeps, 8 bytes each. It counts further ones.
const MaxPlaces = 4 << 20

// Set is a set of trace points that a tree can show, see [lazy.Places]: each by the logical offset in its thread's stream. It grows in
// the order of the trace while it is searched for. Any goroutine may use it.
type Set struct {
	mu      sync.RWMutex
	threads []*placesOf // by id
	count   int         // of places kept
	beyond  int64       // of places found after MaxPlaces
	upto    lazy.Position
	done    bool
	most    int // MaxPlaces, or less in tests
}

// placesOf is the places in one thread.
type placesOf struct {
	thread int32
	before int // places in threads with lower ids
	at     []int64
}

// New returns an empty set that is still being searched for.
func New() *Set { return &Set{most: MaxPlaces, upto: lazy.Position{At: -1}} }

// Reset empties the set.
func (s *Set) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.threads, s.count, s.beyond, s.done = nil, 0, 0, false
	s.upto = lazy.Position{At: -1}
}

// Add adds places of one thread in rising order. They must be after all places added before, in the
// order of the trace: by thread id, then by offset.
func (s *Set) Add(thread int32, at ...int64) {
	if len(at) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	room := s.most - s.count
	if room < len(at) {
		s.beyond += int64(len(at) - room)
		at = at[:room]
	}
	if len(at) == 0 {
		return
	}
	n := len(s.threads)
	if n == 0 || s.threads[n-1].thread != thread {
		s.threads = append(s.threads, &placesOf{thread: thread, before: s.count})
		n++
	}
	last := s.threads[n-1]
	last.at = append(last.at, at...)
	s.count += len(at)
	s.upto = lazy.Position{Thread: thread, At: at[len(at)-1] + 1}
}

// Reached records that everything before p has been searched; p rises.
func (s *Set) Reached(p lazy.Position) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.upto = p
}

// Finish records that everything has been searched.
func (s *Set) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
}

// Done reports whether everything has been searched.
func (s *Set) Done() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.done
}

// Count returns how many places the set keeps, and how many were found beyond these.
func (s *Set) Count() (kept int, beyond int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.count, s.beyond
}

// Frontier returns the position up to which the set is complete; done means that it is
// complete as a whole. A set that has places beyond those it keeps is complete up to its last one.
func (s *Set) Frontier() (upto lazy.Position, done bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.beyond > 0 {
		last := s.threads[len(s.threads)-1]
		return lazy.Position{Thread: last.thread, At: last.at[len(last.at)-1] + 1}, false
	}
	return s.upto, s.done
}

// Known returns the offset in a thread before which the set is complete; [math.MaxInt64] if it has
// all of the thread's places.
func (s *Set) Known(thread int32) int64 {
	upto, done := s.Frontier()
	switch {
	case done || thread < upto.Thread:
		return math.MaxInt64
	case thread == upto.Thread:
		return upto.At
	}
	return -1
}

// First returns the first place of a thread at an offset from from to before to.
func (s *Set) First(thread int32, from, to int64) (at int64, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if t, _ := s.of(thread); t != nil {
		if i := below(t.at, from); i < len(t.at) && t.at[i] < to {
			return t.at[i], true
		}
	}
	return 0, false
}

// Last returns the last place of a thread at an offset from from to before to.
func (s *Set) Last(thread int32, from, to int64) (at int64, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if t, _ := s.of(thread); t != nil {
		if i := below(t.at, to); i > 0 && t.at[i-1] >= from {
			return t.at[i-1], true
		}
	}
	return 0, false
}

// NextThread returns the first thread with this id or a higher one that has places.
func (s *Set) NextThread(id int32) (next int32, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if _, k := s.of(id); k < len(s.threads) {
		return s.threads[k].thread, true
	}
	return 0, false
}

// PrevThread returns the last thread with this id or a lower one that has places.
func (s *Set) PrevThread(id int32) (prev int32, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch t, k := s.of(id); {
	case t != nil:
		return id, true
	case k > 0:
		return s.threads[k-1].thread, true
	}
	return 0, false
}

// Place returns the i-th place, from 0; ok is false if the set does not keep as many.
func (s *Set) Place(i int) (p lazy.Position, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i < 0 || i >= s.count {
		return p, false
	}
	k := sort.Search(len(s.threads), func(k int) bool { return s.threads[k].before > i }) - 1
	t := s.threads[k]
	return lazy.Position{Thread: t.thread, At: t.at[i-t.before]}, true
}

// Index returns how many places are before p.
func (s *Set) Index(p lazy.Position) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, k := s.of(p.Thread)
	if t == nil {
		if k == len(s.threads) {
			return s.count
		}
		return s.threads[k].before
	}
	return t.before + below(t.at, p.At)
}

// Within returns how many places of a thread are at offsets from from to before to, and the first of
// them.
func (s *Set) Within(thread int32, from, to int64) (n int, first int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t, _ := s.of(thread)
	if t == nil {
		return 0, 0
	}
	i, j := below(t.at, from), below(t.at, to)
	if i >= j {
		return 0, 0
	}
	return j - i, t.at[i]
}

// Threads returns the number of places in each thread that has any, by thread id.
func (s *Set) Threads() (ids []int32, counts []int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, t := range s.threads {
		ids, counts = append(ids, t.thread), append(counts, len(t.at))
	}
	return ids, counts
}

func below(at []int64, x int64) int {
	i, _ := slices.BinarySearch(at, x)
	return i
}

// of returns the places of a thread, nil if there are none, and the index of the first thread with
// this id or a higher one.
func (s *Set) of(thread int32) (*placesOf, int) {
	k := sort.Search(len(s.threads), func(k int) bool { return s.threads[k].thread >= thread })
	if k < len(s.threads) && s.threads[k].thread == thread {
		return s.threads[k], k
	}
	return nil, k
}
