package ui

import (
	"strings"

	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
)

// Action is what a key does: a line of the key map.
type Action struct {
	Name        string   // lower-case words with hyphens, always the same
	Group, Does string   // as in help
	Keys        []string // as ParseKey names them
}

// Actions returns the key map with the user's keys: see Options.
func Actions(user map[string][]string) (all []Action) {
	for _, c := range keys.New(user, &screen.ASCII).All {
		if c.Bindable() {
			all = append(all, Action{string(c.Name), c.Group, c.Key.Help().Desc, c.Key.Keys()})
		}
	}
	return all
}

// ParseKey returns the name of a key: "j", "pgdown", "ctrl+d". The spelling may differ: PgDn, C-d.
func ParseKey(text string) (string, error) { return keys.ParseKey(text) }

// Key is a line of the key map: the names of the keys, as the user reads them, and what they
// do. Group is the heading above it.
type Key = keys.Line

// Keys returns the key map, as help shows it, with names in ASCII.
func Keys() []Key { return keys.New(nil, &screen.ASCII).Help() }

// helpLines are the lines of the explorer's help: the recipes after the keys.
func helpLines(m *keys.Map) []keys.Line {
	lines := m.Help()
	for _, r := range recipes {
		for _, s := range r.Steps {
			lines = append(lines, keys.Line{Group: "How to find " + r.Question, Names: m.Fill(s.Keys), Does: m.Fill(s.Does)})
		}
	}
	return lines
}

// mostHere is how many of the keys that are useful now the help has first.
const mostHere = 8

// here returns the keys that are useful now, as the bottom line has them, below where the user is.
func (f *frame) here(in *env.Front, m *keys.Map) (lines []keys.Line) {
	if l := in.List(); l != nil {
		for _, does := range strings.Split(l.Hint(1<<16, f.g), "   ") {
			lines = append(lines, keys.Line{Group: "You are here: list", Does: does})
		}
		return lines
	}
	if in := f.focused(); in != nil {
		for _, h := range f.hints {
			lines = append(lines, keys.Line{Group: "You are here: " + in.title, Does: h.Text})
		}
		return lines
	}
	group := "You are here: tree"
	for _, c := range f.chips {
		group += " " + f.g.Dot + " " + strings.Trim(c.Text, "[] "+f.g.Cross)
	}
	for _, h := range f.hints[:min(len(f.hints), mostHere)] {
		c := m.Named(h.Command).Key.Help()
		lines = append(lines, keys.Line{Group: group, Names: c.Key, Does: c.Desc})
	}
	return lines
}
