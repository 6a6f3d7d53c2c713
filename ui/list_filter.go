package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/pattern"
)

// The filter of a list.

// maxFilter bounds a filter, in bytes.
const maxFilter = 500

// typed edits the filter.
func (l *list) typed(k tea.KeyPressMsg, name string) action {
	switch name {
	case "enter":
		l.filtering = false
		return nil
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
	return nil
}

// refilter finds the lines that contain the filter, each with its heading.
func (l *list) refilter() {
	before, among := l.p, l.shown
	l.sel, l.top, l.shown, l.p, l.others = 0, 0, nil, nil, 0
	if l.filter != "" {
		l.p = pattern.New(l.filter, l.expr)
	}
	if l.sift != nil {
		l.sift(l.p)
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

// passing returns the lines that a pattern passes, each with its heading, among
// some; nil: among all.
func (l *list) passing(p *pattern.Pattern, among []int) []int {
	n := l.n()
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

// textOf returns what a filter looks at of a line.
func (l *list) textOf(i int) (text []byte, heading bool) {
	if l.text != nil {
		return l.text(i), false
	}
	it := l.item(i)
	return []byte(it.text()), it.head
}

// nothing says that there is no line to show.
func (l *list) nothing() string {
	switch {
	case l.p != nil && l.p.Fault != "":
		return "not a regular expression: " + l.p.Fault
	case l.none != nil:
		return l.none()
	case l.p == nil:
		return "nothing here"
	}
	return l.p.None("nothing here", l.others)
}
