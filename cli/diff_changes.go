package cli

import (
	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
)

// only begins what only one trace has.
func (w *diffWalk) only(p *lazy.PassPoint, x *diffChange, row diffRow, counts bool) {
	if w.whole = x; !counts {
		w.ignore(p)
		return
	}
	w.tell()
	x.path, x.kind, x.texts[1], x.events[1] = w.path(), "added", row.text, p.Event
	if row.status == format.DiffRemoved {
		x.kind, x.texts, x.events = "removed", [2]string{row.text}, [2]int32{p.Event, -1}
	}
	if m, ok := w.moves.Of(p.Event); ok {
		partner, _ := w.moves.Of(m.Partner)
		x.move = &partner
		was, is := &m, &partner
		if row.status == format.DiffAdded {
			was, is = is, was
		}
		x.moved.change, x.moved.what = query.MovedKind(p.Context(), was, is)
		row.moved = string(format.AppendEscaped(nil, query.Moved(p.Context(), w.moves, p.Event, row.status)))
	}
	w.sink.row(row)
}

// ended ends what only one trace has.
func (w *diffWalk) ended(p *lazy.PassPoint) {
	x := w.whole
	if w.whole = nil; x.kind != "" {
		w.told(p, x)
	}
}

// edited tells the two rows of an edited event.
func (w *diffWalk) edited(p *lazy.PassPoint, x *diffChange, point *format.Point, foot *format.Footer, row diffRow) {
	w.tell()
	x.kind, x.path, x.texts[1], x.events[1] = "edited", w.path(), row.text, p.Event
	if o := w.old; o != nil {
		x.texts[0], x.events[0] = o.text, o.event
		x.values = query.Changes(p.Context(), &o.point, point, o.foot, foot)
		w.sink.row(o.diffRow)
	}
	w.sink.row(row)
	w.told(p, x)
}

// alone tells an edited row that no row of B follows.
func (w *diffWalk) alone(p *lazy.PassPoint) {
	o := w.old
	if w.old = nil; o == nil || !o.count {
		return
	}
	w.tell()
	w.sink.row(o.diffRow)
	w.told(p, &diffChange{kind: "edited", class: o.point.Class, what: o.of, path: w.path(), events: [2]int32{o.event, -1}, texts: [2]string{o.text}, rows: 1})
}

// told tells a change after its rows. p is nil after the walk.
func (w *diffWalk) told(p *lazy.PassPoint, x *diffChange) {
	x.thread = w.thread
	for i := range w.stack {
		if w.stack[i].call {
			x.in = w.stack[i].name
		}
	}
	if err := w.sink.change(x); err != nil && w.done == nil {
		if w.done = err; p != nil {
			p.Fail(err)
		}
	}
}
