package diff

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/walk"
)

// textRow is a point of a trace or a diff, as text without what makes no difference.
type textRow struct {
	text   string
	class  format.Class
	status format.DiffStatus
	thread int32
	event  int32
	at     int64
	equal  int64   // siblings that it stands for; 0 for any other
	calls  int64   // in them
	marks  uint8   // of what is in it: bit 1<<status of each; 0 without any
	in     [2]bool // of a diff: it is in A, in B
	kids   []*textRow
}

// textRows reads the threads of a trace.
func textRows(t *testing.T, lr *lazy.LazyTraceReader) map[int32][]*textRow {
	t.Helper()
	r := lazy.ReaderOf(lr)
	threads := make(map[int32][]*textRow)
	err := r.Use(func() error {
		v := r.Known.Load()
		for _, s := range v.Streams.All() {
			w, err := r.WalkerOn(v, s.Thread)
			if err == nil {
				threads[s.Thread], err = textChildren(w, 0, 0, s.Size)
			}
			if err != nil {
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

func textChildren(w *walk.Walker, pos, ord, end int64) (list []*textRow, err error) {
	for {
		var e walk.NodeData
		ok, err := w.Next(pos, ord, end, &e, true)
		if !ok || err != nil {
			return list, err
		}
		x := &textRow{class: e.Point.Class, status: e.Point.Diff, thread: w.S.Thread, event: e.Point.Event, at: e.At}
		x.calls, x.equal, _ = format.EqualRow(w.R.Ctx, &e.Point)
		for _, status := range e.Point.Subtree {
			x.marks |= 1 << status
		}
		x.text = bareText(w.R.Ctx, &e)
		if x.kids, err = textChildren(w, e.Start, e.First, e.End); err != nil {
			return nil, err
		}
		list = append(list, x)
		pos, ord = e.Next, e.After
	}
}

// bareText is the text of a point and its footer without identities, places in the source, and numbers of iterations.
func bareText(c *format.Context, e *walk.NodeData) string {
	p, f := e.Point, e.Foot
	p.Diff, p.Location, p.Marked, p.Subtree = format.DiffNone, -1, false, nil
	if p.Args = slices.Clone(p.Args); p.Class == format.ClassIteration {
		p.Number = 0
	}
	f.Iterations = 0
	for i := range p.Args {
		bare(&p.Args[i])
	}
	bare(&p.Target)
	bare(&p.Value)
	bare(&f.Result)
	if p.Snapshot != nil {
		s := format.Snapshot{Watches: slices.Clone(p.Snapshot.Watches)}
		for i := range s.Watches {
			bare(&s.Watches[i])
		}
		p.Snapshot = &s
	}
	text := string(c.AppendText(nil, &p, &f, format.Parent{}, false))
	switch p.Class {
	case format.ClassCall, format.ClassFieldRead, format.ClassFieldWrite, format.ClassArrayRead, format.ClassArrayWrite:
		text += ", of " + string(c.AppendValueText(nil, &p.Target))
	}
	text = strings.ReplaceAll(text, "<unknown>.<field ", "<field ") // in a diff a field that is not described has a class
	return fmt.Sprintf("%v %s", p.Class, text)
}

// bare removes from a value what does not count.
func bare(x *format.Value) {
	whole := x.ByValue()
	switch x.Kind {
	case format.ValueObject, format.ValueException, format.ValueSequence, format.ValueBuilder:
		x.Bits = 0
	case format.ValueArray:
		x.Bits = format.ArrayBits(0, x.Length())
	}
	if x.Captured == nil {
		return
	}
	in := *x.Captured
	in.Elements = nil
	if in.Fields = slices.Clone(in.Fields); !whole {
		in.Fields = nil
	}
	for i := range in.Fields {
		bare(&in.Fields[i].Value)
	}
	x.Captured = &in
}

// lines appends a line for each point, with the number of those that it is in.
func lines(dst []string, list []*textRow, depth int) []string {
	for _, x := range list {
		dst = append(dst, fmt.Sprintf("%d %s", depth, x.text))
		dst = lines(dst, x.kids, depth+1)
	}
	return dst
}

// TestSteadyName: names of classes do not differ by what a JVM makes up.
func TestSteadyName(t *testing.T) {
	for name, want := range map[string]string{
		"app.Threads$$Lambda$85/0x00007f8a5c15e838": "app.Threads$$Lambda",
		"app.Threads$$Lambda/0x00007f8a5c15e838":    "app.Threads$$Lambda",
		"app.Hidden/0x0000000800c03000":             "app.Hidden",
		"example.com/0xcafe/shop.Order":             "example.com/0xcafe/shop.Order",
		"app.Order$Item":                            "app.Order$Item",
	} {
		if got := steadyName(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}
