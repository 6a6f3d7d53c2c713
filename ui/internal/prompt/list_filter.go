package prompt

import (
	"iter"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/display"
	"tracex/lazy/query/pattern"
)

// maxFilter bounds a filter, in bytes.
const maxFilter = 500

// filter is the filter of a list: the text typed, and which lines pass. The zero value lets all
// pass.
type filter struct {
	text   string
	expr   bool             // the text is a regular expression
	typing bool             // the text is being typed
	p      *pattern.Pattern // pattern of the text; nil if none
	others int              // lines that match the other reading of the text, if none matches this one
	shown  []int            // indexes of the lines that pass; nil means all
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

func (f *filter) parse() {
	f.shown, f.p, f.others = nil, nil, 0
	if f.text != "" {
		f.p = pattern.New(f.text, f.expr)
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

// refilter finds the lines that contain the filter, each with its heading.
func (l *List) refilter() {
	l.filter.parse()
	l.sel, l.top = 0, 0
	switch p := l.filter.p; {
	case l.Filter != nil:
		l.Filter(p)
	case p != nil:
		l.filter.shown = l.passing(p)
		if other := p.Other(); len(l.filter.shown) == 0 && other != nil {
			l.filter.others = len(l.passing(other))
		}
	}
}

// Changed brings the lines shown up to date after some were added or removed. The cursor stays
// where it is.
func (l *List) Changed() {
	l.measured, l.widest = 0, 0
	if l.filter.shown != nil {
		l.filter.shown = l.passing(l.filter.p)
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

func (l *List) nothing() string {
	switch {
	case l.filter.p != nil && l.filter.p.Fault != "":
		return "not a regular expression: " + l.filter.p.Fault
	case l.None != nil:
		return l.None()
	case l.filter.p == nil:
		return "nothing here"
	}
	return NonePasses(l.filter.p, "no line", l.filter.others)
}

// NonePasses tells that nothing passes a filter, and how many lines pass its other reading.
func NonePasses(p *pattern.Pattern, what string, others int) string {
	verb := " contains "
	if p.Expr {
		verb = " matches "
	}
	text := what + verb + p.Text
	if others > 0 {
		text += "; " + p.Other().Reading() + ": " + display.Grouped(int64(others)) + ", / and Ctrl-R"
	}
	return text
}

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
