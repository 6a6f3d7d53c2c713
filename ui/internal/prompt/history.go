package prompt

import (
	"slices"
	"strings"
)

// maxKept bounds the texts kept, for each kind of prompt.
const maxKept = 100

// History makes prompts and remembers the texts typed into those of the same label, the newest
// last. The zero value is empty.
type History map[string][]Text

// Open returns a prompt. The hint tells what can be typed.
func (h History) Open(label, hint string) *Prompt {
	before := h[label]
	return &Prompt{label: label, hint: hint, input: field{limit: maxTyped}, before: append(slices.Clone(before), Text{}), at: len(before)}
}

// OpenPattern returns a prompt for a pattern.
func (h History) OpenPattern(label, hint string) *Prompt {
	p := h.Open(label, hint)
	p.patterns = true
	return p
}

// Keep remembers the text typed, for the next prompt of the same label.
func (h *History) Keep(p *Prompt) {
	what := p.Text()
	if strings.TrimSpace(what.Text) == "" {
		return
	}
	if *h == nil {
		*h = make(History)
	}
	before := slices.DeleteFunc((*h)[p.label], func(t Text) bool { return t == what })
	(*h)[p.label] = append(before[max(0, len(before)+1-maxKept):], what)
}
