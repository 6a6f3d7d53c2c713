package list

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/pattern"
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

// clear removes the text.
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

// parse makes the pattern of the text. It returns the lines among which those that pass are:
// nil means all.
func (f *filter) parse() (among []int) {
	before, among := f.p, f.shown
	f.shown, f.p, f.others = nil, nil, 0
	if f.text != "" {
		f.p = pattern.New(f.text, f.expr)
	}
	if before == nil || f.p == nil || !f.p.Narrows(before) {
		return nil
	}
	return among
}

// typed handles a key while the filter is being typed.
func (l *List) typed(k tea.KeyPressMsg, name string) Action {
	switch name {
	case "enter":
		l.filter.typing = false
		return Action{}
	case "down", "up":
		l.filter.typing = false
		return l.HandleKey(k)
	}
	l.filter.edit(name, k.Text)
	l.refilter()
	return Action{}
}

// refilter finds the lines that contain the filter, each with its heading.
func (l *List) refilter() {
	among := l.filter.parse()
	l.sel, l.top = 0, 0
	p := l.filter.p
	if l.Filter != nil {
		l.Filter(p)
		return
	}
	if p == nil {
		return
	}
	l.filter.shown = l.passing(p, among)
	if other := p.Other(); len(l.filter.shown) == 0 && other != nil {
		l.filter.others = len(l.passing(other, nil))
	}
}

// Changed brings the lines shown up to date after some were added or removed. The cursor stays
// where it is.
func (l *List) Changed() {
	if l.filter.shown != nil {
		l.filter.shown = l.passing(l.filter.p, nil)
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
	case l.filter.p != nil && l.filter.p.Fault != "":
		return "not a regular expression: " + l.filter.p.Fault
	case l.None != nil:
		return l.None()
	case l.filter.p == nil:
		return "nothing here"
	}
	return l.filter.p.None("no line", l.filter.others)
}
