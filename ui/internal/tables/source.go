package tables

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/table"
)

// Source is what a sheet shows.
type Source interface {
	// Table returns the table as it is now. It is called often, on Bubble Tea's goroutine, and must
	// not wait. The table and its number of rows must not change; when there is more to show,
	// Table returns another one. Rows that were not known may become known in a table that is
	// shown. Its methods are called by several goroutines.
	Table() *table.Table
}

// The methods that a Source may have in addition. Those that return an error run in the
// background, until they end or ctx does.
type (
	// Sorter is a Source that can be sorted. Afterwards Table returns the sorted table.
	Sorter interface {
		// Orders returns the keys of the columns by which it sorts; nil for all that are shown.
		Orders() []string
		Sort(ctx context.Context, key string, rising bool) error
	}

	// Grouper is a Source that can be grouped. Afterwards Table returns the table of groups.
	Grouper interface {
		// Groups returns the names by which it groups, in the order in which a key goes through
		// them. The first is how it is shown at first.
		Groups() []string
		Group(ctx context.Context, name string) error
	}

	// Loader is a Source whose rows become known on request.
	Loader interface {
		// Load makes the rows of a table known, from from and before to.
		Load(ctx context.Context, t *table.Table, from, to int) error
	}

	// Placer is a Source that says where the cursor begins in a table that it shows for the first time.
	Placer interface {
		Place(t *table.Table) (row int, ok bool)
	}

	// Beginner is a Source that says on which row the cursor begins. It is asked about each table that it shows
	// until the user presses a key.
	Beginner interface {
		Begins(t *table.Table) (row int, ok bool)
	}

	// Sifted is a Source that tells whether its rows are only of what the filter of the tree matches.
	Sifted interface{ Sifted() bool }

	// Waiter is a Source that may have found nothing because nothing is there yet. Again returns the command that
	// finds it again once something is; nil otherwise. It is called often, on Bubble Tea's goroutine.
	Waiter interface {
		Again() tea.Cmd
	}

	// Runner is a Source that works by itself: its table grows.
	Runner interface {
		Running() bool
		// Stop ends the work; what is known stays. The sheet calls it on Esc, and when it closes.
		Stop()
	}
)

// Keyed is a Source with keys of its own.
type Keyed interface {
	// Keys returns them, the most useful first.
	Keys() []Key
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
