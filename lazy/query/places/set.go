// Package places has result sets: sorted places in a trace, whatever found them.
package places

import (
	"math"
	"sort"
	"sync"

	"tracex/lazy"
)

// MaxPlaces is how many places a Set keeps, 4 bytes each and 8 for each thread. It counts further ones.
const MaxPlaces = 4 << 20

// Set is a set of trace points that a tree can show, see [lazy.Places]: each by the logical offset in its thread's stream. It grows in
// the order of the trace while it is searched for. Any goroutine may use it.
type Set struct {
	mu      sync.RWMutex
	threads []threadPlaces // by id
	places  offsets        // of one thread after the other
	beyond  int64          // number of places found after MaxPlaces
	upto    lazy.Position
	done    bool
	most    int // MaxPlaces, or less in tests
}

// threadPlaces are the places in one thread.
type threadPlaces struct {
	thread int32
	from   int32 // the index of the first
}

// New returns an empty set that is still being searched for.
func New() *Set { return &Set{most: MaxPlaces, upto: lazy.Position{At: -1}} }

// Reset empties the set.
func (s *Set) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.threads, s.places, s.beyond, s.done = nil, offsets{}, 0, false
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
	room := s.most - s.places.n
	if room < len(at) {
		s.beyond += int64(len(at) - room)
		at = at[:room]
	}
	if len(at) == 0 {
		return
	}
	n := len(s.threads)
	if n == 0 || s.threads[n-1].thread != thread {
		s.threads = append(s.threads, threadPlaces{thread, int32(s.places.n)})
	}
	s.places.add(at...)
	s.upto = lazy.Position{Thread: thread, At: at[len(at)-1] + 1}
}

// Miss records that there are n more places, which the set does not keep.
func (s *Set) Miss(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beyond += n
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
	return s.places.n, s.beyond
}

// Frontier returns the position up to which the set is complete; done means that it is
// complete as a whole. A set that has places beyond those it keeps is complete up to its last one.
func (s *Set) Frontier() (upto lazy.Position, done bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.beyond > 0 && s.places.n > 0 {
		return lazy.Position{Thread: s.threads[len(s.threads)-1].thread, At: s.places.at(s.places.n-1) + 1}, false
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
	first, end, _ := s.of(thread)
	if i := s.places.below(first, end, from); i < end {
		at = s.places.at(i)
		return at, at < to
	}
	return 0, false
}

// Last returns the last place of a thread at an offset from from to before to.
func (s *Set) Last(thread int32, from, to int64) (at int64, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	first, end, _ := s.of(thread)
	if i := s.places.below(first, end, to); i > first {
		at = s.places.at(i - 1)
		return at, at >= from
	}
	return 0, false
}

// NextThread returns the first thread with this id or a higher one that has places.
func (s *Set) NextThread(id int32) (next int32, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if _, _, k := s.of(id); k < len(s.threads) {
		return s.threads[k].thread, true
	}
	return 0, false
}

// PrevThread returns the last thread with this id or a lower one that has places.
func (s *Set) PrevThread(id int32) (prev int32, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch first, end, k := s.of(id); {
	case first < end:
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
	if i < 0 || i >= s.places.n {
		return p, false
	}
	k := sort.Search(len(s.threads), func(k int) bool { return int(s.threads[k].from) > i }) - 1
	return lazy.Position{Thread: s.threads[k].thread, At: s.places.at(i)}, true
}

// Index returns how many places are before p.
func (s *Set) Index(p lazy.Position) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	first, end, _ := s.of(p.Thread)
	return s.places.below(first, end, p.At)
}

// Within returns how many places of a thread are at offsets from from to before to, and the first of
// them.
func (s *Set) Within(thread int32, from, to int64) (n int, first int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, end, _ := s.of(thread)
	i, end = s.places.below(i, end, from), s.places.below(i, end, to)
	if i >= end {
		return 0, 0
	}
	return end - i, s.places.at(i)
}

// of returns the indexes of the places of a thread, from first to before end: the same if there are none.
// k is the index of the first thread with this id or a higher one.
func (s *Set) of(thread int32) (first, end, k int) {
	k = sort.Search(len(s.threads), func(k int) bool { return s.threads[k].thread >= thread })
	from := func(k int) int {
		if k < len(s.threads) {
			return int(s.threads[k].from)
		}
		return s.places.n
	}
	if first = from(k); k < len(s.threads) && s.threads[k].thread == thread {
		return first, from(k + 1), k
	}
	return first, first, k
}
