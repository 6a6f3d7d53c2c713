package keys

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"tracex/lazy/query/nearest"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// Map is the commands with the user's keys.
type Map struct {
	All    []Command         // in the order of the help
	Firsts map[string]string // the first keys of commands that have some, as the user reads them, by their names

	g        *screen.Glyphs
	byKey    map[string]Name
	standard map[string]string // see InList
	recent   []Name            // commands typed or chosen, the last first
	line     []*Command        // see Line; nil until asked for
}

// New gives commands the user's keys, by their names, instead of their own; an empty list takes all from one.
// Other commands lose their keys to those. The first of two commands that want the same key gets it.
func New(user map[string][]string, g *screen.Glyphs) *Map { return newMap(table, user, g) }

func newMap(table []Command, user map[string][]string, g *screen.Glyphs) *Map {
	n := len(table)
	m := &Map{
		All: slices.Clone(table), Firsts: make(map[string]string, n), g: g,
		byKey: make(map[string]Name, 2*n), standard: make(map[string]string),
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
		if _, ok := user[string(c.Name)]; !ok {
			c.Key.SetKeys(free(c.Key.Keys())...)
		}
		names := ""
		for i, k := range c.Key.Keys() {
			m.byKey[k] = c.Name
			if name := KeyName(k, g); i > 0 {
				names += " " + name
			} else {
				m.Firsts[string(c.Name)], names = name, name
			}
		}
		if c.Bindable() {
			c.Key.SetHelp(names, c.withKey(g))
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
	return &m.All[slices.IndexFunc(m.All, func(in Command) bool { return in.Name == c })]
}

// typed returns the command that has a word; nil if none has.
func (m *Map) typed(word string) *Command {
	for i := range m.All {
		if c := &m.All[i]; c.Typed() == word || slices.Contains(c.Aliases, word) {
			return c
		}
	}
	return nil
}

var braces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[a-z-]+\}`) })

// Fill replaces the names of commands in braces by their first keys, or, without one, by the command.
func (m *Map) Fill(text string) string {
	return braces().ReplaceAllStringFunc(text, func(name string) string {
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

// Line returns the commands in the order in which completion and the list of commands have them.
func (m *Map) Line() []*Command {
	if m.line == nil {
		for i := range m.All {
			m.line = append(m.line, &m.All[i])
		}
		slices.SortStableFunc(m.line, func(a, b *Command) int { return cmp.Compare(a.rank(), b.rank()) })
	}
	return m.line
}

// Parse splits a line into the command and its arguments, which have no blanks around them. The error says
// what is wrong: the command is unknown, takes no arguments, or takes a number.
func (m *Map) Parse(line string) (c *Command, args string, err error) {
	word, at := split(strings.TrimSpace(line))
	if at >= 0 {
		args = strings.TrimSpace(line)[at:]
	}
	c = m.typed(strings.ToLower(word))
	switch {
	case c == nil:
		return nil, "", errors.New("no command " + word + "; the nearest are " + strings.Join(m.nearest(word, 3), ", "))
	case args != "" && c.Args == "":
		return nil, "", errors.New(":" + c.Typed() + " takes no arguments")
	case c.Args == Number:
		if _, err := ParseNumber(args); err != nil {
			return nil, "", errors.New(args + " is not a number")
		}
	}
	return c, args, nil
}

// split returns the first word of a line, and where what follows begins; -1 if there is no blank after the word.
func split(line string) (word string, at int) {
	word = strings.TrimLeftFunc(line, unicode.IsSpace)
	end := strings.IndexFunc(word, unicode.IsSpace)
	if end < 0 {
		return word, -1
	}
	return word[:end], len(line) - len(strings.TrimLeftFunc(word[end:], unicode.IsSpace))
}

// ParseNumber reads the number before a key; "" is 0, none.
func ParseNumber(text string) (int, error) {
	const most = 1 << 30
	n, err := strconv.Atoi(cmp.Or(text, "0"))
	if n < 0 {
		return 0, errors.New("negative")
	}
	return min(n, most), err
}

// nearest returns the words of the n commands whose words, or aliases, are most similar to a word.
func (m *Map) nearest(word string, n int) []string {
	var words []string
	for _, c := range m.Line() {
		words = append(words, c.Typed())
	}
	return nearest.Typed(word, words, func(word string) []string { return m.typed(word).Aliases }, n)
}

// Arguments returns the command of a line whose arguments are being typed, and where in the line they begin;
// nil if the line has no blank after a command's word.
func (m *Map) Arguments(line string) (c *Command, at int) {
	word, at := split(line)
	if at < 0 {
		return nil, 0
	}
	return m.typed(strings.ToLower(word)), at
}

// Ran notes that the user has typed a command, or chosen it: completion has it first.
func (m *Map) Ran(c Name) {
	m.recent = slices.DeleteFunc(m.recent, func(r Name) bool { return r == c })
	m.recent = slices.Insert(m.recent, 0, c)
}

// Complete returns the commands that can take the place of what a line has: they replace line[from:]. First are those
// used last, if there is no word yet; then those whose word begins with it, those with a later part that does, those that
// an alias names, those that have its letters in this order, and those whose help has it.
func (m *Map) Complete(line string) (from int, with []prompt.Candidate) {
	text := strings.TrimLeftFunc(line, unicode.IsSpace)
	from, text = len(line)-len(text), strings.ToLower(text)
	all := m.Line()
	words := make([]string, len(all))
	for i, c := range all {
		words[i] = c.Typed()
	}
	rank := make([]int, len(all))
	for i, c := range all {
		switch {
		case text == "":
			rank[i] = slices.Index(m.recent, c.Name)
			if rank[i] < 0 {
				rank[i] = len(m.recent)
			}
		case strings.HasPrefix(words[i], text):
			rank[i] = 0
		case strings.Contains(words[i], "-"+text):
			rank[i] = 1
		case slices.ContainsFunc(c.Aliases, func(a string) bool { return strings.HasPrefix(a, text) }):
			rank[i] = 2
		case len(text) > 2 && strings.Contains(strings.ToLower(c.Does()), text):
			rank[i] = 3 + len(all)
		default:
			rank[i] = -1
		}
	}
	lit := make(map[int][]int)
	for i, match := range fuzzy.Find(text, words) {
		lit[match.Index] = match.MatchedIndexes
		if len(text) > 1 && (rank[match.Index] < 0 || rank[match.Index] > 2) {
			rank[match.Index] = 3 + i
		}
	}
	var order []int
	for i := range all {
		if rank[i] >= 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	for _, i := range order {
		c := all[i]
		candidate := prompt.Candidate{Text: words[i], Help: c.Does(), Keys: c.Key.Help().Key, Lit: lit[i]}
		if c.Args != "" {
			candidate.Text += " "
			candidate.Usage = words[i] + " " + c.Args
		}
		with = append(with, candidate)
	}
	return from, with
}
