package prompt

import (
	"iter"
	"time"

	"tracex/lazy/query/pattern"
)

// How long a turn of a scan lasts, and how many lines it looks at between looks at the clock.
const (
	turnFor  = 20 * time.Millisecond
	turnLook = 1 << 12
)

// Scan is the lines of a long list that match a pattern, as far as they have been looked at. The
// list looks at them in turns, each in the background. A line is known by a number, which need not
// be its place in the list.
type Scan struct {
	P      *pattern.Pattern
	Looked int   // how many of the candidates have been looked at
	Passed []int // numbers of the lines that match
	Others int   // lines that match the other reading of the pattern, while none matches this one
	Ended  bool

	among []int // candidates, which passed a wider pattern; nil for all
}

// NewScan returns the scan for a pattern. If it is narrower than before, which was for the same
// lines and may be nil, only the lines that passed before are looked at.
func NewScan(p *pattern.Pattern, before *Scan) *Scan {
	s := &Scan{P: p, Ended: p.Fault != ""}
	if before != nil && before.Ended && before.P != p && p.Narrows(before.P) && len(before.Passed) > 0 {
		s.among = before.Passed
	}
	return s
}

// Of returns how many of a list's n lines have to be looked at.
func (s *Scan) Of(n int) int {
	if s.among != nil {
		return len(s.among)
	}
	return n
}

// Lines gives yield lines by number, until it returns false: match tells whether one matches a pattern. It is called
// before yield returns.
type Lines func(numbers iter.Seq[int], yield func(number int, match func(*pattern.Pattern) bool) bool)

// Turn returns work that looks at some more of a list's n lines. number is the number of the i-th.
func (s *Scan) Turn(n int, number func(i int) int, lines Lines) func() Turned {
	p, from, other := s.P, s.Looked, s.P.Other()
	if len(s.Passed) > 0 {
		other = nil
	}
	if among := s.among; among != nil {
		number = func(i int) int { return among[i] }
	}
	n = s.Of(n)
	return func() Turned {
		end := Turned{scan: s, Looked: from}
		for until := time.Now().Add(turnFor); end.Looked < n; {
			to := min(end.Looked+turnLook, n)
			lines(func(yield func(int) bool) {
				for ; end.Looked < to && yield(number(end.Looked)); end.Looked++ {
				}
			}, func(number int, match func(*pattern.Pattern) bool) bool {
				switch {
				case match(p):
					end.passed = append(end.passed, number)
				case other != nil && match(other):
					end.others++
				}
				return true
			})
			if time.Now().After(until) {
				break
			}
		}
		end.ended = end.Looked == n
		return end
	}
}

// Turned is the result of a turn.
type Turned struct {
	scan   *Scan
	Looked int // lines looked at since the scan began
	passed []int
	others int
	ended  bool
}

// Of returns the scan whose turn it was.
func (t Turned) Of() *Scan { return t.scan }

// Apply adds the result of a turn to its scan.
func (t Turned) Apply() {
	s := t.scan
	s.Looked, s.Ended = t.Looked, t.ended
	s.Passed = append(s.Passed, t.passed...)
	s.Others += t.others
}
