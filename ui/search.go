package ui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"tracex/lazy"
)

// maxHits bounds the hits that are kept, 24 bytes each.
const maxHits = 1_000_000

// search is a search through all threads, that of the cursor first. Its hits
// stream in from the background, in order within a thread.
//
// It is typed first (cancel is nil: only what is on the screen is looked at),
// then runs, then has ended; it stays until Esc or another one.
type search struct {
	id       int // of its messages; those of an older search are dropped
	p        *pattern
	hits     []lazy.Hit // by thread and place
	order    []int32    // threads in the order in which they are searched
	at       int        // index in order of the thread that is searched
	done     int64      // bytes searched of all threads together
	doneHere int64      // bytes searched of the current thread
	total    int64      // bytes of all threads; 0 until the reader knows all
	since    time.Time
	err      error // why it ended early; context.Canceled: a person stopped it
	ended    bool
	cancel   context.CancelFunc
	feed     chan effect // what the background has to tell; closed at its end
	want     *wanted     // the hit that a person waits for; nil: none
	shown    int         // 1 + index of the hit last gone to; 0: none
}

// wanted is a hit to go to when it is known: the next one from a place.
type wanted struct {
	from  lazy.Place
	dir   int  // 1: behind from, -1: before it
	count int  // the n-th from there, from 1
	here  bool // the place itself counts
}

// The methods may be called on nil: no search.

func (s *search) running() bool { return s != nil && s.cancel != nil && !s.ended }

func (s *search) stop() {
	s.cancel()
	s.ended, s.want = true, nil
	s.err = context.Canceled
}

// outgrown reports whether the trace has more by now than was searched, as one
// has that is being recorded.
func (s *search) outgrown(m *Model) bool {
	return s.ended && s.err == nil && m.recorded > s.total
}

// least is what stands before the number of hits: a sign where there may be more.
func (s *search) least(m *Model) string {
	if s.outgrown(m) {
		return "≥ "
	}
	return ""
}

func (s *search) ranges(text string) [][2]int {
	if s == nil || s.p == nil || s.p.source == "" {
		return nil
	}
	return s.p.ranges(text)
}

// text says what the search has found and how far it is, if possible in room
// cells.
func (s *search) text(m *Model, room int) string {
	name := "/" + cutEnd(s.p.source, 24, m.g)
	if s.cancel == nil { // still being typed
		return name
	}
	n := int64(len(s.hits))
	found := s.least(m) + plural(n, "hit")
	if s.shown > 0 && n > 0 {
		found = fmt.Sprintf("%s of %s%s", grouped(int64(s.shown)), s.least(m), grouped(n))
	}
	switch {
	case s.running():
		text := fmt.Sprintf("%s  %s so far %s %s", name, found, m.spinner(), percent(s.done, s.total))
		const stops = "  esc stops"
		work := lazy.Status{Done: s.done, Total: s.total, Since: s.since}
		if rate := pace(work.Rate(m.clock.now())); textWidth(text+rate+stops, m.g.ascii) <= room {
			text += rate
		}
		return text + stops
	case s.err != nil:
		return fmt.Sprintf("%s  %s, stopped at %s", name, found, percent(s.done, s.total))
	case n == 0 && !s.outgrown(m):
		return name + "  not found"
	}
	return name + "  " + found
}

// compare orders places by thread, then by where they are in it.
func compare(a, b lazy.Place) int {
	return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.At, b.At))
}

// add puts a batch of hits, which are of one thread and in order, in its place.
func (s *search) add(hits []lazy.Hit) {
	if len(hits) == 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(s.hits, hits[0].Place, func(h lazy.Hit, p lazy.Place) int { return compare(h.Place, p) })
	s.hits = slices.Insert(s.hits, i, hits...)
	if s.shown > i {
		s.shown += len(hits)
	}
}

// searched reports whether all hits up to a place are known, from the beginning
// of its thread.
func (s *search) searched(p lazy.Place) bool {
	i := slices.Index(s.order, p.Thread)
	return s.ended || i >= 0 && i < s.at || i >= 0 && i == s.at && p.At < s.doneHere
}

// pick returns the index of the wanted hit. wrapped says that it lies on the
// other side; ok is false when it is not known yet, or there is none.
func (s *search) pick(w *wanted) (i int, wrapped, ok bool) {
	n := len(s.hits)
	if n == 0 {
		return 0, false, false
	}
	i, exact := slices.BinarySearchFunc(s.hits, w.from, func(h lazy.Hit, p lazy.Place) int { return compare(h.Place, p) })
	if w.dir > 0 {
		if exact && !w.here {
			i++
		}
		i += w.count - 1
		// Behind the last hit of the thread others may still come, unless
		// the search is past it.
		if i < n && (s.hits[i].Thread == w.from.Thread || s.ended) {
			return i, false, true
		}
		return i % n, i >= n, s.ended
	}
	i -= w.count
	if i >= 0 && s.searched(w.from) && (s.hits[i].Thread == w.from.Thread || s.ended) {
		return i, false, true
	}
	return ((i % n) + n) % n, i < 0, s.ended
}
