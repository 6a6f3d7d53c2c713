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

// Key is a line of the key map: the names of the keys, as the user reads them, what they do, and the heading above.
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
	for i, pane := range f.panes {
		if pane.keys && f.layout.Panes[i].Width > 0 {
			for _, h := range f.hints {
				lines = append(lines, keys.Line{Group: "You are here: " + pane.title, Does: h.Text})
			}
			return lines
		}
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

// Recipe is how to answer a question with which people open a trace, in the explorer and by commands.
type Recipe struct {
	Question string
	Steps    []RecipeStep
}

// RecipeStep is a step of a Recipe.
type RecipeStep struct {
	Keys    string // what to press; names of actions in braces stand for their keys
	Does    string // in the explorer
	Command string // for the trace of the demo, in demo.bin
	Tells   string // what the command prints
}

// recipes are shown by help, by the tour and by the command guide.
var recipes = []Recipe{
	{"a slow call", []RecipeStep{
		{"{top}", "which methods take the time; Enter there: their calls", "tracex top -n 10 demo.bin", "which methods take the time"},
		{"{callers}", "who calls the method, and how often per call", "tracex callers demo.bin Till.receipt", "who calls it, with the part of the time of each"},
		{":top", ":top where dur>100us, only slow calls; {longest} goes to the longest child", "tracex calls demo.bin Till.receipt --sort dur -n 5", "its slowest calls, with their values"},
	}},
	{"a wrong value", []RecipeStep{
		{"{search}", "search for the value; or {filter} with a filter, such as arg.2=5060", "tracex find demo.bin 'arg.2=5060'", "the calls that got it"},
		{"{history}", "on a row that reads or writes it: all its values", "tracex history demo.bin total --in '#84'", "all values of a variable"},
		{"{before}", "the write before here, and what led to it", "tracex around 'demo.bin#98' -n 8", "what led to the write"},
	}},
	{"an exception", []RecipeStep{
		{"{throws}", "where exceptions were thrown and caught; Enter: the first", "tracex throws demo.bin", "where exceptions were thrown and caught"},
		{"{collapse}", "to the call that threw: its arguments, and who called it", "tracex find demo.bin 'kind=call threw'", "the calls that ended by one, with their arguments"},
		{":callers", ":callers pay where threw, only the calls that ended by it", "tracex callers demo.bin Till.pay --where threw", "who made the calls that failed"},
	}},
}

// Recipes returns the recipes, with the explorer's own keys.
func Recipes() []Recipe {
	m := keys.New(nil, &screen.ASCII)
	var all []Recipe
	for _, r := range recipes {
		steps := make([]RecipeStep, len(r.Steps))
		for i, s := range r.Steps {
			steps[i] = RecipeStep{m.Fill(s.Keys), m.Fill(s.Does), s.Command, s.Tells}
		}
		all = append(all, Recipe{r.Question, steps})
	}
	return all
}
