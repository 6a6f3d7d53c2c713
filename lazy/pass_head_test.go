package lazy

import (
	"reflect"
	"sync/atomic"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/walk"
)

// headReader checks the heads of points. It is its own visitor, of all parts.
type headReader struct {
	t    *testing.T
	some atomic.Bool // any point was checked
	next atomic.Bool // any footer followed its header
}

func (h *headReader) Visitor() Visitor         { return h }
func (h *headReader) Reset()                   {}
func (h *headReader) Begin(int32, []PassFrame) {}
func (h *headReader) Exit(*PassPoint)          {}
func (h *headReader) Merge(Visitor) error      { return nil }
func (h *headReader) Leaf(p *PassPoint)        { h.Enter(p) }

func (h *headReader) Enter(p *PassPoint) {
	type fields struct {
		class                        format.Class
		location, thread, event, ref int32
		diff                         format.DiffStatus
		number                       int32
	}
	of := func(x *format.Point, err error) (f fields) {
		if err != nil {
			h.t.Error(err)
			return f
		}
		return fields{x.Class, x.Location, x.Thread, x.Event, x.Ref, x.Diff, x.Number}
	}
	got := of(p.Head())
	want := of(p.Point())
	if want.class == format.ClassArrayRead || want.class == format.ClassArrayWrite {
		got.number = want.number // the index of the element is a value
	}
	if got != want {
		h.t.Errorf("#%d: %+v, want %+v", p.Event, got, want)
	}
	h.some.Store(true)
	h.ending(p)
}

// ending compares how a container ends, as told when it begins, with what the index leads to.
func (h *headReader) ending(p *PassPoint) {
	foot, err := p.Footer()
	state, stateErr := p.Ended()
	if err != nil || stateErr != nil || !p.Class.Container() {
		return // the pass gets the error too
	}
	e, near, err := walk.EndOfPoint(p)
	h.next.Store(h.next.Load() || near)
	if err != nil {
		h.t.Error(err)
		return
	}
	if want := e.ShownFooter(); state != e.State || !reflect.DeepEqual(foot, want) {
		h.t.Errorf("#%d: %v %+v, want %v %+v", p.Event, state, foot, e.State, want)
	}
}

// TestPassHead: the head of a point has what the whole point has, and so has the footer that follows it.
func TestPassHead(t *testing.T) {
	h := &headReader{t: t}
	t.Run("all", func(t *testing.T) { checkHeads(t, h) })
	if !h.some.Load() || !h.next.Load() {
		t.Error("no point was checked")
	}
}

func checkHeads(t *testing.T, h *headReader) {
	corpus(t, func(t *testing.T, path string) {
		r := ready(t, path, Options{NoWrite: true})
		if size, _ := r.Size(); size > 1<<20 && !formattest.Exhaustive() {
			return
		}
		for _, raw := range []bool{false, true} {
			if err := r.Pass(t.Context(), Pass{Raw: raw, Collect: []Collector{h}}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
