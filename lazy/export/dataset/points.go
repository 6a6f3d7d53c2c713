package dataset

import (
	"encoding/binary"
	"encoding/hex"

	"tracex/format"
	"tracex/lazy"
)

// Leaf is for the pass: it makes a row of the table of points.
func (v *part) Leaf(p *lazy.PassPoint) {
	v.seen++
	x, err := p.Point()
	if err != nil {
		return // the pass has the error
	}
	l := v.look.at(p)
	r := point{
		first: noCall, event: p.Event, thread: v.thread, threadName: v.threadName(p), kind: l.pointKind(p.Class),
		name: none, class: none, owner: none, method: none, value: none,
	}
	if v.c.job.Timed {
		if v.moment < 0 {
			var ok bool
			if v.moment, ok = p.Moment(); !ok {
				v.moment = -1
			}
		}
		r.at, r.timed = v.moment, v.moment >= 0
		if v.c.hides {
			v.moment = -1
		}
	}
	if n := len(v.stack); n > 0 {
		around := &v.stack[n-1]
		r.call, r.method, r.first = around.event, around.method, around.first
		if around.row < 0 {
			r.first = -int64(n) // of the calls that were open at the begin: the collector knows it
		}
	}
	at := l.place(p.Location)
	r.file, r.line = at.file, at.line
	v.about(&r, l, x)
	v.points.rows = append(v.points.rows, r)
}

// about adds what a point is about to its row.
func (v *part) about(r *point, l *lookup, x *format.Point) {
	switch x.Class {
	case format.ClassVariableRead, format.ClassVariableWrite:
		r.name = l.variable(x.Ref)
	case format.ClassFieldRead, format.ClassFieldWrite:
		f := l.field(x.Ref)
		r.name, r.class = f.name, f.class
		v.owner(r, l, &x.Target)
	case format.ClassArrayRead, format.ClassArrayWrite:
		r.element, r.indexed = x.Number, true
		v.owner(r, l, &x.Target)
	case format.ClassThrow, format.ClassCatch:
		r.class = l.kind(&x.Value)
	case format.ClassSnapshot:
		if s := x.Snapshot; s != nil {
			r.name = l.word(uuid(s.UUID))
		}
		return
	}
	if v.c.job.ValuesShown() {
		r.value = v.points.add(l, &x.Value)
	}
}

// owner adds the object whose field or element is accessed.
func (v *part) owner(r *point, l *lookup, o *format.Value) {
	if o.Kind == format.ValueNull || !v.c.job.ValuesShown() {
		return
	}
	r.owner, r.ownerHash = l.kind(o), o.Hash()
}

// uuid returns the text of a UUID, of which the most significant half is first.
func uuid(u [2]int64) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(u[0]))
	binary.BigEndian.PutUint64(b[8:], uint64(u[1]))
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
