package lazy

import "tracex/format"

// Line is what a row shows, as of one moment. It is a value: who draws it asks
// nothing of the tree, and waits for no lock.
type Line struct {
	Row
	Text  string        // of the node, in one line; a thread's name; "" of a gap
	Spans []format.Span // the styles of Text; nil of a thread
	Mark  int           // bytes at the start of Text that are the mark of a diff
	Class format.Class  // of a trace point
	Diff  format.DiffStatus

	State    State
	Leaf     bool // surely without children
	Loaded   bool // children are in memory
	Expanded bool
	Order    Order

	Count                  int64 // children counted so far
	CountExact, CountKnown bool  // see Node.Count

	Time                 Time
	Timed                bool  // Time is known
	Whole                int64 // how long what it is in took, in nanoseconds; 0: not known, or it is a thread
	Self                 int64 // see Node.Self
	SelfExact, SelfKnown bool
}

// IsThread reports whether the line is that of a thread.
func (l *Line) IsThread() bool { return l.Node != nil && l.Parent == nil }

// IsPoint reports whether the line is that of a trace point.
func (l *Line) IsPoint() bool { return l.Node != nil && l.Parent != nil }

// Lines returns what rows show, all as of one moment. With verbose, texts say where
// in the source something is, as far as the trace tells. What could not be read of
// the times, since a file has shrunk, is not known.
func (t *Tree) Lines(rows []Row, verbose bool) []Line {
	lines := make([]Line, len(rows))
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, r := range rows {
		lines[i].Row = r
		if r.Node != nil {
			r.Node.describe(&lines[i])
		}
	}
	if err := t.r.use(func() error {
		t.lineTimes(lines)
		return nil
	}); err != nil {
		for i := range lines {
			lines[i].Timed, lines[i].Whole = false, 0
		}
	}
	for i := range lines {
		if l := &lines[i]; l.Timed {
			l.Self, l.SelfExact, l.SelfKnown = l.Node.self(l.Time)
		}
	}
	t.r.WithContext(func(c *format.Context) {
		var room []byte
		for i := range lines {
			if n := lines[i].Node; n != nil {
				room = n.write(c, &lines[i], verbose, room)
			}
		}
	})
	return lines
}

// describe fills in what the tree knows of a node. The tree is locked.
func (n *Node) describe(l *Line) {
	e := n.e.Load()
	l.State = e.state
	l.Count, l.CountExact, l.CountKnown = n.count()
	l.Leaf = !e.hasContent() && e.state != StatePending || l.CountKnown && l.CountExact && l.Count == 0
	l.Loaded = n.kids != nil && len(n.kids.pages) > 0
	l.Expanded = n.expanded()
	if n.sorting() != nil {
		l.Order = OrderDuration
	}
	if !n.IsThread() {
		l.Class, l.Diff = e.point.Class, e.point.Diff
	}
}

// lineTimes fills in the times of lines and of what they are in, which is mostly the
// same. It must be called within use.
func (t *Tree) lineTimes(lines []Line) {
	if !t.r.timed() {
		return
	}
	var in *Node
	var whole int64
	for i := range lines {
		l := &lines[i]
		if l.Node == nil {
			continue
		}
		if l.Time, l.Timed = l.Node.time(); !l.Timed || l.IsThread() {
			continue
		}
		if in != l.Parent {
			in, whole = l.Parent, 0
			if of, ok := in.time(); ok && in.State() != StatePending {
				whole = of.Duration
			}
		}
		l.Whole = whole
	}
}

// write fills in the text of a node. It returns the room that it used.
func (n *Node) write(c *format.Context, l *Line, verbose bool, room []byte) []byte {
	if n.IsThread() {
		room = appendThread(room[:0], c, n.thread)
		l.Text = string(room)
		return room
	}
	e := n.e.Load()
	if verbose {
		_, _, verbose = c.FileLine(e.point.Location)
	}
	room, l.Spans = c.AppendSpans(room[:0], nil, &e.point, e.shownFooter(), n.parent.parentText(), verbose)
	if len(l.Spans) > 0 && l.Spans[0].Style == format.StyleMark {
		l.Mark = l.Spans[0].End
	}
	l.Text = string(room)
	return room
}
