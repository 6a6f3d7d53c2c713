// Package config reads the file in which users keep their settings: where it is, its entries with
// their lines, and the faults in them. It does not know which settings exist: a [Section] does.
package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"tracex/lazy/query/nearest"
)

// File is what a file sets. Faults do not hide the entries around them.
type File struct {
	Path    string
	Entries []Entry // in their order
	Faults  []Fault // what is not TOML, or set twice
}

// Entry is a line of the file: in the table Section, Name = Value.
type Entry struct {
	Section, Name string // Section is "" before the first table; those of tables in tables have dots
	Value         Value
	Line          int // from 1
}

// Key returns the full name of an entry: keys.search.
func (e *Entry) Key() string {
	if e.Section == "" {
		return e.Name
	}
	return e.Section + "." + e.Name
}

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

// Fault is a mistake in the file, or in a variable of the environment.
type Fault struct {
	In   string // the file's path, or the variable's name
	Line int    // 0 for a variable
	Text string
}

func (f Fault) Error() string { return Where(f.In, f.Line) + ": " + f.Text }

// Where names a line of a file, or, if it is 0, a variable.
func Where(in string, line int) string {
	if line == 0 {
		return in
	}
	return fmt.Sprintf("%s:%d", in, line)
}

// add keeps an entry, unless there is one of the same name.
func (f *File) add(e Entry) {
	for i := range f.Entries {
		if old := &f.Entries[i]; old.Section == e.Section && old.Name == e.Name {
			f.fault(e.Line, fmt.Sprintf("%s is set twice; line %d counts", e.Key(), old.Line))
			return
		}
	}
	f.Entries = append(f.Entries, e)
}

func (f *File) fault(line int, text string) {
	f.Faults = append(f.Faults, Fault{f.Path, line, text})
}

// Section is a table of the file: which settings exist, and how they are set.
type Section struct {
	Name  string
	Names []string // of its settings
	// Set takes over a value, or tells what is wrong with it.
	Set func(e *Entry) error
}

// Apply sets all entries that are right, and returns the faults of the file in the order of its
// lines.
func (f *File) Apply(sections []Section) []Fault {
	faults := slices.Clone(f.Faults)
	for i := range f.Entries {
		e := &f.Entries[i]
		if text := apply(sections, e); text != "" {
			faults = append(faults, Fault{f.Path, e.Line, text})
		}
	}
	slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	return faults
}

// apply sets an entry and returns what is wrong with it, "" if nothing.
func apply(sections []Section, e *Entry) string {
	var names []string
	for _, s := range sections {
		if s.Name != e.Section {
			names = append(names, "["+s.Name+"]")
			continue
		}
		if !slices.Contains(s.Names, e.Name) {
			return fmt.Sprintf("[%s] has no setting %s; nearest: %s", s.Name, e.Name, joined(nearest.Typed(e.Name, s.Names, nil, 3)))
		}
		if err := s.Set(e); err != nil {
			return fmt.Sprintf("%s: %v", e.Name, err)
		}
		return ""
	}
	if e.Section == "" {
		for _, s := range sections {
			if slices.Contains(s.Names, e.Name) {
				return fmt.Sprintf("%s belongs in the table [%s]", e.Name, s.Name)
			}
		}
		return fmt.Sprintf("%s is in no table; tables: %s", e.Name, joined(names))
	}
	return fmt.Sprintf("no table [%s]; tables: %s", e.Section, joined(names))
}

func joined(names []string) string { return strings.Join(names, ", ") }

// Variable is the variable of the environment that names the file.
const Variable = "TRACEX_CONFIG"

// Place is where the file is.
type Place struct {
	Path  string // "" if there is no place for it
	Named bool   // by the user, so it must exist
}

// Find returns the place of the file: what TRACEX_CONFIG names, else tracex/config in
// XDG_CONFIG_HOME, else in the system's directory for configurations, which on Unix is ~/.config.
func Find() Place { return find(runtime.GOOS, os.Getenv, os.UserConfigDir) }

func find(system string, getenv func(string) string, userDir func() (string, error)) Place {
	if path := getenv(Variable); path != "" {
		return Place{path, true}
	}
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the specification: ignore others
		dir = ""
	}
	if home := getenv("HOME"); dir == "" && home != "" && system != "darwin" && system != "windows" {
		dir = filepath.Join(home, ".config")
	}
	if dir == "" {
		var err error
		if dir, err = userDir(); err != nil {
			return Place{}
		}
	}
	return Place{Path: filepath.Join(dir, "tracex", "config")}
}
