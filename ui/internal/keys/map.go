package keys

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/screen"
)

// Map is the commands with the user's keys.
type Map struct {
	All    []Command         // in the order of the help
	Firsts map[string]string // the first keys of commands that have some, as the user reads them, by their names

	g        *screen.Glyphs
	byName   map[Name]*Command
	byKey    map[string]Name
	byWord   map[string]*Command // and by alias
	standard map[string]string   // see InList
	recent   []Name              // commands typed or chosen, the last first
}

// New gives commands the user's keys, by their names, instead of their own; an empty list takes all from one.
// Other commands lose their keys to those. The first of two commands that want the same key gets it.
func New(user map[string][]string, g *screen.Glyphs) *Map { return newMap(table, user, g) }

// newMap panics if two commands have the same word, which is a bug.
func newMap(table []Command, user map[string][]string, g *screen.Glyphs) *Map {
	n := len(table)
	m := &Map{
		All: slices.Clone(table), Firsts: make(map[string]string, n), g: g,
		byName: make(map[Name]*Command, n), byKey: make(map[string]Name, 2*n), byWord: make(map[string]*Command, 2*n), standard: make(map[string]string),
	}
	taken := make(map[string]bool) // by the user
	free := func(keys []string) []string {
		if len(taken) == 0 {
			return keys
		}
		return slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return taken[k] })
	}
	for i := range m.All {
		c := &m.All[i]
		keys, ok := user[string(c.Name)]
		if !ok || !c.Bindable() {
			continue
		}
		own := c.Key.Keys()
		c.Key.SetKeys(free(keys)...)
		for _, k := range c.Key.Keys() {
			if taken[k] = true; len(own) > 0 {
				m.standard[k] = own[0]
			}
		}
	}
	for i := range m.All {
		c := &m.All[i]
		m.byName[c.Name] = c
		if _, ok := user[string(c.Name)]; !ok {
			c.Key.SetKeys(free(c.Key.Keys())...)
		}
		var names []string
		for _, k := range c.Key.Keys() {
			m.byKey[k] = c.Name
			names = append(names, KeyName(k, g))
		}
		if len(names) > 0 {
			m.Firsts[string(c.Name)] = names[0]
		}
		if c.Bindable() {
			c.Key.SetHelp(strings.Join(names, " "), c.withKey(g))
		}
		for _, word := range append([]string{c.Typed()}, c.Aliases...) {
			if m.byWord[word] != nil || word == "" {
				panic("the command " + word + " is in the table twice")
			}
			m.byWord[word] = c
		}
	}
	return m
}

// withKey returns the text of the help with a key of the command in it.
func (c *Command) withKey(g *screen.Glyphs) string {
	help, keys := c.Key.Help().Desc, c.Key.Keys()
	if !strings.Contains(help, "{}") {
		return help
	}
	if len(keys) == 0 {
		text, _, _ := strings.Cut(help, ";")
		return text
	}
	key := " " + KeyName(keys[0], g)
	if i := slices.IndexFunc(keys, func(k string) bool { return utf8.RuneCountInString(k) == 1 }); i >= 0 {
		key = keys[i]
	}
	return strings.Replace(help, "{}", key, 1)
}

// Of returns the command of a key; "" if the key has none.
func (m *Map) Of(key string) Name { return m.byKey[key] }

// Named returns a command. The table must have it.
func (m *Map) Named(c Name) *Command {
	if m.byName[c] == nil {
		panic("no command " + c)
	}
	return m.byName[c]
}

var braces = regexp.MustCompile(`\{[a-z-]+\}`)

// Fill replaces the names of commands in braces by their first keys, or, without one, by the command.
func (m *Map) Fill(text string) string {
	return braces.ReplaceAllStringFunc(text, func(name string) string {
		name = name[1 : len(name)-1]
		return cmp.Or(m.Firsts[name], ":"+name)
	})
}

// InList returns the key that a list knows for one that the user pressed: lists have keys of their own, which
// are those of the table, and follow the user's that way.
func (m *Map) InList(pressed tea.KeyPressMsg) tea.KeyPressMsg {
	if name, ok := m.standard[pressed.String()]; ok {
		return Press(name)
	}
	return pressed
}
