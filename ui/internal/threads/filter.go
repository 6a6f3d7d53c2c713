package threads

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/pattern"
)

// How long a turn of a filter lasts, and how many threads it looks at between looks at the clock.
const (
	turnFor  = 20 * time.Millisecond
	turnLook = 1 << 10
)

// filter is the threads that match a pattern, in the order of the list, as far as they have
// been looked at.
type filter struct {
	p      *pattern.Pattern
	among  []int // candidates, which passed a wider pattern; nil for all
	looked int   // how many of the candidates have been looked at
	passed []int
	others int // that pass the other reading of the pattern, while none passes this one
	ended  bool
}

// newFilter returns the filter of a pattern. If it is narrower than before, only the threads
// that passed before are looked at.
func newFilter(p *pattern.Pattern, before *filter) *filter {
	f := &filter{p: p, ended: p.Fault != ""}
	if before != nil && before.ended && before.p != p && p.Narrows(before.p) && len(before.passed) > 0 {
		f.among = before.passed
	}
	return f
}

// of returns how many threads have to be looked at.
func (f *filter) of(l *List) int {
	if f.among != nil {
		return len(f.among)
	}
	return l.all.Len()
}

// turn returns work that looks at some more threads.
func (f *filter) turn(l *List) func() tea.Msg {
	p, all, from, other := f.p, l.all, f.looked, f.p.Other()
	if len(f.passed) > 0 {
		other = nil
	}
	var number func(i int) int
	n := f.of(l)
	if among := f.among; among != nil {
		number = func(i int) int { return among[i] }
	} else if sorted := l.sorted; sorted != nil {
		number = func(i int) int { return sorted[i] }
	} else {
		number = func(i int) int { return i }
	}
	return func() tea.Msg {
		end := turned{f: f, looked: from}
		for until := time.Now().Add(turnFor); end.looked < n; {
			to := min(end.looked+turnLook, n)
			all.Names(func(yield func(int) bool) {
				for ; end.looked < to && yield(number(end.looked)); end.looked++ {
				}
			}, func(thread int, name []byte) bool {
				switch {
				case p.Match(name):
					end.passed = append(end.passed, thread)
				case other != nil && other.Match(name):
					end.others++
				}
				return true
			})
			if time.Now().After(until) {
				break
			}
		}
		end.ended = end.looked == n
		return end
	}
}

// turned is the result of a turn.
type turned struct {
	f      *filter
	looked int
	passed []int
	others int
	ended  bool
}

func (t turned) end(l *List) {
	if l.filter != t.f {
		return // the filter has been replaced
	}
	l.busy = false
	f := t.f
	f.looked, f.ended = t.looked, t.ended
	f.passed = append(f.passed, t.passed...)
	f.others += t.others
}
