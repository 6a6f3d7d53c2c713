package screen

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
)

// Count writes a number of children, see Node.Count.
func Count(count int64, exact, known bool, g *Glyphs) string {
	switch {
	case exact && count == 0:
		return ""
	case exact:
		return display.Grouped(count)
	case known && count > 0:
		return g.AtLeast + display.Grouped(count)
	}
	return ""
}

// Missing tells how much a gap covers: bytes of the trace, or, among sorted children, a number of rows.
func Missing(r lazy.Row) string {
	rows, known := r.Missing()
	switch {
	case known:
		return display.Plural(rows, "row")
	case r.From == r.To:
		return "more rows"
	}
	return display.Size(r.To-r.From) + " of the trace"
}

// Path returns the nodes around a row, the thread first, the row's own last.
func Path(row lazy.Row) (path []*lazy.Node) {
	for n := cmp.Or(row.Node, row.Parent); n != nil; n = n.Parent() {
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}

// WholeCount returns how long a node took, in nanoseconds; 0 if unknown, as for a thread that has not ended.
func WholeCount(n *lazy.Node) int64 {
	t, ok := n.Time()
	if !ok || n.State() == lazy.StatePending {
		return 0
	}
	return t.Duration
}

// Thread returns the name of a thread, as the tree shows it.
func Thread(t lazy.ThreadInfo) string {
	name := "Thread " + strconv.FormatInt(int64(t.ID)+1, 10)
	if t.Name != "" {
		name += " (" + t.Name + ")"
	}
	return name
}

// CallsText writes the number of calls; before they have been counted, an upper bound: that of calls, loops and
// iterations. least is put before a number that grows.
func CallsText(p lazy.Population, least string, g *Glyphs) string {
	switch {
	case p.Counted:
		return least + display.Calls(p.Calls)
	case p.Containers == 0:
		return display.Calls(0)
	}
	return g.AtMost + " " + display.Calls(p.Containers)
}

// ErrorLine returns an error in one line, with its hint.
func ErrorLine(err error) string {
	if hint := format.Hint(err); hint != "" {
		return ErrorFact(err) + "; " + strings.Join(strings.Fields(hint), " ")
	}
	return ErrorFact(err)
}

// ErrorFact returns an error in one line without its hint, for places where the words around it give the advice.
func ErrorFact(err error) string {
	text := err.Error()
	var path *fs.PathError
	if errors.As(err, &path) {
		text = strings.Replace(text, path.Op+" "+path.Path, path.Path, 1)
	}
	var e *format.Error
	if errors.As(err, &e) {
		short := *e
		short.File = ""
		text = short.Error()
	}
	return strings.Join(strings.Fields(text), " ")
}
