// Package tables shows tables in place of the tree, makes the answers of package query that are shown
// so, and writes what is shown to files.
//
//	Source   what is shown: gives the table as it is now; may sort, group, load rows, stop
//	Sheet    a table on the screen, a list in front of the tree, of any number of rows
//	Tables   opens sheets, one over the other, and runs their work
//	Answer   a Source whose table grows while a pass over the trace runs, with its keys; Top, Paths, Calls … are those
//	         that can do more
//	Answers  the commands that open answers, and what these share
//	Exports  writes files in the background, one at a time; a file takes its place when it is complete
//
// A source gives another table whenever something has changed, so what is on the screen is never
// half of one answer and half of the next. An answer is of what was known when it began; it does not
// follow a growing trace.
package tables

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/tree"
)

// CommandLine is where commands are typed.
type CommandLine interface {
	// OpenLine opens it with a text in it.
	OpenLine(text string) tea.Cmd
}

// Tables opens sheets, and runs their work while they are open. Its methods run on one goroutine.
type Tables struct {
	Line CommandLine

	env  *env.Env
	clip *tree.Copying
	last *Sheet   // in front at the last Settle
	open []*Sheet // with those that Esc in the tree leads back to; the one in front last
}

func NewTables(e *env.Env, clip *tree.Copying, line CommandLine) *Tables {
	return &Tables{env: e, clip: clip, Line: line}
}

// Show opens a table over what is in front. Esc returns to what was there before.
func (t *Tables) Show(src Source) tea.Cmd {
	s := newSheet(src, t.env)
	s.keys = append(s.keys, Key{Name: "y", Help: "copy the row", Do: t.copyRow}, Key{Name: "?", Always: true, Do: t.listKeys})
	t.open = append(t.open, s)
	t.env.Front.Push(s, nil)
	return nil
}

func (t *Tables) copyRow(shown *table.Table, row int) tea.Cmd {
	return t.clip.Copy(shown.RowText(row, t.env.Glyphs.Glyphs), "the row")
}

func (t *Tables) listKeys(*table.Table, int) tea.Cmd {
	t.env.Front.Push(keys.NewHelpList("keys of this table", t.front().Keys(), t.env.Width, t.env.Glyphs), nil)
	return nil
}

// Settle brings the sheet in front up to date, and ends the work of those that are closed for good.
func (t *Tables) Settle(height int) tea.Cmd {
	t.open = slices.DeleteFunc(t.open, func(s *Sheet) bool {
		closed := !t.env.Front.Kept(s)
		if closed {
			s.Close()
		}
		return closed
	})
	s, again := t.front(), tea.Cmd(nil)
	if s != t.last { // the steps or the filter may be others than when it was in front last
		t.last, again = s, t.Edited()
	}
	if s == nil {
		return nil
	}
	if again == nil {
		again = s.src.Again()
	}
	return tea.Batch(again, s.Settle(height))
}

// Select puts the cursor of the sheet in front on a row of its table, if it is shown.
func (t *Tables) Select(row int) {
	s := t.front()
	for i := range s.len() {
		if s.number(i) == row {
			s.List.Select(i)
			return
		}
	}
}

// Edited makes the answer in front again, if it has the keys that end steps and the filter: these are others now.
func (t *Tables) Edited() tea.Cmd {
	s := t.front()
	if s == nil || s.key("backspace") == nil {
		return nil
	}
	return s.src.edited()
}

// Retry makes the next Settle load rows again: another reader of the table may have taken their place.
func (t *Tables) Retry() {
	if s := t.front(); s != nil {
		clear(s.tried)
	}
}

// front returns the sheet in front; nil if none is open.
func (t *Tables) front() *Sheet {
	for _, s := range slices.Backward(t.open) {
		if t.env.Front.Open(s) {
			return s
		}
	}
	return nil
}

// Progress returns how far the answer in front is, in millionths.
func (t *Tables) Progress() (done, total int64) {
	if s := t.front(); s != nil && s.Busy() && s.t.Partial {
		return int64(1e6 * s.t.Done), 1e6
	}
	return 0, 0
}

func (t *Tables) Busy() bool { return slices.ContainsFunc(t.open, (*Sheet).Busy) }

// Source is what a sheet shows, made of an [Answer]. What returns an error runs in the background, until ctx ends.
type Source interface {
	// Table returns the table as it is now, without waiting. The table and its number of rows must not change; when
	// there is more, it returns another one. Rows of a table may become known. Several goroutines call its methods.
	Table() *table.Table

	Keys() []Key // its own, the most useful first

	// Orders returns the keys of the columns by which Sort sorts; nil for all that are shown.
	Orders() []string
	Sort(ctx context.Context, key string, rising bool) error

	// Groups returns the names by which Group groups, in the order in which a key goes through them, first that of now.
	Groups() []string
	Group(ctx context.Context, name string) error

	// Place returns where the cursor begins in a table. moved tells that the user has pressed a key before.
	Place(t *table.Table, moved bool) (row int, ok bool)

	Sifted() bool // the rows are only of what the filter of the tree matches

	Again() tea.Cmd  // makes the table again if nothing was recorded before, and something is now; nil otherwise
	edited() tea.Cmd // makes it again if steps or the filter are others now

	Running() bool // the table grows
	Stop()         // ends that; what is known stays
}

// Key is a key of a table, besides those that all tables have.
type Key struct {
	Name  string // as Bubble Tea names it
	Brief string // for the bottom line, after the name of the key; "" if not shown there
	Help  string // for the list of keys; "" if not shown there
	// Leaves closes the sheet, and all others, before it does something: the tree is shown.
	Leaves bool
	// Always lets the key work where there is no row; its number is then -1.
	Always bool
	Do     func(t *table.Table, row int) tea.Cmd // with the table that is shown and the number of the cursor's row in it
}
