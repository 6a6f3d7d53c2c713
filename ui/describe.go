package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// describeRow writes all there is to say about the row of the cursor.
func (m *Model) describeRow(s *sheet) {
	row := m.out.cursor
	switch {
	case row.Node == nil && row.Parent == nil:
		s.title("no row")
	case row.Node == nil:
		s.title("not in memory")
		s.pair("size", missing(row), screen.Plain)
	case row.Node.IsThread():
		m.describeThread(s, row.Node)
	default:
		m.describePoint(s, row.Node)
	}
}

func (m *Model) describeThread(s *sheet, n *lazy.Node) {
	if t, ok := m.r.ThreadInfo(n.Thread()); ok {
		s.title(threadName(t))
		m.describeThreadTime(s, n)
		s.pair("size", fmt.Sprintf("%s in %s", screen.Size(t.Bytes), screen.Plural(int64(t.Blocks), "block")), screen.Plain)
		m.describePopulation(s, population(t.Population))
	}
	s.pair("children", m.childrenText(n), screen.Plain)
	data, index := m.r.Size()
	s.blank()
	s.title("Trace")
	s.pair("file", m.file(), screen.Plain)
	s.pair("size", screen.Size(data)+", index "+screen.Size(index), screen.Plain)
	_, all := m.r.Totals()
	m.describePopulation(s, population(all))
	m.describeLength(s)
	m.describeKept(s)
	if i := m.r.Info(); i != nil {
		m.describeInfo(s, i)
	}
	for _, text := range m.troubles() {
		s.pair(m.g.Warn, text, screen.Alarm)
	}
	if err := m.known.Problem; err != nil {
		s.pair("in full", screen.ErrorLine(err), screen.Plain)
	}
}

// describeInfo writes what a packed trace says of its run; not its environment,
// which holds secrets.
func (m *Model) describeInfo(s *sheet, i *format.Info) {
	if i.Class != "" {
		s.pair("traced", i.Class+"."+i.Method, screen.Plain)
	}
	if i.Start > 0 {
		s.pair("recorded", time.UnixMilli(i.Start).UTC().Format("2006-01-02 15:04:05 UTC"), screen.Plain)
	}
}

func (m *Model) describePoint(s *sheet, n *lazy.Node) {
	p, f := n.Point(), n.Footer()
	text, spans := m.text(n)
	s.wrap("", 0, text, spans, func(st format.Style) screen.Style { return screen.SpanStyle(st, p.Class) })
	s.blank()
	m.r.WithContext(func(c *format.Context) { newDescriber(s, c).location(p.Location) })
	s.blank()
	m.describeDuration(s, n)
	spot, _ := m.spotOf(n)
	m.r.WithContext(func(c *format.Context) {
		s.pair("kind", p.Class.String(), screen.Plain)
		d := newDescriber(s, c)
		switch p.Class {
		case format.ClassCall:
			d.call(p, f, n)
		case format.ClassFieldRead, format.ClassFieldWrite:
			d.field(p)
		case format.ClassVariableRead, format.ClassVariableWrite:
			d.variable(p)
		case format.ClassArrayRead, format.ClassArrayWrite:
			d.value("array", "", &p.Target)
			s.pair("index", strconv.Itoa(int(p.Number)), screen.NumberText)
			d.value("value", "", &p.Value)
		case format.ClassLoop:
			d.loops(p)
			s.pair("iterations", screen.Grouped(int64(f.Iterations)), screen.NumberText)
		case format.ClassIteration:
			d.loops(p)
		case format.ClassThrow, format.ClassCatch:
			d.value("exception", "", &p.Value)
		case format.ClassSnapshot:
			d.snapshot(p)
		}
		s.blank()
		m.source.describe(s, spot)
		// The point of a live breakpoint may name another thread than the one it is in.
		if thread := c.Thread(n.Thread()); thread != nil && thread.Name != "" {
			s.pair("thread", fmt.Sprintf("%d (%s)", n.Thread()+1, thread.Name), screen.Plain)
		} else {
			s.pair("thread", strconv.Itoa(int(n.Thread())+1), screen.Plain)
		}
	})
	m.describePlace(s, n)
}

func (m *Model) describePlace(s *sheet, n *lazy.Node) {
	p := n.Point()
	m.describeStart(s, n)
	s.pair("event", screen.Grouped(int64(p.Event)), screen.Plain)
	s.pair("path", m.stackText(n), screen.Plain)
	s.pair("print", m.printCommand(n), screen.Plain)
	physical, logical := n.Offset()
	s.pair("offset", fmt.Sprintf("%s in the file, %s in the thread", screen.Grouped(physical), screen.Grouped(logical)), screen.Plain)
	s.pair("depth", screen.Grouped(int64(n.Depth())-1), screen.Plain)
	if p.Class.Container() {
		s.pair("children", m.childrenText(n), screen.Plain)
	}
	switch n.State() {
	case lazy.StateUnfinished:
		s.pair("state", "unfinished: the recording ended within it", screen.Unfinished)
	case lazy.StatePending:
		s.pair("state", "its end has not been read yet", screen.Faint)
	}
	if name := diffNames[p.Diff]; name != "" {
		_, st := screen.DiffMark(p.Diff)
		s.pair("diff", name, st)
	}
	if p.Flags&format.FlagUnderWay != 0 {
		s.pair("note", "under way when the recording began", screen.Plain)
	}
}

// mostInStack is how many names a path in the details has at each of its ends.
const mostInStack = 50

// stackText is the path to a node whole, unlike that above the tree; of a very long one
// its ends.
func (m *Model) stackText(n *lazy.Node) string {
	path := m.path()
	if len(path) == 0 || path[len(path)-1] != n {
		return ""
	}
	var names []string
	for i, of := range path {
		switch {
		case i < mostInStack || i >= len(path)-mostInStack:
			names = append(names, m.shortName(of))
		case i == mostInStack:
			names = append(names, m.g.More+" "+screen.Plural(int64(len(path)-2*mostInStack), "more level")+" "+m.g.More)
		}
	}
	return strings.Join(names, " "+m.g.Crumb+" ")
}

var diffNames = map[format.DiffStatus]string{
	format.DiffUnchanged: "unchanged", format.DiffRemoved: "- removed", format.DiffAdded: "+ added",
	format.DiffEditedOld: "! edited: the old one", format.DiffEditedNew: "! edited: the new one",
}

func (m *Model) childrenText(n *lazy.Node) string {
	if text := m.countText(n); text != "" {
		return text
	}
	if n.Leaf() {
		return "none"
	}
	return "not counted yet"
}
