package prompt

import (
	"cmp"
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/display"
	"tracex/lazy/query/pattern"
)

const (
	maxFilter = 500                   // bytes of a filter
	turnFor   = 20 * time.Millisecond // how long a turn of a scan lasts
	turnLook  = 1 << 12               // how many lines it looks at between looks at the clock
)

// filter is the filter of a list as it is typed. The zero value lets all lines pass.
type filter struct {
	text   string
	expr   bool // the text is a regular expression
	typing bool // the text is being typed
}

func (f *filter) clear() { f.text, f.expr = "", false }

// edit changes the text by a key: by its name, or the text that it types.
func (f *filter) edit(name, text string) {
	switch name {
	case "esc":
		f.typing = false
		f.clear()
	case "ctrl+r", "alt+r":
		f.expr = !f.expr
	case "backspace":
		if r := []rune(f.text); len(r) > 0 {
			f.text = string(r[:len(r)-1])
		}
	case "ctrl+u":
		f.text = ""
	default:
		if len(f.text) < maxFilter {
			f.text += text
		}
	}
}

// typed handles a key while the filter is being typed.
func (l *List) typed(k tea.KeyPressMsg, name string) ListAction {
	switch name {
	case "enter":
		l.filter.typing = false
		return ListAction{}
	case "down", "up":
		l.filter.typing = false
		return l.HandleKey(k)
	}
	l.filter.edit(name, k.Text)
	l.refilter()
	return ListAction{}
}

// refilter begins to find the lines that pass the filter. Those of a list that is not long are found at once.
func (l *List) refilter() {
	before := l.Scan
	l.Scan, l.sel, l.top = nil, 0, 0
	if l.filter.text == "" {
		return
	}
	l.Scan = newScan(pattern.New(l.filter.text, l.filter.expr), before)
	if s := l.Scan; !l.Long {
		s.Passed, s.Ended = l.passing(s.P), true
		if other := s.P.Other(); len(s.Passed) == 0 && other != nil {
			s.Others = len(l.passing(other))
		}
	}
}

// Rescan makes the filter look at all lines of a long list again: they are others now.
func (l *List) Rescan() {
	if l.Scan != nil {
		l.Scan = newScan(l.Scan.P, nil)
	}
}

// Changed brings the lines shown up to date after some were added or removed. The cursor stays where it is.
func (l *List) Changed() {
	l.measured, l.widest = 0, 0
	if l.Scan != nil && !l.Long {
		l.Scan.Passed = l.passing(l.Scan.P)
	}
}

// passing returns the lines that match a pattern, each with its heading.
func (l *List) passing(p *pattern.Pattern) []int {
	pass, head := []int{}, -1
	for i := range l.Len() {
		switch it := l.Item(i); {
		case it.Head:
			head = i
		case p.Match([]byte(it.Text())):
			if head >= 0 {
				pass = append(pass, head)
				head = -1
			}
			pass = append(pass, i)
		}
	}
	return pass
}

// Nothing tells why the list has no lines: that none passes the filter, and how many pass its other reading.
func (l *List) Nothing() string {
	s := l.Scan
	switch {
	case s != nil && s.P.Fault != "":
		return "not a regular expression: " + s.P.Fault
	case s != nil && !s.Ended:
		return "none yet"
	case s == nil && l.None != nil:
		return l.None()
	case s == nil:
		return "nothing here"
	}
	verb := " contains "
	if s.P.Expr {
		verb = " matches "
	}
	text := cmp.Or(l.NoLine, "no line") + verb + s.P.Text
	if s.Others > 0 {
		text += "; " + s.P.Other().Reading() + ": " + display.Grouped(int64(s.Others)) + ", / and Ctrl-R"
	}
	return text
}

// Scan is the lines of a list that match a pattern, as far as they have been looked at: the owner of a long list does
// so in turns, in the background. A line is known by a number, which need not be its place in the list.
type Scan struct {
	P      *pattern.Pattern
	Looked int   // how many of the candidates have been looked at
	Passed []int // numbers of the lines that match
	Others int   // lines that match the other reading of the pattern, while none matches this one
	Ended  bool
	Err    error // why it ended early

	among []int // candidates, which passed a wider pattern; nil for all
	of    int   // how many candidates there were at the last turn
}

// newScan returns the scan for a pattern. If it is narrower than before, which was for the same
// lines and may be nil, only the lines that passed before are looked at.
func newScan(p *pattern.Pattern, before *Scan) *Scan {
	s := &Scan{P: p, Ended: p.Fault != ""}
	if before != nil && before.Ended && before.Err == nil && p.Narrows(before.P) && len(before.Passed) > 0 {
		s.among = before.Passed
	}
	return s
}

// Progress tells how far the scan is; "" if it has looked at all lines.
func (s *Scan) Progress() string {
	switch share := display.Percent(int64(s.Looked), int64(max(1, s.of))) + " searched"; {
	case s.Err != nil:
		return "stopped, " + share
	case !s.Ended:
		return share
	}
	return ""
}

// Of returns how many of a list's n lines have to be looked at.
func (s *Scan) Of(n int) int {
	if s.among != nil {
		return len(s.among)
	}
	return n
}

// Lines calls test for lines, given by their numbers: match tells whether one matches a pattern.
type Lines func(ctx context.Context, numbers []int, test func(number int, match func(*pattern.Pattern) bool)) error

// Turn returns work that looks at more of a list's n lines. It returns what adds to the scan what was found.
func (s *Scan) Turn(n int, number func(i int) int, lines Lines) (work func(ctx context.Context) (found func())) {
	p, looked, other := s.P, s.Looked, s.P.Other()
	if len(s.Passed) > 0 {
		other = nil
	}
	if among := s.among; among != nil {
		n, number = len(among), func(i int) int { return among[i] }
	}
	s.of = n
	return func(ctx context.Context) func() {
		var passed, numbers []int
		others, err := 0, error(nil)
		for until := time.Now().Add(turnFor); looked < n && err == nil && !time.Now().After(until); looked += len(numbers) {
			numbers = numbers[:0]
			for i := looked; i < min(looked+turnLook, n); i++ {
				numbers = append(numbers, number(i))
			}
			err = lines(ctx, numbers, func(number int, match func(*pattern.Pattern) bool) {
				switch {
				case match(p):
					passed = append(passed, number)
				case other != nil && match(other):
					others++
				}
			})
		}
		return func() {
			s.Passed, s.Others, s.Looked = append(s.Passed, passed...), s.Others+others, looked
			s.Ended, s.Err = looked == n || err != nil, err
		}
	}
}
