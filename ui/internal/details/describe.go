package details

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/code"
	"tracex/ui/internal/here"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
)

// Reader is the part of [lazy.LazyTraceReader] that the details use.
type Reader interface {
	WithContext(f func(*format.Context))
	ThreadInfo(id int32) (lazy.ThreadInfo, bool)
	Totals() (threads int, all lazy.Population)
	Size() (data, index int64)
	Info() *format.Info
	Times() (anchor time.Time, ok bool)
	Recording() (begin time.Time, length time.Duration, ok bool)
}

// Subject is a row, with the explorer's knowledge about it and about the trace.
type Subject struct {
	Row   lazy.Row
	Text  string                    // of the row
	Spans []format.Span             // of the text
	Name  func(n *lazy.Node) string // returns the name of a node in a path
	Print string                    // the command that prints it
	Notes []Note                    // marks and notes about it
	// Started is the number of a thread's goroutine, of the one that started it, and so on; "" for nothing.
	Started string
	Code    code.Found  // its source, as far as it was found
	State   *here.Found // as far as it was found; may belong to another row, or be nil

	File     string   // of the trace
	Settled  bool     // all of the trace is known
	Troubles []string // what is wrong with it
	Problem  error    // the first of the troubles, in full; may be nil
	Summary  string   // what to tell about its summary; "" for nothing
	Stats    lazy.Stats
	HitBytes int64 // memory used for the hits of a search
}

// Note is a mark or a note of the user.
type Note struct {
	Label, Text string
	By          string // who made it and when; "" if unknown
}

// writer writes the details of a subject.
type writer struct {
	*sheet
	r  Reader
	of *Subject
}

// Describe returns lines of width cells with everything known about a subject. Blank lines
// separate them if height lines are enough for that.
func Describe(r Reader, of *Subject, width, height int, g *screen.Glyphs) []string {
	w := &writer{&sheet{width: width, g: g, dense: height < denseBelow}, r, of}
	w.describe()
	return w.lines
}

// denseBelow is the height below which a pane has no blank lines.
const denseBelow = 14

// timed reports whether the trace has times.
func (w *writer) timed() bool {
	_, ok := w.r.Times()
	return ok
}

// describe writes everything known about the cursor's row.
func (w *writer) describe() {
	row := w.of.Row
	switch {
	case row.Left != 0:
		w.title("left out by the filter")
	case row.Node == nil && row.Parent == nil:
		w.title("no row")
	case row.Node == nil:
		w.title("not in memory")
		w.pair("size", nodetext.Missing(row), screen.Plain)
	case row.Node.IsThread():
		w.thread(row.Node)
		w.notes()
	default:
		w.point(row.Node)
	}
}

func (w *writer) point(n *lazy.Node) {
	p, f := n.Point(), n.Footer()
	w.wrap("", 0, w.of.Text, slices.Clone(w.of.Spans), func(st format.Style) screen.Style { return screen.SpanStyle(st, p.Class) })
	w.blank()
	w.notes()
	w.r.WithContext(func(c *format.Context) { newDescriber(w.sheet, c).location(p.Location) })
	w.blank()
	w.duration(n)
	w.r.WithContext(func(c *format.Context) {
		w.pair("kind", p.Class.String(), screen.Plain)
		d := newDescriber(w.sheet, c)
		switch p.Class {
		case format.ClassCall:
			d.call(p, f, n)
		case format.ClassFieldRead, format.ClassFieldWrite:
			d.field(p)
		case format.ClassVariableRead, format.ClassVariableWrite:
			d.variable(p)
		case format.ClassArrayRead, format.ClassArrayWrite:
			d.value("array", "", &p.Target)
			w.pair("index", strconv.Itoa(int(p.Number)), screen.NumberText)
			d.value("value", "", &p.Value)
		case format.ClassLoop:
			d.loops(p)
			w.pair("iterations", screen.Grouped(int64(f.Iterations)), screen.NumberText)
			if _, ok := lazy.Inlined(n); ok {
				w.pair("", "what it contains is shown as the loop's", screen.Faint)
			}
		case format.ClassIteration:
			d.loops(p)
		case format.ClassThrow, format.ClassCatch:
			d.value("exception", "", &p.Value)
		case format.ClassSnapshot:
			d.snapshot(p)
		}
		w.blank()
		w.code()
		// The point of a live breakpoint may name a thread other than the one that contains it.
		if thread := c.Thread(n.Thread()); thread != nil && thread.Name != "" {
			w.pair("thread", fmt.Sprintf("%d (%s)", n.Thread()+1, thread.Name), screen.Plain)
		} else {
			w.pair("thread", strconv.Itoa(int(n.Thread())+1), screen.Plain)
		}
	})
	w.state(n)
	w.position(n)
}

