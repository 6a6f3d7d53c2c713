package command

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/nearest"
	"tracex/ui/internal/prompt"
)

// Command is a word that can be typed after ":", with or without arguments.
type Command struct {
	Name    string   // lower-case words with hyphens
	Aliases []string // other names, which completion does not offer
	Args    string   // as help shows them: "METHOD", "[N]"; "" if it takes none
	Group   string   // heading in the list of commands
	Help    string   // what it does, in a few words
	Keys    string   // keys that do the same, as the user reads them; "" if none
	// Check tells what is wrong with the arguments. The line then stays open. May be nil.
	Check func(args string) error
	// Complete returns texts for the end of the arguments typed so far: they replace args[from:].
	// May be nil.
	Complete func(args string) (from int, with []prompt.Candidate)
	// Run gets the arguments as typed, without blanks around them.
	Run func(args string) tea.Cmd
}

// Registry is the commands, in the order in which they were added. The zero value is empty.
type Registry struct {
	all   []Command
	named map[string]int // by name and alias
}

// Add adds commands. It panics if a name is taken, which is a bug.
func (r *Registry) Add(commands ...Command) {
	if r.named == nil {
		r.named = make(map[string]int)
	}
	for _, c := range commands {
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			if _, taken := r.named[name]; taken || name == "" {
				panic("the command " + name + " is added twice")
			}
			r.named[name] = len(r.all)
		}
		r.all = append(r.all, c)
	}
}

// All returns the commands.
func (r *Registry) All() []Command { return r.all }

// Parse splits a line into the command and its arguments. The error says what is wrong: the
// command is unknown, takes no arguments, or refuses these.
func (r *Registry) Parse(line string) (c *Command, args string, err error) {
	word, args := split(line)
	i, ok := r.named[strings.ToLower(word)]
	if !ok {
		return nil, "", &UnknownError{word, r.Nearest(word, 3)}
	}
	c = &r.all[i]
	switch {
	case args != "" && c.Args == "":
		return nil, "", fmt.Errorf(":%s takes no arguments", c.Name)
	case c.Check != nil:
		err = c.Check(args)
	}
	return c, args, err
}

// split splits a line at the first blank after the first word.
func split(line string) (word, args string) {
	line = strings.TrimSpace(line)
	i := strings.IndexFunc(line, unicode.IsSpace)
	if i < 0 {
		return line, ""
	}
	return line[:i], strings.TrimSpace(line[i:])
}

// UnknownError is the error that no command has a name.
type UnknownError struct {
	Word    string
	Nearest []string // names of commands, the most similar first
}

func (e *UnknownError) Error() string {
	return "no command " + e.Word + "; the nearest are " + strings.Join(e.Nearest, ", ")
}

// Nearest returns the names of the n commands whose names, or aliases, are most similar to a word.
func (r *Registry) Nearest(word string, n int) []string {
	var names []string
	for i := range r.all {
		names = append(names, r.all[i].Name)
	}
	return nearest.Typed(word, names, func(name string) []string { return r.all[r.named[name]].Aliases }, n)
}

// Complete returns what can take the place of the end of a line: names of commands, or arguments.
// They replace line[from:].
func (r *Registry) Complete(line string) (from int, with []prompt.Candidate) {
	start := len(line) - len(strings.TrimLeftFunc(line, unicode.IsSpace))
	end := strings.IndexFunc(line[start:], unicode.IsSpace)
	if end < 0 {
		return start, r.names(strings.ToLower(line[start:]))
	}
	i, ok := r.named[strings.ToLower(line[start:start+end])]
	if !ok || r.all[i].Complete == nil {
		return 0, nil
	}
	args := strings.TrimLeftFunc(line[start+end:], unicode.IsSpace)
	from, with = r.all[i].Complete(args)
	return len(line) - len(args) + from, with
}

// names returns the commands whose name begins with a text, then those with a later word that
// does, then those that an alias names.
func (r *Registry) names(text string) (with []prompt.Candidate) {
	var words, aliases []prompt.Candidate
	for i := range r.all {
		c := &r.all[i]
		candidate := prompt.Candidate{Text: c.Name, Title: strings.TrimSpace(c.Name + " " + c.Args), Help: c.Help, Keys: c.Keys}
		if c.Args != "" {
			candidate.Text += " "
		}
		switch {
		case strings.HasPrefix(c.Name, text):
			with = append(with, candidate)
		case strings.Contains(c.Name, "-"+text):
			words = append(words, candidate)
		case slices.ContainsFunc(c.Aliases, func(a string) bool { return strings.HasPrefix(a, text) }):
			aliases = append(aliases, candidate)
		}
	}
	return append(append(with, words...), aliases...)
}
