package diff

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/internal/walk"
)

// plain is a point of a trace with everything in it, as the simple script of these tests needs it.
type plain struct {
	text   string // of the point and its footer
	key    string // of its class and symbol
	all    string // of everything in it, too
	class  format.Class
	thread int32
	event  int32
	at     int64
	took   int64
	calls  int64 // of a row that stands for equal siblings
	equal  int64 // how many it stands for; 0 for any other
	kids   []*plain
}

// plains reads a trace by a walk over the children of each point. Texts have no identity hashes, and a loop no number of iterations.
func plains(t *testing.T, lr *lazy.LazyTraceReader) map[int32][]*plain {
	t.Helper()
	r := lazy.ReaderOf(lr)
	threads := make(map[int32][]*plain)
	err := r.Use(func() error {
		v := r.Known.Load()
		for _, s := range v.Streams.All() {
			w, err := r.WalkerOn(v, s.Thread)
			if err != nil {
				return err
			}
			if threads[s.Thread], err = plainChildren(w, 0, 0, s.Size); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return threads
}

func plainChildren(w *walk.Walker, pos, ord, end int64) (list []*plain, err error) {
	for {
		var e walk.NodeData
		ok, err := w.Next(pos, ord, end, &e, true)
		if !ok || err != nil {
			return list, err
		}
		p := &plain{class: e.Point.Class, thread: w.S.Thread, event: e.Point.Event, at: e.At, took: -1}
		if took, ok := w.Time(&e); ok {
			p.took = took.Duration
		}
		p.calls, p.equal, _ = format.EqualRow(w.R.Ctx, &e.Point)
		p.text, p.key = plainText(w.R.Ctx, &e), plainKey(w.R.Ctx, &e.Point)
		if p.kids, err = plainChildren(w, e.Start, e.First, e.End); err != nil {
			return nil, err
		}
		var all strings.Builder
		all.WriteString(p.text)
		for _, k := range p.kids {
			all.WriteString("(" + k.all + ")")
		}
		p.all = all.String()
		list = append(list, p)
		pos, ord = e.Next, e.After
	}
}

// plainText is the text of a point with its footer and its location, without its mark.
func plainText(c *format.Context, e *walk.NodeData) string {
	p := e.Point
	p.Diff = format.DiffNone
	return string(c.AppendText(nil, &p, &e.Foot, format.Parent{}, true))
}

func plainKey(c *format.Context, p *format.Point) string {
	key := p.Class.String()
	switch p.Class {
	case format.ClassCall:
		if m := c.Method(p.Ref); m != nil {
			key += " " + c.Class(m.ClassID).Name + "." + m.Name
		}
	case format.ClassVariableRead, format.ClassVariableWrite:
		if v := c.Variable(p.Ref); v != nil {
			key += " " + v.Name
		}
	case format.ClassFieldRead, format.ClassFieldWrite:
		if f := c.Field(p.Ref); f != nil {
			key += " " + f.Name
		}
	}
	return key
}

// count returns how many points there are below p, with itself, and how many are calls.
func (p *plain) count() (points, calls int64) {
	points = 1
	if p.class == format.ClassCall {
		calls = 1
	}
	for _, k := range p.kids {
		n, c := k.count()
		points, calls = points+n, calls+c
	}
	return points, calls
}

// simpleScript returns a simple script: threads by number, children by their keys in order, those with another text entered.
func simpleScript(a, b map[int32][]*plain) iter.Seq2[step, error] {
	var list []step
	for id := int32(0); id < 1000; id++ {
		left, inA := a[id]
		right, inB := b[id]
		if !inA && !inB {
			continue
		}
		s := step{kind: stepThread, a: -1, b: -1}
		if inA {
			s.a = int64(id)
		}
		if inB {
			s.b = int64(id)
		}
		inner, marks := simpleScriptOf(left, right)
		s.marks = marks
		if inA != inB {
			inner = nil // the writer does it
		}
		list = append(append(append(list, s), inner...), step{kind: stepExit})
	}
	return func(yield func(step, error) bool) {
		for _, s := range list {
			if !yield(s, nil) {
				return
			}
		}
	}
}

func simpleScriptOf(a, b []*plain) (list []step, marks uint8) {
	const removed, added, edited = 1 << format.DiffRemoved, 1 << format.DiffAdded, 1<<format.DiffEditedOld | 1<<format.DiffEditedNew
	for len(a) > 0 || len(b) > 0 {
		at := slices.IndexFunc(b, func(p *plain) bool { return len(a) > 0 && p.key == a[0].key })
		switch {
		case at < 0 && len(a) > 0:
			_, calls := a[0].count()
			list, marks = append(list, step{kind: stepRemoved, a: a[0].at, calls: calls}), marks|removed
			a = a[1:]
		case len(a) == 0 || at > 0:
			_, calls := b[0].count()
			list, marks = append(list, step{kind: stepAdded, b: b[0].at, calls: calls}), marks|added
			b = b[1:]
		case a[0].all == b[0].all:
			s := step{kind: stepEqual, a: a[0].at, b: b[0].at}
			for len(a) > 0 && len(b) > 0 && a[0].all == b[0].all {
				_, calls := b[0].count()
				s.n, s.calls = s.n+1, s.calls+calls
				a, b = a[1:], b[1:]
			}
			list = append(list, s)
		case !a[0].class.Container():
			list, marks = append(list, step{kind: stepPair, own: true, a: a[0].at, b: b[0].at}), marks|edited
			a, b = a[1:], b[1:]
		default:
			s := step{kind: stepEnter, own: a[0].text != b[0].text, a: a[0].at, b: b[0].at}
			var inner []step
			inner, s.marks = simpleScriptOf(a[0].kids, b[0].kids)
			if marks |= s.marks; s.own {
				marks |= edited
			}
			list = append(append(append(list, s), inner...), step{kind: stepExit})
			a, b = a[1:], b[1:]
		}
	}
	return list, marks
}

// smallProgram is a builder with some methods of a class A.
type smallProgram struct {
	*formattest.Builder
	main, run, work, step int32
}

func newProgram(t *testing.T) *smallProgram {
	b := formattest.NewBuilder(t)
	method := func(name string) int32 { return b.Method("A", name, formattest.IntType) }
	return &smallProgram{b, method("main"), method("run"), method("work"), method("step")}
}
