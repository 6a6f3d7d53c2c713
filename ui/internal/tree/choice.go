package tree

import (
	"slices"

	"tracex/lazy/query/display"
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

// from returns the columns as the user wants them, in a trace with or without times.
func (c *Choice) from(timed bool) []column {
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
