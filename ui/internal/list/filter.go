package list

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/pattern"
)

// The filter of a list.

// maxFilter bounds a filter, in bytes.
const maxFilter = 500

// typed edits the filter.
func (l *List) typed(k tea.KeyPressMsg, name string) Action {
	switch name {
	case "enter":
		l.filtering = false
		return Action{}
	case "esc":
		l.filtering, l.filter, l.expr = false, "", false
	case "down", "up":
		l.filtering = false
		return l.HandleKey(k)
	case "ctrl+r", "alt+r":
		l.expr = !l.expr
	case "backspace":
		if r := []rune(l.filter); len(r) > 0 {
			l.filter = string(r[:len(r)-1])
		}
	case "ctrl+u":
		l.filter = ""
	default:
		if len(l.filter) < maxFilter {
			l.filter += k.Text
		}
	}
	l.refilter()
	return Action{}
}

// refilter finds the lines that contain the filter, each with its heading.
func (l *List) refilter() {
	before, among := l.p, l.shown
	l.sel, l.top, l.shown, l.p, l.others = 0, 0, nil, nil, 0
	if l.filter != "" {
		l.p = pattern.New(l.filter, l.expr)
	}
	if l.Filter != nil {
		l.Filter(l.p)
		return
	}
	if l.p == nil {
		return
	}
	if before == nil || !l.p.Narrows(before) {
		among = nil
	}
	l.shown = l.passing(l.p, among)
	if other := l.p.Other(); len(l.shown) == 0 && other != nil {
		l.others = len(l.passing(other, nil))
	}
}

// passing returns the lines that match a pattern, each with its heading, among the given ones,
// or among all if nil.
func (l *List) passing(p *pattern.Pattern, among []int) []int {
	n := l.Len()
	if among != nil {
		n = len(among)
	}
	pass, head := []int{}, -1
	for k := range n {
		i := k
		if among != nil {
			i = among[k]
		}
		text, heading := l.textOf(i)
		switch {
		case heading:
			head = i
			continue
		case !p.Match(text):
			continue
		case head >= 0:
			pass = append(pass, head)
			head = -1
		}
		pass = append(pass, i)
	}
	return pass
}

// textOf returns the text of a line that a filter matches.
func (l *List) textOf(i int) (text []byte, heading bool) {
	if l.Text != nil {
		return l.Text(i), false
	}
	it := l.Item(i)
	return []byte(it.Text()), it.Head
}

// nothing explains why there is no line to show.
func (l *List) nothing() string {
	switch {
	case l.p != nil && l.p.Fault != "":
		return "not a regular expression: " + l.p.Fault
	case l.None != nil:
		return l.None()
	case l.p == nil:
		return "nothing here"
	}
	return l.p.None("nothing here", l.others)
}
