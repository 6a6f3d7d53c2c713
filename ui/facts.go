package ui

import (
	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/rows"
)

// facts are what the screen shows of the trace. Update takes them, so View asks the trace for
// nothing: it waits for no lock and reads no mapped file.
type facts struct {
	traceFacts
	cursorFacts
	rows    []rows.Row // those on the screen
	details []string   // the lines of the details, if they are shown
}

// traceFacts are about the trace.
type traceFacts struct {
	threads     int
	all         lazy.Population // of all threads
	data, index int64           // sizes of the files, in bytes
	folded      bool
	timed       bool
	length      int64 // of the recording, in nanoseconds; negative if unknown
}

// cursorFacts are about the cursor, and what is loaded.
type cursorFacts struct {
	stats      lazy.Stats
	event      int64    // number of the cursor's trace point; -1 if it is on none
	share      float64  // how far the cursor is in its thread, or in the file, from 0 to 1; negative if on no node
	crumbs     []string // the path to the cursor's node, as much as fits
	byDuration bool     // see Model.byDuration
	counting   string   // progress of the counting under way
}

// takeTrace updates the facts about the trace.
func (m *Model) takeTrace() {
	f := traceFacts{folded: m.out.Tree.Folded(), length: -1}
	f.threads, f.all = m.r.Totals()
	f.data, f.index = m.r.Size()
	_, f.timed = m.r.Times()
	if _, length, ok := m.r.Recording(); ok {
		f.length = int64(length)
	}
	m.facts.traceFacts = f
}

// takeRows updates the facts about the cursor, and the rows on the screen.
func (m *Model) takeRows() {
	f := cursorFacts{stats: m.out.Tree.Stats(), event: -1, share: -1, byDuration: m.byDuration()}
	if n := m.out.Cursor.Node; n != nil {
		if p := n.Point(); p != nil {
			f.event = int64(p.Event)
		}
		f.share = n.Position()
	}
	f.crumbs = nodetext.Crumbs(nodetext.Path(m.out.Cursor), m.shortName, m.width, m.g)
	if m.counting.children.Busy() {
		f.counting = m.counting.children.Share(m.countingFacts())
	}
	m.facts.cursorFacts = f
	m.facts.rows = m.rowsOf(m.out.Rows)
	if l := m.layout(); l.details != nowhere {
		m.facts.details = m.detailsLines(l)
	}
}
