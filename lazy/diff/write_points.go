package diff

import (
	"errors"
	"math"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/lazy/internal/walk"
)

// origin is where a point of the output comes from.
type origin struct {
	events format.EventMatch
	pair   Pair
}

// none is the origin of a point that is in neither trace.
var none = origin{format.EventMatch{Left: -1, Right: -1}, nowhere}

// set makes the origin include an event of a side, which is at an offset and took some time.
func (o *origin) set(s *source, event int32, at, took int64) {
	if s.n == 0 {
		o.events.Left = event
	} else {
		o.events.Right = event
	}
	o.pair.Thread[s.n], o.pair.At[s.n], o.pair.Took[s.n] = s.w.S.Thread, at, took
}

// from returns the origin of a point that is in one trace or in both; a node may be nil.
func (w *writer) from(a, b *walk.NodeData) origin {
	o := none
	if a != nil {
		o.set(w.a, a.Point.Event, a.At, w.a.took(a))
	}
	if b != nil {
		o.set(w.b, b.Point.Event, b.At, w.b.took(b))
	}
	return o
}

// errTooMany: the diff has more trace points than there are numbers for them.
var errTooMany = errors.New("the diff has more than 2,147,483,647 trace points")

// put writes a leaf, or the header of a container, which it changes, with its diff status and with those below as in
// [step].marks. s is the side of the point, nil if it is one of the output. It returns its number and where its content begins.
func (w *writer) put(s *source, p *format.Point, status format.DiffStatus, marks uint8, o origin) (event int32, content int64, err error) {
	if s != nil {
		if err := s.point(p); err != nil {
			return 0, 0, err
		}
	}
	var ok bool
	if p.Event, ok = w.out.NextEvent(); !ok {
		return 0, 0, errTooMany
	}
	p.Thread, p.Diff = w.block.Thread, status
	p.Subtree = p.Subtree[:0]
	for d := format.DiffRemoved; d <= format.DiffEditedNew; d++ {
		if marks&(1<<d) != 0 {
			p.Subtree = append(p.Subtree, d)
		}
	}
	p.Marked = len(p.Subtree) > 0
	b, err := p.Append(w.block.Bytes(), w.version)
	if err != nil {
		return 0, 0, err
	}
	if p.Class.Container() {
		content = w.block.Header(b)
	} else {
		w.block.Leaf(b)
		w.fill()
	}
	w.points++
	if s := w.moving; s != nil {
		w.moving = nil
		w.moved(s, p)
	}
	return p.Event, content, w.note(&o)
}

// moved notes the row of a moved or renamed point, and where its partner is: as soon as both are written.
func (w *writer) moved(s *step, p *format.Point) {
	m := lazy.Move{Event: p.Event, Renamed: s.named, Class: p.Class, Ref: p.Ref, Thread: p.Thread, Call: -1, Method: -1}
	for i := len(w.open) - 1; i >= 0; i-- {
		if o := &w.open[i]; o.class == format.ClassCall {
			m.Call, m.Method = o.event, o.method
			break
		}
	}
	other, ok := w.first[s.n]
	if !ok {
		w.first[s.n] = m
		return
	}
	delete(w.first, s.n)
	m.Partner, other.Partner = other.Event, m.Event
	w.moves = append(w.moves, m, other)
}

// note writes the origin of an event, the next one.
func (w *writer) note(o *origin) error {
	if w.pairs != nil {
		w.pairs.add(&o.pair)
	}
	if w.events == nil {
		return nil
	}
	if w.matches = append(w.matches, o.events); len(w.matches) < matchesAt {
		return nil
	}
	return w.tellMatches()
}

func (w *writer) tellMatches() error {
	if w.events == nil {
		return nil
	}
	err := w.events(w.matches)
	w.matches = w.matches[:0]
	return err
}

// close writes the footer of a container of a class, which it changes. s is its side, nil if it is one of the output.
func (w *writer) close(s *source, f *format.Footer, class format.Class, event int32, content int64) error {
	if s != nil {
		if err := s.footer(f, class); err != nil {
			return err
		}
	}
	b, err := f.Append(w.block.Bytes(), w.version, class)
	if err != nil {
		return err
	}
	w.block.Footer(b, content, format.TimeCell{ID: event, Duration: format.NoDuration})
	w.fill()
	return nil
}

// fill writes a block that is full. It must not end with the header of a container.
func (w *writer) fill() {
	if w.block.Size() >= blockSize {
		w.out.Flush(w.block)
	}
}

// pair writes two leaves that differ.
func (w *writer) pair(s step) error {
	a, b := &w.nodes[0], &w.nodes[1]
	if err := w.read(s); err != nil {
		return err
	}
	o := w.from(a, b)
	status := format.DiffUnchanged
	if !s.quiet {
		if _, _, err := w.put(w.a, &a.Point, format.DiffEditedOld, 0, o); err != nil {
			return err
		}
		status = format.DiffEditedNew
	}
	_, _, err := w.put(w.b, &b.Point, status, 0, o)
	return err
}

// read reads the points that a step is about into w.nodes.
func (w *writer) read(s step) error {
	ends := w.ends()
	if err := w.a.node(s.a, ends[0], &w.nodes[0]); err != nil {
		return err
	}
	return w.b.node(s.b, ends[1], &w.nodes[1])
}

// ends returns where the content that is being written ends in each trace.
func (w *writer) ends() [2]int64 {
	for i := len(w.open) - 1; i >= 0; i-- {
		if !w.open[i].around {
			return w.open[i].ends
		}
	}
	ends := [2]int64{math.MaxInt64, math.MaxInt64}
	for i, s := range [...]*source{w.a, w.b} {
		if s.w != nil {
			ends[i] = s.w.S.Size
		}
	}
	return ends
}

// enter writes the headers of two containers that differ. What is in them follows.
func (w *writer) enter(s step) error {
	a, b := &w.nodes[0], &w.nodes[1]
	if err := w.read(s); err != nil {
		return err
	}
	if b.Point.Class == format.ClassLoop || b.Point.Class == format.ClassIteration {
		w.a.ids.same(a.Point.Ref, w.b.ids.loop(b.Point.Ref, b.Point.Location))
	}
	o := w.from(a, b)
	status := format.DiffUnchanged
	if s.own && !s.quiet {
		event, content, err := w.put(w.a, &a.Point, format.DiffEditedOld, 0, o)
		if err == nil {
			err = w.close(w.a, &a.Foot, a.Point.Class, event, content)
		}
		if err != nil {
			return err
		}
		status = format.DiffEditedNew
	}
	event, content, err := w.put(w.b, &b.Point, status, s.marks, o)
	w.open = append(w.open, openPoint{content: content, event: event, class: b.Point.Class, method: b.Point.Ref, footer: b.Foot, from: w.b, ends: [2]int64{a.End, b.End}})
	return err
}

// leave writes the footer of the innermost open container.
func (w *writer) leave() error {
	o := w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	return w.close(o.from, &o.footer, o.class, o.event, o.content)
}

// beginThread begins the output of a thread.
func (w *writer) beginThread(s step) error {
	id, ok := w.out.NextThread()
	if !ok {
		return errTooMany
	}
	w.block = &tracefile.Block{Thread: id, Untimed: true}
	m := format.ThreadMatch{Thread: id, Left: -1, Right: -1}
	if at, ok := w.positions[0][int32(s.a)]; ok && s.a >= 0 {
		m.Left = at
	}
	if at, ok := w.positions[1][int32(s.b)]; ok && s.b >= 0 {
		m.Right = at
	}
	w.threads = append(w.threads, m)
	return nil
}
