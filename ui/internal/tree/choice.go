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

// Names returns the names of all columns.
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
		case one.needs == times && !timed:
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
		return slices.DeleteFunc(all, func(one column) bool { return one.needs == noTimes && timed })
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

// raw makes room for raw numbers.
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

// Units and ownColumns are what else than a column may be chosen in AskColumns.
const (
	units      = "units"
	ownColumns = "auto"
)

// AskColumns waits for the key of a column, which it shows or hides.
func (p *Tree) AskColumns() tea.Cmd {
	var choices []env.Choice
	shown := p.shownColumns()
	for _, c := range p.Columns.all(p.timed()) {
		text := "show " + c.title
		if slices.Contains(shown, c.title) {
			text = "hide " + c.title
		}
		choices = append(choices, env.Choice{Key: c.key, Text: text, Name: c.title})
	}
	text := "all digits, in nanoseconds"
	if p.Columns.Raw {
		text = "short numbers"
	}
	return p.env.Offer(&env.Prefix{Title: "columns", By: p,
		Choices: append(choices, env.Choice{Key: "u", Text: text, Name: units}, env.Choice{Key: "0", Text: "as at first", Name: ownColumns})})
}

// Choose does what was chosen in AskColumns.
func (p *Tree) Choose(c env.Choice) tea.Cmd {
	shown := p.shownColumns()
	switch i := slices.Index(shown, c.Name); {
	case c.Name == units:
		p.Columns.Raw = !p.Columns.Raw
		return nil
	case c.Name == ownColumns:
		return p.SetColumns(ownColumns)
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
	p.setColumns(shown)
	return nil
}

// shownColumns returns the names of the columns on the screen, from left to right.
func (p *Tree) shownColumns() []string {
	v, names := p.View(), []string{}
	for _, c := range v.columns(p.Out.Width) {
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
	for _, word := range words {
		if !slices.Contains(Names(), word) {
			return nil, fmt.Errorf("no column %s: there are %s, and %s for the explorer's own choice", word, strings.Join(Names(), ", "), ownColumns)
		}
	}
	return words, nil
}

// SetColumns shows the columns of a list of names, which ReadColumns accepts. It asks for one if the list is empty.
func (p *Tree) SetColumns(list string) tea.Cmd {
	if list == "" {
		return p.AskColumns()
	}
	names, _ := ReadColumns(list)
	p.setColumns(names)
	return nil
}

// setColumns shows the columns with these names, and says which of them are not there.
func (p *Tree) setColumns(names []string) {
	p.Columns.Columns = names
	shown := p.shownColumns()
	for _, name := range names {
		switch {
		case slices.Contains(shown, name):
		case slices.ContainsFunc(p.Columns.all(p.timed()), func(c column) bool { return c.title == name }):
			p.env.Say("no room for the column " + name)
		default:
			p.env.Say("no column " + name + ": this trace has no times")
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
