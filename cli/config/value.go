package config

import (
	"fmt"
	"strings"
)

// Kind is the type of a value.
type Kind int

const (
	Text Kind = iota
	Bool
	Number
	List
	Other // a date or a table
)

// Value is what the file, or a variable of the environment, sets.
type Value struct {
	Kind Kind
	Text string  // of a text its characters, of anything else what is written in the file
	List []Value // of a list
}

// TextOf returns the value of a variable of the environment.
func TextOf(text string) Value { return Value{Kind: Text, Text: text} }

// Texts returns a list of texts.
func Texts(texts []string) Value {
	list := Value{Kind: List}
	for _, text := range texts {
		list.List = append(list.List, TextOf(text))
	}
	return list
}

// String returns the value as the file has it.
func (v Value) String() string {
	switch v.Kind {
	case Text:
		return Quote(v.Text)
	case List:
		all := make([]string, len(v.List))
		for i, one := range v.List {
			all[i] = one.String()
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	return v.Text
}

// Word returns a text, or a number as text.
func (v Value) Word() (string, error) {
	if v.Kind != Text && v.Kind != Number {
		return "", fmt.Errorf("expected a text in quotes, found %v", v)
	}
	return v.Text, nil
}

// Words returns a list of texts. One text is a list of one.
func (v Value) Words() ([]string, error) {
	if v.Kind != List {
		word, err := v.Word()
		if err != nil {
			return nil, fmt.Errorf("expected a list of texts, found %v", v)
		}
		return []string{word}, nil
	}
	words := make([]string, 0, len(v.List))
	for _, one := range v.List {
		word, err := one.Word()
		if err != nil {
			return nil, fmt.Errorf("expected a list of texts, found %v in it", one)
		}
		words = append(words, word)
	}
	return words, nil
}

// Truth returns true or false. The environment has them as text.
func (v Value) Truth() (bool, error) {
	switch v.Text {
	case "true", "false":
		if v.Kind == Bool || v.Kind == Text {
			return v.Text == "true", nil
		}
	}
	return false, fmt.Errorf("expected true or false, found %v", v)
}

// Quote writes a text as the file has it.
func Quote(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }) {
		return `"` + text + `"`
	}
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == '\'' || r == 0x7f }) {
		return "'" + text + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r == 0x7f:
			b.WriteString(`\u` + fmt.Sprintf("%04x", r))
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// QuoteAll writes a list of texts as the file has it.
func QuoteAll(texts []string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = Quote(text)
	}
	return "[" + strings.Join(all, ", ") + "]"
}
