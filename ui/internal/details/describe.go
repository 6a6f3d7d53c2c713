package details

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
	"tracex/ui/internal/tree"
)

// writer writes the details of a row.
type writer struct {
	sheet
	env   *env.Env
	p     *Pane           // nil if only a value is written
	c     *format.Context // of the trace; only within a call of WithContext
	named map[int32]bool  // classes whose full name has been written
	own   int             // how many of the values are those of the row itself; the others are of the state
}

// What fits into the details.
const (
	denseBelow  = 14     // lines of a pane without titles of sections
	labelWidth  = 11     // of the column of labels
	maxWrapped  = 400    // lines
	maxWhole    = 20_000 // lines of a whole value
	maxNested   = 4      // levels of captured values
	maxFrames   = 30     // of an exception
	maxStack    = 50     // frames of a live breakpoint's stack
	mostInStack = 50     // names at each end of a path
	mostState   = 16     // values of the state: what follows is about the row itself
)

// describe writes all that is known about the cursor's row. Sections have titles if there are enough lines for that.
func (p *Pane) describe(width, height int) *writer {
	w := &writer{sheet: sheet{width: width, g: p.env.Glyphs, dense: height < denseBelow}, env: p.env, p: p, named: make(map[int32]bool)}
	switch row := p.tree.Out.Cursor; {
	case p.Welcome:
		w.overview()
	case row.Left != 0:
		w.title("left out by the filter")
	case row.Node == nil && row.Parent == nil:
		w.title("no row")
	case row.Node == nil:
		w.title("not in memory")
		w.pair("size", screen.Missing(row), theme.Plain)
	case row.Node.IsThread():
		w.thread(row.Node)
		w.notes(row.Node)
	default:
		w.point(row.Node)
	}
	return w
}

// withContext runs f while the descriptors of the trace may be used.
func (w *writer) withContext(f func()) {
	w.env.Trace.Reader.WithContext(func(c *format.Context) {
		w.c = c
		f()
		w.c = nil
	})
}

func (w *writer) point(n *lazy.Node) {
	p, f := n.Point(), n.Footer()
	text, spans := w.p.tree.Out.Text(n)
	w.wrap("", 0, text, slices.Clone(spans), func(st format.Style) theme.Role { return theme.OfSpan(st, p.Class) })
	w.notes(n)
	writeChanges(w, n)
	if calls, siblings, equal := w.p.tree.Equal(n); equal {
		w.section("equal in A and in B")
		w.pair("rows", display.Grouped(siblings)+", with everything in them", theme.Plain)
		w.pair("calls", display.Grouped(calls), theme.Plain)
		w.section("place")
		w.position(n)
		return
	}
	w.section("place")
	w.withContext(func() { w.location(p.Location) })
	w.code(n)
	w.duration(n)
	w.section("what")
	w.withContext(func() {
		w.pair("kind", p.Class.String(), theme.Plain)
		switch p.Class {
		case format.ClassCall:
			w.call(p, f, n)
		case format.ClassFieldRead, format.ClassFieldWrite:
			w.field(p)
		case format.ClassVariableRead, format.ClassVariableWrite:
			if v := w.c.Variable(p.Ref); v != nil {
				w.pair("variable", v.Type.String()+" "+v.Name, theme.Plain)
			}
			w.value("value", "", &p.Value)
		case format.ClassArrayRead, format.ClassArrayWrite:
			w.value("array", "", &p.Target)
			w.pair("index", strconv.Itoa(int(p.Number)), theme.NumberText)
			w.value("value", "", &p.Value)
		case format.ClassLoop:
			w.loops(p)
			w.pair("iterations", display.Grouped(int64(f.Iterations)), theme.NumberText)
			if _, ok := lazy.Inlined(n); ok {
				w.pair("", "what it contains is shown as the loop's", theme.Faint)
			}
		case format.ClassIteration:
			w.loops(p)
		case format.ClassThrow, format.ClassCatch:
			w.value("exception", "", &p.Value)
		case format.ClassSnapshot:
			w.snapshot(p)
		}
	})
	w.own = len(w.values)
	if !w.env.Trace.Made() { // which has not all that was written before
		w.state(n)
	}
	w.section("recording")
	w.withContext(func() {
		// The point of a live breakpoint may name a thread other than the one that contains it.
		if thread := w.c.Thread(n.Thread()); thread != nil && thread.Name != "" {
			w.pair("thread", fmt.Sprintf("%d (%s)", n.Thread()+1, thread.Name), theme.Plain)
		} else {
			w.pair("thread", strconv.Itoa(int(n.Thread())+1), theme.Plain)
		}
	})
	w.position(n)
}

