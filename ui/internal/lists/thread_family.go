package lists

import (
	"slices"
	"sort"

	"tracex/lazy/query/goroutines"
	"tracex/ui/internal/prompt"
)

// family is the lines of a list in which each thread is below the one that started it. Those below
// a thread that is collapsed are left out. With a filter the lines are those that pass, and
// the threads above them; none is left out then.
type family struct {
	*goroutines.Forest                // nil in other orders
	linked             bool           // there may be a tree
	folded             map[int32]bool // ids of the threads that are collapsed
	gaps               []gap
	found              found
}

// gap is a place where threads are left out.
type gap struct {
	at     int // the first line after it
	hidden int // how many threads are left out before that line
}

func (f *family) len() int {
	n := f.Of().Len()
	if len(f.gaps) > 0 {
		n -= f.gaps[len(f.gaps)-1].hidden
	}
	return n
}

// thread returns the number of the thread of a line.
func (f *family) thread(line int) int {
	if i := sort.Search(len(f.gaps), func(i int) bool { return f.gaps[i].at > line }); i > 0 {
		line += f.gaps[i-1].hidden
	}
	return f.At(line)
}

// line returns the line of a thread; if that is left out, the line of its nearest ancestor that is not.
func (f *family) line(thread int) int {
	place := f.Place(thread)
	i := sort.Search(len(f.gaps), func(i int) bool { return f.gaps[i].at+f.gaps[i].hidden > place })
	line := place
	if i > 0 {
		line -= f.gaps[i-1].hidden
	}
	if i < len(f.gaps) && line >= f.gaps[i].at {
		line = f.gaps[i].at - 1
	}
	return line
}

func (f *family) fold(thread int, on bool) {
	id := f.Of().ID(thread)
	if f.folded == nil {
		f.folded = make(map[int32]bool)
	}
	if delete(f.folded, id); on {
		f.folded[id] = true
	}
	f.refold()
}

func (f *family) isFolded(thread int) bool { return f.folded[f.Of().ID(thread)] && f.Below(thread) > 0 }

// refold finds out what is left out.
func (f *family) refold() {
	f.gaps = nil
	var places []int
	for id := range f.folded {
		if i := f.Of().Index(id); i < f.Of().Len() && f.Of().ID(i) == id {
			places = append(places, f.Place(i))
		}
	}
	slices.Sort(places)
	end, hidden := 0, 0
	for _, p := range places {
		below := f.Below(f.At(p))
		if p < end || below == 0 {
			continue
		}
		end = p + 1 + below
		at := p + 1 - hidden
		hidden += below
		f.gaps = append(f.gaps, gap{at, hidden})
	}
}

// found is the lines with a filter.
type found struct {
	lines  []int  // threads
	taken  int    // of those that passed
	in     []bool // by thread: it has a line
	passed []bool // by thread
}

// follow adds the threads that have passed a filter since the last call, with those above them. It returns
// the line of the first that passed, once.
func (f *family) follow(s *prompt.Scan) (line int, first bool) {
	if s == nil || len(s.Passed) == f.found.taken {
		return 0, false
	}
	l := &f.found
	first = l.taken == 0
	if l.in == nil {
		l.in, l.passed = make([]bool, f.Of().Len()), make([]bool, f.Of().Len())
	}
	for _, thread := range s.Passed[l.taken:] {
		l.passed[thread] = true
		from := len(l.lines)
		add := func(thread int) bool {
			added := !l.in[thread]
			if added {
				l.in[thread] = true
				l.lines = append(l.lines, thread)
			}
			return added
		}
		add(thread)
		f.Ancestors(thread, add)
		slices.Reverse(l.lines[from:])
	}
	l.taken = len(s.Passed)
	return slices.Index(l.lines, s.Passed[0]), first
}
