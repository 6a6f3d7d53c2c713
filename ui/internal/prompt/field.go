package prompt

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// field is a line of text being typed, with a shell's keys. It holds at most limit characters;
// 0 means no limit.
type field struct {
	text  []rune
	at    int // the cursor is before text[at]
	limit int
}

func (f *field) Value() string { return string(f.text) }

// Position returns the cursor's position, in characters.
func (f *field) Position() int { return f.at }

// CursorEnd moves the cursor after the last character.
func (f *field) CursorEnd() { f.at = len(f.text) }

// SetValue replaces the text. The cursor keeps its position, or moves to the end of a shorter text.
func (f *field) SetValue(text string) {
	f.text = nil
	at := f.at
	f.at = 0
	f.insert(text)
	f.at = min(at, len(f.text))
}

// Update edits the text with a key or a paste, and reports whether the text has changed.
func (f *field) Update(msg tea.Msg) (changed bool) {
	before := f.Value()
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if edit, ok := fieldKeys[msg.String()]; ok {
			edit(f)
		} else {
			f.insert(msg.Text)
		}
	case tea.PasteMsg:
		f.insert(msg.Content)
	}
	return f.Value() != before
}

// insert inserts text before the cursor. It turns a line break or a tab into a blank, and drops
// other control characters.
func (f *field) insert(text string) {
	var typed []rune
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			typed = append(typed, ' ')
		case !unicode.IsControl(r):
			typed = append(typed, r)
		}
	}
	if f.limit > 0 {
		typed = typed[:max(0, min(len(typed), f.limit-len(f.text)))]
	}
	f.text = slices.Insert(f.text, f.at, typed...)
	f.at += len(typed)
}

// cut removes the text between two positions, and leaves the cursor there.
func (f *field) cut(from, to int) {
	f.text = slices.Delete(f.text, from, to)
	f.at = from
}

// wordBefore returns where the word before the cursor begins.
func (f *field) wordBefore() int {
	i := f.at
	for i > 0 && unicode.IsSpace(f.text[i-1]) {
		i--
	}
	for i > 0 && !unicode.IsSpace(f.text[i-1]) {
		i--
	}
	return i
}

// wordAfter returns where the word after the cursor ends.
func (f *field) wordAfter() int {
	i := f.at
	for i < len(f.text) && unicode.IsSpace(f.text[i]) {
		i++
	}
	for i < len(f.text) && !unicode.IsSpace(f.text[i]) {
		i++
	}
	return i
}

// Edits reports whether a key edits a line, other than by being a character.
func Edits(key string) bool {
	_, ok := fieldKeys[key]
	return ok
}

// fieldKeys are the keys that are not characters.
var fieldKeys = func() map[string]func(*field) {
	keys := make(map[string]func(*field))
	for _, k := range []struct {
		names string
		do    func(*field)
	}{
		{"right ctrl+f", func(f *field) { f.at = min(f.at+1, len(f.text)) }},
		{"left ctrl+b", func(f *field) { f.at = max(f.at-1, 0) }},
		{"home ctrl+a", func(f *field) { f.at = 0 }},
		{"end ctrl+e", (*field).CursorEnd},
		{"alt+right ctrl+right alt+f", func(f *field) { f.at = f.wordAfter() }},
		{"alt+left ctrl+left alt+b", func(f *field) { f.at = f.wordBefore() }},
		{"backspace ctrl+h", func(f *field) { f.cut(max(f.at-1, 0), f.at) }},
		{"delete ctrl+d", func(f *field) { f.cut(f.at, min(f.at+1, len(f.text))) }},
		{"ctrl+w alt+backspace ctrl+backspace", func(f *field) { f.cut(f.wordBefore(), f.at) }},
		{"alt+d alt+delete ctrl+delete", func(f *field) { f.cut(f.at, f.wordAfter()) }},
		{"ctrl+u", func(f *field) { f.cut(0, f.at) }},
		{"ctrl+k", func(f *field) { f.cut(f.at, len(f.text)) }},
	} {
		for _, name := range strings.Fields(k.names) {
			keys[name] = k.do
		}
	}
	return keys
}()
