package tree

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/prompt"
)

// Choice is which columns the user wants, and how. The zero value is the explorer's own choice.
type Choice struct {
	Columns []string // their names from left to right; the last ones are dropped first; nil for the explorer's choice
	Raw     bool     // durations in nanoseconds, and numbers with all digits
}

// textLeast is how many cells the columns that the user chose leave to the text.
const textLeast = 40

// rawWidth is the width of a column of raw durations, with the blanks on the left.
const rawWidth = 17

func Names() []string {
	var names []string
	for _, c := range allColumns {
		names = append(names, c.title)
	}
	return names
}

// all returns the columns that there are in a trace with or without times.
func (c *Choice) all(timed bool) []column {
	var all []column
	for _, one := range allColumns {
		switch {
		case one.times && !timed:
			continue
		case one.title == "children" && !timed:
			one.from = childrenFrom
		}
		if c.Raw {
			one.raw()
		}
		all = append(all, one)
	}
	return all
}

// from returns the columns as the user wants them, in a trace with or without times.
func (c *Choice) from(timed bool) []column {
	all := c.all(timed)
	if c.Columns == nil {
		return slices.DeleteFunc(all, func(one column) bool { return one.plain && timed })
	}
	var chosen []column
	width := textLeast
	for _, name := range c.Columns {
		if i := slices.IndexFunc(all, func(one column) bool { return one.title == name }); i >= 0 {
			width += all[i].width
			all[i].from = width
			chosen = append(chosen, all[i])
		}
	}
	return chosen
}

func (c *column) raw() {
	switch c.title {
	case "duration", "self":
		c.from += rawWidth - c.width
		c.width, c.unit = rawWidth, " ns"
	case "children", "nested":
		c.from, c.width = c.from+20, 14
	}
}

// duration writes nanoseconds for a column, in raw units if they fit in room cells.
func (v *View) duration(ns int64, room int) string {
	if text := display.Grouped(ns); v.Choice.Raw && len(text) <= room {
		return text
	}
	return v.Glyphs.Duration(ns)
}

// Columns are the columns of the tree, as the user chooses them while it is shown.
type Columns struct {
	Choice
	first Choice
	tree  *Tree
}

// Begin shows the columns of a choice, to which the user may return.
func (x *Columns) Begin(c Choice) { x.Choice, x.first = c, c }

// These are what else than a column may be chosen in Ask.
const (
	units      = "units"
	ownColumns = "auto"
)

// Ask waits for the key of a column, which it shows or hides.
func (x *Columns) Ask() tea.Cmd {
	var choices []env.Choice
	shown := x.shown()
	for _, c := range x.all(x.tree.env.Trace.Timed()) {
		text := "show " + c.title
		if slices.Contains(shown, c.title) {
			text = "hide " + c.title
		}
		choices = append(choices, env.Choice{Key: c.key, Text: text, Name: c.title})
	}
	text := "all digits, in nanoseconds"
	if x.Raw {
		text = "short numbers"
	}
	return x.tree.env.Offer(&env.Prefix{Title: "columns", By: x,
		Choices: append(choices, env.Choice{Key: "u", Text: text, Name: units}, env.Choice{Key: "0", Text: "as at first", Name: ownColumns})})
}

func (x *Columns) Choose(c env.Choice) tea.Cmd {
	shown := x.shown()
	switch i := slices.Index(shown, c.Name); {
	case c.Name == units:
		x.Raw = !x.Raw
		return nil
	case c.Name == ownColumns:
		x.Choice = x.first
		return nil
	case i >= 0:
		shown = slices.Delete(shown, i, i+1)
	default:
		all := Names()
		at := slices.IndexFunc(shown, func(name string) bool { return slices.Index(all, name) > slices.Index(all, c.Name) })
		if at < 0 {
			at = len(shown)
		}
		shown = slices.Insert(shown, at, c.Name)
	}
	x.set(shown)
	return nil
}

// shown returns the names of the columns on the screen, from left to right.
func (x *Columns) shown() []string {
	v, names := x.tree.View(), []string{}
	for _, c := range v.columns(x.tree.Out.Width) {
		names = append(names, c.title)
	}
	return names
}

// ReadColumns reads a list of names of columns, and says which is none.
func ReadColumns(list string) ([]string, error) {
	words := strings.Fields(strings.ReplaceAll(list, ",", " "))
	if len(words) == 1 && words[0] == ownColumns {
		return nil, nil
	}
	for i, word := range words {
		if slices.Contains(words[:i], word) {
			return nil, fmt.Errorf("the column %s is there twice", word)
		}
		if !slices.Contains(Names(), word) {
			return nil, fmt.Errorf("no column %s: there are %s, and %s for the explorer's own choice", word, strings.Join(Names(), ", "), ownColumns)
		}
	}
	return words, nil
}

// Set shows the columns of a list of names, which ReadColumns accepts. It asks for one if the list is empty.
func (x *Columns) Set(list string) tea.Cmd {
	if list == "" {
		return x.Ask()
	}
	names, _ := ReadColumns(list)
	x.set(names)
	return nil
}

// set shows the columns with these names, and says which of them are not there.
func (x *Columns) set(names []string) {
	x.Columns = names
	shown := x.shown()
	for _, name := range names {
		switch {
		case slices.Contains(shown, name):
		case slices.ContainsFunc(x.all(x.tree.env.Trace.Timed()), func(c column) bool { return c.title == name }):
			x.tree.env.Say("no room for the column " + name)
		default:
			x.tree.env.Say("no column " + name + ": this trace has no times")
		}
	}
}

// CompleteColumns completes the last name of a list of columns: see [prompt.Completer].
func CompleteColumns(list string) (from int, with []prompt.Candidate) {
	from = strings.LastIndexByte(list, ' ') + 1
	for _, name := range append(Names(), ownColumns) {
		if strings.HasPrefix(name, list[from:]) {
			with = append(with, prompt.Candidate{Text: name})
		}
	}
	return from, with
}
