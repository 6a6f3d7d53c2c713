package cli

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"tracex/format"
	"tracex/lazy/query/display"
)

// errEnoughChanges ends a walk: as many changes as asked for were told.
var errEnoughChanges = errors.New("enough changes")

// mostWholeRows is how many rows of what only one trace has are printed, unless all are asked for.
const mostWholeRows = 20

// diffText prints changes with what is around them, a row a line, with its mark first: "- ", "+ ", "! ".
type diffText struct {
	w       *bufio.Writer
	heading func(thread int32) string // above the changes of a thread; "" for none
	most    int64                     // changes; 0 for all
	all     bool                      // rows of what only one trace has, and of what was moved on both sides
	chosen  bool                      // changes are chosen by filters: of a pair, one row may be left out

	told    int64
	next    string // the heading of the thread, until its first change
	rows    int64  // of the current change
	only    bool   // it is one that only one trace has
	outer   diffRow
	skipped int64
	brief   bool // of what was moved, only the first row is written, in the end
}

func newDiffText(w io.Writer) *diffText { return &diffText{w: bufio.NewWriter(w)} }

func (t *diffText) thread(id int32) {
	if t.heading != nil {
		t.next = t.heading(id)
	}
}

// begin writes the heading that is due.
func (t *diffText) begin() {
	if t.next != "" {
		t.w.WriteString(t.next + "\n")
		t.next = ""
	}
}

func (t *diffText) around(rows []diffRow) {
	t.begin()
	for i, row := range rows {
		switch n := len(rows); {
		case n <= mostAround || i < mostAround/2 || i >= n-mostAround/2:
			t.line("  ", row.depth, row.text)
		case i == mostAround/2:
			t.line("  ", row.depth, "⋯ "+display.Plural(int64(n-mostAround), "level"))
		}
	}
}

// mostIndent is how many levels lines are indented at most: one overflown stack has hundreds of thousands.
const mostIndent = 200

func (t *diffText) line(mark string, depth int, text string) {
	t.w.WriteString(mark)
	if depth > mostIndent {
		text, depth = "("+display.Grouped(int64(depth))+" levels deep) "+text, mostIndent
	}
	t.w.WriteString(strings.Repeat("  ", depth))
	t.w.WriteString(text)
	t.w.WriteByte('\n')
}

func (t *diffText) gap(depth int, g diffGap) {
	t.begin()
	var parts []string
	switch {
	case g.calls > 0:
		parts = append(parts, display.Plural(g.calls, "equal call"))
	case g.events > 0:
		parts = append(parts, display.Plural(g.events, "equal event"))
	}
	if g.ignored > 0 {
		parts = append(parts, display.Grouped(g.ignored)+" ignored")
	}
	t.line("  ", depth, "⋯ "+strings.Join(parts, ", "))
}

func (t *diffText) row(row diffRow) {
	t.begin()
	if t.rows++; t.rows == 1 {
		t.outer, t.only = row, row.status == format.DiffRemoved || row.status == format.DiffAdded
		// What is in it is written where it was added.
		if t.brief = row.status == format.DiffRemoved && row.moved != "" && !t.all && !t.chosen; t.brief {
			return
		}
	}
	if t.only && !t.all && t.rows > mostWholeRows || t.brief {
		t.skipped++
		return
	}
	t.marked(row)
}

// marked writes a row of a change.
func (t *diffText) marked(row diffRow) {
	if row.moved != "" {
		row.text += "  " + display.Unicode.Moved + " " + row.moved
	}
	t.line(diffMark(row.status), row.depth, row.text)
}

// diffMark returns the mark of a row.
func diffMark(s format.DiffStatus) string {
	p := format.Point{Diff: s}
	return p.Mark()
}

func (t *diffText) change(*diffChange) error {
	switch {
	case t.brief:
		if t.skipped > 0 {
			t.outer.moved += ", with " + display.Plural(t.skipped, "event") + " in it"
		}
		t.marked(t.outer)
	case t.skipped > 0:
		t.line(diffMark(t.outer.status), t.outer.depth+1, "⋯ "+display.Plural(t.skipped, "more event"))
	}
	t.rows, t.skipped = 0, 0
	if t.told++; t.told == t.most {
		return errEnoughChanges
	}
	return nil
}