// writeChanges writes what is different between an edited row of a diff and its other one, or where a moved one was moved.
func writeChanges(w *writer, n *lazy.Node) {
	list, moved := w.p.tree.Changes(n), w.p.tree.Moved(n)
	if len(list) > 0 || moved != "" {
		w.section("changed")
	}
	if label, text, ok := strings.Cut(moved, " "); ok {
		event, _ := w.p.tree.Partner(n)
		w.pair(label, text+", "+w.p.tree.Named(lazy.EventHandle(event))+": "+keys.ActionKey(string(keys.Partner), w.env.Glyphs)+" goes there", theme.Plain)
	}
	for _, c := range list {
		label, what := strings.Replace(c.Part, "argument", "arg", 1), ""
		if c.Name != "" {
			what = c.Name + " "
		}
		w.pair(label, what+cmp.Or(c.Old, w.g.None)+" "+w.g.Becomes+" "+cmp.Or(c.New, w.g.None), theme.Edited)
	}
}

func (w *writer) notes(n *lazy.Node) {
	list := w.p.marks.Of(n)
	if len(list) > 0 {
		w.section("notes")
	}
	for _, it := range list {
		if it.Mark != 0 {
			w.pair("mark", string(rune(it.Mark)), theme.Plain)
			continue
		}
		label := "your note"
		for line := range strings.Lines(it.Text) {
			w.pair(label, strings.TrimRight(line, "\r\n"), theme.Plain)
			label = ""
		}
		by := it.Author
		if !it.Time.IsZero() {
			if by != "" {
				by += ", "
			}
			by += it.Time.UTC().Format("2006-01-02 15:04 UTC")
		}
		if by != "" {
			w.pair("", by, theme.Faint)
		}
	}
}

func (w *writer) position(n *lazy.Node) {
	p := n.Point()
	if w.env.Trace.Made() {
		writeInSides(w, n)
	} else {
		writeInTrace(w, n)
	}
	switch n.State() {
	case lazy.StateUnfinished:
		w.pair("state", "unfinished: the recording ended within it", theme.Unfinished)
	case lazy.StatePending:
		w.pair("state", "its end has not been read yet", theme.Faint)
	}
	if name := diffNames[p.Diff]; name != "" {
		_, st := theme.DiffMark(p.Diff)
		w.pair("diff", name, st)
	}
	if p.Flags&format.FlagUnderWay != 0 {
		w.pair("note", "began before it was recorded", theme.Plain)
	}
}

// writeInTrace writes where a row is in the trace, and what is in it.
func writeInTrace(w *writer, n *lazy.Node) {
	w.start(n)
	w.pair("event", n.Handle().String(), theme.Plain)
	w.pair("path", w.stack(n), theme.Plain)
	w.pair("print", w.p.Print(), theme.Plain)
	physical, logical := n.Offset()
	w.pair("offset", fmt.Sprintf("%s in the file, %s in the thread", display.Grouped(physical), display.Grouped(logical)), theme.Plain)
	w.pair("depth", display.Grouped(int64(lazy.RecordedDepth(n))-1), theme.Plain)
	if n.Point().Class.Container() {
		w.pair("children", w.children(n), theme.Plain)
		w.nested(n)
	}
}

// writeInSides writes where a row of a diff made here is in A and in B.
func writeInSides(w *writer, n *lazy.Node) {
	places, known := w.p.tree.SidePlaces(n)
	for i, label := range []string{"in A", "in B"} {
		switch at := places[i]; {
		case !known:
			w.pair(label, w.g.More, theme.Faint)
		case at == "":
			w.pair(label, "not there", theme.Faint)
		default:
			w.pair(label, w.env.Trace.Diff.Sides[i].Path+at, theme.Plain)
		}
	}
	w.pair("path", w.stack(n), theme.Plain)
	if n.Point().Class.Container() && !n.Leaf() {
		w.pair("children", w.children(n)+", in the diff", theme.Plain)
	}
}

// stack is the whole path to a node, unlike the one above the tree; of a very long path both ends.
func (w *writer) stack(n *lazy.Node) string {
	path := screen.Path(tree.RowOf(n))
	var names []string
	for i, n := range path {
		switch {
		case i < mostInStack || i >= len(path)-mostInStack:
			names = append(names, w.p.tree.Out.ShortName(n))
		case i == mostInStack:
			names = append(names, w.g.More+" "+display.Plural(int64(len(path)-2*mostInStack), "more level")+" "+w.g.More)
		}
	}
	return strings.Join(names, " "+w.g.Crumb+" ")
}

var diffNames = map[format.DiffStatus]string{
	format.DiffUnchanged: "unchanged", format.DiffRemoved: "- removed", format.DiffAdded: "+ added",
	format.DiffEditedOld: "! edited: as it was", format.DiffEditedNew: "! edited: as it is",
}