// notes writes the marks and notes of the user.
func (w *writer) notes() {
	for _, note := range w.of.Notes {
		label := note.Label
		for line := range strings.Lines(note.Text) {
			w.pair(label, strings.TrimRight(line, "\r\n"), screen.Plain)
			label = ""
		}
		if note.By != "" {
			w.pair("", note.By, screen.Faint)
		}
	}
	if len(w.of.Notes) > 0 {
		w.blank()
	}
}

func (w *writer) position(n *lazy.Node) {
	p := n.Point()
	w.start(n)
	w.pair("event", n.Handle().String(), screen.Plain)
	w.pair("path", w.stack(), screen.Plain)
	w.pair("print", w.of.Print, screen.Plain)
	physical, logical := n.Offset()
	w.pair("offset", fmt.Sprintf("%s in the file, %s in the thread", screen.Grouped(physical), screen.Grouped(logical)), screen.Plain)
	w.pair("depth", screen.Grouped(int64(lazy.RecordedDepth(n))-1), screen.Plain)
	if p.Class.Container() {
		w.pair("children", w.children(n), screen.Plain)
		w.nested(n)
	}
	switch n.State() {
	case lazy.StateUnfinished:
		w.pair("state", "unfinished: the recording ended within it", screen.Unfinished)
	case lazy.StatePending:
		w.pair("state", "its end has not been read yet", screen.Faint)
	}
	if name := diffNames[p.Diff]; name != "" {
		_, st := screen.DiffMark(p.Diff)
		w.pair("diff", name, st)
	}
	if p.Flags&format.FlagUnderWay != 0 {
		w.pair("note", "under way when the recording began", screen.Plain)
	}
}

// mostInStack is how many names of a path the details show at each end.
const mostInStack = 50

// stack is the whole path to a node, unlike the one above the tree. Of a very long path it
// shows both ends.
func (w *writer) stack() string {
	path := nodetext.Path(w.of.Row)
	var names []string
	for i, n := range path {
		switch {
		case i < mostInStack || i >= len(path)-mostInStack:
			names = append(names, w.of.Name(n))
		case i == mostInStack:
			names = append(names, w.g.More+" "+screen.Plural(int64(len(path)-2*mostInStack), "more level")+" "+w.g.More)
		}
	}
	return strings.Join(names, " "+w.g.Crumb+" ")
}

var diffNames = map[format.DiffStatus]string{
	format.DiffUnchanged: "unchanged", format.DiffRemoved: "- removed", format.DiffAdded: "+ added",
	format.DiffEditedOld: "! edited: the old one", format.DiffEditedNew: "! edited: the new one",
}

// nested writes how many calls a node contains, at any depth.
func (w *writer) nested(n *lazy.Node) {
	count, exact := n.Nested()
	text := screen.Grouped(count) + " calls, loops and iterations at any depth"
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
			in = w.of.Name(n.Parent())
		}
		text += ", " + screen.Share(count, of) + " of those in " + in
	}
	w.pair("nested", text, screen.Plain)
}

func (w *writer) children(n *lazy.Node) string {
	text := nodetext.Children(n, w.g)
	if text == "" && n.Leaf() {
		text = "none"
	}
	if dropped := lazy.DroppedIn(n); dropped > 0 && text != "" {
		text += "; " + screen.Grouped(dropped) + " dropped"
	}
	if merged := lazy.MergedIn(n); merged > 0 && text != "" {
		text += "; the steps leave out " + screen.Plural(merged, "event")
	}
	if text != "" {
		return text
	}
	return "not counted yet"
}
