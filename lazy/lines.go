package lazy

import (
	"tracex/format"
	"tracex/lazy/internal/trace"
)

// Line is the content of a row at one moment. It is a value: drawing it needs neither
// the tree nor a lock. Its fields are all that a screen shows of a row, hence their number.
type Line struct {
	Row
	Text  string        // of the node, in one line; a thread's name; "" for a gap
	Spans []format.Span // the styles of Text; nil for a thread
	Mark  int           // length of the diff mark at the start of Text, in bytes
	// Extras are what Text may be extended by where there is room: see [format.Context.Extras].
	Extras []format.Extra
	Class  format.Class // of a trace point
	Diff   format.DiffStatus

	State    State
	Leaf     bool // certainly without children
	Loaded   bool // children are in memory
	Expanded bool
	Order    Order

	// In a tree that shows only some places, see Shown.Only.
	Place     bool  // this is one
	Around    bool  // it is only around one
	LeftRows  int64 // of a row with Left: how many rows it stands for
	LeftKnown bool  // LeftRows is known
	// Of one that is around places: how many of its children are shown, as far as they are counted, and
	// whether counting would find more.
	Shown                 int64
	ShownExact, ShownMore bool

	Count                  int64 // children counted so far
	CountExact, CountKnown bool  // see Node.Count
	Dropped                int64 // see DroppedIn
	Edited                 bool  // see Tree.Edited

	Nested      int64 // see Node.Nested
	NestedExact bool
	NestedMost  bool  // see AtMost
	NestedIn    int64 // Nested of the parent; 0 if not known, or for a thread

	Time                 Time
	Timed                bool  // Time is known
	Least                bool  // of a call that took that long at least: see format.Partial
	Whole                int64 // time of the parent, in nanoseconds; 0 if not known, or for a thread
	Self                 int64 // see Node.Self
	SelfExact, SelfKnown bool
}

// IsThread reports whether the line shows a thread.
func (l *Line) IsThread() bool { return l.Node != nil && l.Parent == nil }

// IsPoint reports whether the line shows a trace point.
func (l *Line) IsPoint() bool { return l.Node != nil && l.Parent != nil }

// Lines returns the contents of rows, all at one moment. With verbose, texts have code
// locations, if the trace has them. Times that could not be read, because a file has
// shrunk, are not known.
func (t *Tree) Lines(rows []Row, verbose bool) []Line {
	lines := make([]Line, len(rows))
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, r := range rows {
		lines[i].Row = r
		if r.Node != nil {
			r.Node.describe(&lines[i])
		}
		t.roots.describe(&lines[i])
	}
	if err := t.r.Use(func() error {
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

// describe fills in what the tree knows of a node. The loader is locked.
func (n *Node) describe(l *Line) {
	e := n.e.Load()
	l.State = e.State
	l.Count, l.CountExact, l.CountKnown = n.count()
	if l.Edited = n.loader.edits != nil; l.Edited && n.kids != nil {
		l.Dropped = n.kids.dropped
	}
	l.Leaf = !e.HasContent() && e.State != StatePending || l.CountKnown && l.CountExact && l.Count == 0
	l.Loaded = n.kids != nil && len(n.kids.slabs) > 0
	if n.sorting() != nil {
		l.Order = OrderWeight
	}
	h := n.loader.hiddenFor()
	l.Nested, l.NestedExact = nestedIn(n, h)
	l.NestedMost = h == nil && AtMost(n)
	if !n.IsThread() {
		if of, exact := nestedIn(n.parent, h); exact {
			l.NestedIn = of
		}
		l.Class, l.Diff = e.Point.Class, e.Point.Diff
	}
}

// lineTimes fills in the times of lines and of their parents; most lines share one
// parent. It must be called within use.
func (t *Tree) lineTimes(lines []Line) {
	if !t.r.Timed() {
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
		l.Least = format.Partial(l.Node.Point(), l.Node.Footer())
		if in != l.Parent {
			in, whole = l.Parent, 0
			if of, ok := in.time(); ok && in.State() != StatePending {
				whole = of.Duration
			}
		}
		l.Whole = whole
	}
}

// write fills in the text of a node. It returns the buffer that it used.
func (n *Node) write(c *format.Context, l *Line, verbose bool, room []byte) []byte {
	if n.IsThread() {
		room = trace.AppendThread(room[:0], c, n.thread)
		l.Text = string(room)
		return room
	}
	e := n.e.Load()
	if verbose {
		_, _, verbose = c.FileLine(e.Point.Location)
	}
	room, l.Spans = c.AppendSpans(room[:0], nil, &e.Point, e.ShownFooter(), n.around(), verbose)
	if len(l.Spans) > 0 && l.Spans[0].Style == format.StyleMark {
		l.Mark = l.Spans[0].End
	}
	l.Text = string(room)
	l.Extras = c.Extras(&e.Point, e.ShownFooter(), n.around(), verbose)
	return room
}

// describe fills in what the tree shows of the node of a line.
func (w *roots) describe(l *Line) {
	switch v := w.view; {
	case l.Node != nil:
		l.Expanded = w.open(l.Node)
		if v != nil {
			l.Place = v.match(l.Node)
			if l.Around = !v.free(l.Node); l.Around {
				l.Shown, l.ShownExact, l.ShownMore = v.shownSoFar(l.Node)
			}
		}
	case v != nil && l.Left != 0:
		l.LeftRows, l.LeftKnown = v.leftRows(l.Row)
	}
}