// nested writes how many calls a node contains, at any depth.
func (w *writer) nested(n *lazy.Node) {
	count, exact := n.Nested()
	text := display.Grouped(count) + " calls, loops and iterations at any depth"
	switch most := lazy.AtMost(n); {
	case most && !exact:
		text = "about " + text
	case most:
		text, exact = "at most "+text, false
	case !exact:
		text = "at least " + text
	case count == 0:
		text = "none"
	}
	if of, known := n.Parent().Nested(); exact && known && count > 0 {
		in := "the thread"
		if !n.Parent().IsThread() {
			in = w.p.tree.Out.ShortName(n.Parent())
		}
		text += ", " + display.Share(count, of) + " of those in " + in
	}
	w.pair("nested", text, theme.Plain)
}

func (w *writer) children(n *lazy.Node) string {
	count, exact, known := n.Count()
	text := screen.Count(count, exact, known, w.g)
	if text == "" && n.Leaf() {
		text = "none"
	}
	if dropped := lazy.DroppedIn(n); dropped > 0 && text != "" {
		text += "; " + display.Grouped(dropped) + " dropped"
	}
	if merged := lazy.MergedIn(n); merged > 0 && text != "" {
		text += "; the steps leave out " + display.Plural(merged, "event")
	}
	return cmp.Or(text, "not counted yet")
}

// sheet collects the lines of the details.
type sheet struct {
	width int
	g     *screen.Glyphs
	dense bool // there is no room for titles of sections
	lines []string
	whole bool // a value is shown whole, as items in place of lines, and without a column of labels
	items []prompt.Item

	values []held // among the lines, in their order
	begun  int    // how many lines there were when the last section began
}

// pair adds a label with its text, over as many lines as the text needs.
func (s *sheet) pair(label, text string, st theme.Role) {
	s.wrap(label, labelWidth, text, screen.Whole(text), screen.Always(st))
}

// room returns how many more lines there may be.
func (s *sheet) room() int {
	if s.whole {
		return maxWhole - len(s.items)
	}
	return maxWrapped - len(s.lines)
}

// add adds a line: a label, and from a column on a text with its styles.
func (s *sheet) add(label string, at int, text string, spans []format.Span, of func(format.Style) theme.Role) {
	if s.whole {
		s.items = append(s.items, prompt.Item{Cells: []prompt.Cell{{Text: text, At: at, Spans: slices.Clone(spans), Of: of}}})
		return
	}
	l := screen.NewLine(s.width, s.g)
	l.Put(label, theme.Faint)
	l.Space(max(at-(s.width-l.Left), min(len(label), 1)))
	l.Spans(text, spans, of, nil, 0)
	s.lines = append(s.lines, l.End())
}

// wrap adds a text from a column on, broken at the width, with the label before its first line. It changes spans.
func (s *sheet) wrap(label string, at int, text string, spans []format.Span, of func(format.Style) theme.Role) {
	room := max(8, s.width-at-1)
	for first := true; first || text != ""; first = false {
		if left := s.room(); left <= 0 {
			if left == 0 {
				s.add("", 0, s.g.More, screen.Whole(s.g.More), screen.Always(theme.Faint))
			}
			return
		}
		head, rest := s.g.TakeCells(text, room)
		if head == "" && text != "" { // an escape wider than the pane
			_, _, n := s.g.NextCell(text)
			head, rest = text[:n], text[n:]
		}
		// Break after a blank if there is one nearby, or else between the parts of a name.
		i := strings.LastIndexByte(head, ' ')
		if i <= len(head)/2 {
			i = strings.LastIndexAny(head, " .(/,")
		}
		if rest != "" && i > len(head)/3 {
			head, rest = text[:i+1], text[i+1:]
		}
		s.add(label, at, head, spans, of)
		for i := range spans {
			spans[i].Start = max(0, spans[i].Start-len(head))
			spans[i].End = max(0, spans[i].End-len(head))
		}
		text, label = rest, ""
	}
}

func (s *sheet) title(text string) {
	s.lines = append(s.lines, screen.NewLine(s.width, s.g).Put(text, theme.Bold).End())
}

// section begins a section with its title, or, if that is "", with an empty line. One without lines is left out.
func (s *sheet) section(title string) {
	if s.dense {
		return
	}
	if len(s.lines) > 0 && len(s.lines) == s.begun {
		s.lines = s.lines[:s.begun-1]
	}
	line := screen.NewLine(s.width, s.g).End()
	if title != "" {
		line = screen.Titled(" "+title+" ", "", s.width, s.g)
	}
	s.lines = append(s.lines, line)
	s.begun = len(s.lines)
}
