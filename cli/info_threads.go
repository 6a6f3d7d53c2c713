package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/goroutines"
)

// threadRows are the threads that info lists. The facts about one are made when it is written:
// there may be a million threads.
type threadRows struct {
	r      *lazy.LazyTraceReader
	forest *goroutines.Forest // for JSON and for the tree, otherwise nil
	tree   bool               // they are in the order of the forest
	counts lazy.ThreadCounts  // of those listed, in their order
	more   int                // how many are left out
}

// listTree lists the first threads in the order of the forest, all with limit 0.
func (l *threadRows) listTree(counts *lazy.ThreadCounts, limit int) {
	l.tree = true
	all := l.forest.Of()
	for place := range all.Len() {
		if limit > 0 && l.counts.Len() == limit {
			break
		}
		id := all.ID(l.forest.At(place))
		if i, ok := counts.Find(id); ok {
			l.counts.Append(counts.At(i))
		}
	}
	l.more = counts.Len() - l.counts.Len()
}

// list lists all threads by number, or if there are more than limit, which is not 0, the limit
// with the most calls, most first.
func (l *threadRows) list(counts *lazy.ThreadCounts, limit int) {
	if limit == 0 || counts.Len() <= limit {
		l.counts = *counts
		return
	}
	order := func(a, b lazy.ThreadCount) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(b.Points, a.Points), cmp.Compare(a.ID, b.ID))
	}
	var best []lazy.ThreadCount
	for c := range counts.All() {
		if len(best) >= limit && order(c, best[limit-1]) > 0 {
			continue
		}
		if best = append(best, c); len(best) == limit || len(best) == 2*limit {
			slices.SortFunc(best, order)
			best = best[:limit]
		}
	}
	slices.SortFunc(best, order)
	for _, c := range best[:limit] {
		l.counts.Append(c)
	}
	l.more = counts.Len() - limit
}

// facts returns the facts about a thread.
func (l *threadRows) facts(i int) threadFacts {
	c := l.counts.At(i)
	info, _ := l.r.ThreadInfo(c.ID)
	t := threadFacts{
		Number: int64(c.ID) + 1, Name: info.Name, Bytes: info.Bytes,
		Events: c.Points, Calls: c.Calls, Depth: int(c.Depth), Unfinished: int(c.Unfinished),
	}
	if n, ok := goroutines.Parse(info.Name); ok && l.forest != nil && l.forest.Goroutines() {
		t.Goroutine, t.Program, t.Parent, t.StartedAt = n.Number, n.Program, n.Parent, n.At
		i := l.index(c.ID)
		if parent, ok := l.forest.Parent(i); ok {
			t.ParentThread = int64(l.forest.Of().ID(parent)) + 1
		}
		if end := l.forest.Of().Ends([]int{i})[0]; end.Threw {
			t.Threw = cmp.Or(end.Exception, "?")
		}
	}
	return t
}

// index returns the number of a thread in the forest.
func (l *threadRows) index(id int32) int { return l.forest.Of().Index(id) }

// mostIndented is how many levels of the tree are indented; deeper ones are numbered.
const mostIndented = 30

// indent returns what is before the name of a thread in the tree.
func (l *threadRows) indent(id int32) string {
	depth := l.forest.Depth(l.index(id))
	if depth > mostIndented {
		return strings.Repeat("  ", mostIndented) + fmt.Sprintf("(level %d) ", depth)
	}
	return strings.Repeat("  ", depth)
}

// threadColumns are the columns of the table of threads.
const threadColumns = 5

// row returns the cells of a thread.
func (l *threadRows) row(i int) [threadColumns]string {
	t := l.facts(i)
	name := fmt.Sprint(t.Number)
	if t.Name != "" {
		name += " " + t.Name
	}
	if t.Unfinished > 0 {
		name += " (unfinished)"
	}
	if t.Threw != "" {
		name += " (threw " + t.Threw + ")"
	}
	if l.tree {
		name = l.indent(l.counts.At(i).ID) + name
	}
	return [...]string{"  " + printable(name), display.Grouped(t.Events), display.Grouped(t.Calls), display.Grouped(int64(t.Depth)), display.Grouped(t.Bytes)}
}

// write writes the table of threads. It makes each row twice instead of keeping them, first to
// know how wide the columns are.
func (l *threadRows) write(w *bufio.Writer) {
	head := [...]string{"threads", "events", "calls", "depth", "bytes"}
	switch {
	case l.tree:
		head[0] = "threads as a tree"
	case l.more > 0:
		head[0] = "threads with the most calls"
	}
	var widths [threadColumns]int
	measure := func(row [threadColumns]string) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	write := func(row [threadColumns]string) {
		for i, cell := range row {
			w.WriteString(cell)
			if i < len(row)-1 {
				w.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+columnGap))
			}
		}
		w.WriteByte('\n')
	}
	measure(head)
	for i := range l.counts.Len() {
		measure(l.row(i))
	}
	w.WriteByte('\n')
	write(head)
	for i := range l.counts.Len() {
		write(l.row(i))
	}
	if l.more > 0 {
		fmt.Fprintf(w, "  … %s more (--limit 0)\n", display.Grouped(int64(l.more)))
	}
}

// writeJSON writes the facts for programs, thread by thread.
func (t *facts) writeJSON(w io.Writer, threads threadRows) error {
	var whole bytes.Buffer
	if err := writeJSON(&whole, t); err != nil {
		return err
	}
	// In a string the quotes would be escaped.
	before, after, _ := bytes.Cut(whole.Bytes(), []byte(`"threads": []`))
	out := bufio.NewWriterSize(w, 64<<10)
	out.Write(before)
	out.WriteString(`"threads": [`)
	var b bytes.Buffer
	one := json.NewEncoder(&b)
	one.SetIndent("    ", "  ")
	one.SetEscapeHTML(false)
	for i := range threads.counts.Len() {
		b.Reset()
		if err := one.Encode(threads.facts(i)); err != nil {
			return err
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n    ")
		out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	}
	if threads.counts.Len() > 0 {
		out.WriteString("\n  ")
	}
	out.WriteByte(']')
	out.Write(after)
	return out.Flush()
}
