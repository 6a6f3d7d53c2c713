package prompt

import (
	"slices"
	"strings"
)

// maxBefore bounds the texts kept, for each kind of prompt.
const maxBefore = 100

// Memory makes prompts and remembers the texts typed into those of the same label, the newest
// last. The zero value is empty.
type Memory map[string][]Text

// Open returns a prompt. The hint tells what can be typed.
func (m Memory) Open(label, hint string) *Prompt {
	before := m[label]
	return &Prompt{label: label, hint: hint, input: field{limit: maxTyped}, before: append(slices.Clone(before), Text{}), at: len(before)}
}

// OpenPattern returns a prompt for a pattern.
func (m Memory) OpenPattern(label, hint string) *Prompt {
	p := m.Open(label, hint)
	p.patterns = true
	return p
}

// Keep remembers the text typed, for the next prompt of the same label.
func (m *Memory) Keep(p *Prompt) {
	what := p.Text()
	if strings.TrimSpace(what.Text) == "" {
		return
	}
	if *m == nil {
		*m = make(Memory)
	}
	before := slices.DeleteFunc((*m)[p.label], func(t Text) bool { return t == what })
	(*m)[p.label] = append(before[max(0, len(before)+1-maxBefore):], what)
}
