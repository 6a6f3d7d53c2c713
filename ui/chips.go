package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query"
	"tracex/ui/internal/env"
	"tracex/ui/internal/flame"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/tables"
	"tracex/ui/internal/tree"
)

// chips is what is in force that changes what the screen shows, with its line.
type chips struct {
	env    *env.Env
	filter *search.Filter
	diff   *search.Differences
	steps  *tree.Steps
	tables *tables.Tables
}

// theFilter is what the chip of the filter is of; those of steps have the step's index, and those of ignored differences
// ignoredAt less the index of the first of their filters.
const (
	theFilter = -1
	ignoredAt = -2
)

// line returns as many chips as fit into width cells, and the keys that end them. floats: the list in front floats.
func (c *chips) line(width int, floats bool) (all []screen.Chip, ends string) {
	g, list := c.env.Glyphs, c.env.Front.List()
	if floats {
		list = nil
	}
	sifted, can := list == nil, list == nil
	if t, is := list.(interface{ Sifted() (sifted, ends bool) }); is {
		sifted, can = t.Sifted()
	}
	back := keys.ActionKey("unfilter", g)
	_, table := list.(*tables.Sheet)
	if list != nil {
		back = keys.KeyName("backspace", g) // the keys of tables are not bound
	}
	if c.filter.Cur != nil {
		chip := screen.Chip{Text: "& " + c.filter.Last, Tail: c.filter.Found(), Of: theFilter}
		switch {
		case !sifted:
			chip.Tail, chip.Off = "not here", true
		case list != nil:
			chip.Tail += " in the tree"
		}
		all, ends = append(all, chip), back+": all rows"
	}
	for i, x := range c.diff.Ignored {
		chip := screen.Chip{Text: "ignore " + x.Expr.String(), Of: ignoredAt - i}
		if x.File != "" {
			chip.Text = x.File
		}
		if i == 0 || x.File == "" || c.diff.Ignored[i-1].File != x.File {
			all = append(all, chip)
		}
	}
	_, picture := list.(*flame.Screen)
	for i, step := range c.steps.List {
		chip := screen.Chip{Text: step.String(), Of: i}
		switch ranged := step.Kind == query.Range; {
		case table && (sifted || can), picture && ranged:
		case table, picture:
			chip.Tail = "not here"
		case ranged:
			chip.Tail = "only in tables"
		case c.steps.Pending():
			chip.Tail = "not in the tree yet"
		}
		chip.Off = chip.Tail != ""
		all = append(all, chip)
	}
	if len(c.steps.List) > 0 {
		if ends != "" {
			ends += "   "
		}
		ends += keys.ActionKey("undo-step", g) + " undoes "
	}
	if !can {
		ends = ""
	}
	return screen.PlaceChips(all, width, g), ends
}

// click ends what the chip at a cell of a line is of, or opens it.
func (c *chips) click(line []screen.Chip, x int) tea.Cmd {
	chip, cross, ok := screen.ChipAt(line, x)
	switch {
	case !ok:
		return nil
	case !cross:
		c.env.Front.Leave()
		if chip.Of == theFilter {
			return c.filter.Ask()
		}
		if chip.Of <= ignoredAt {
			return nil
		}
		return c.steps.Show()
	case chip.Of <= ignoredAt:
		c.env.Front.CloseLists() // of others
		return c.diff.Count(ignoredAt - chip.Of)
	case chip.Of == theFilter:
		c.filter.Clear()
	case chip.Of < len(c.steps.List):
		c.steps.Remove(chip.Of)
	}
	return c.tables.Edited()
}
