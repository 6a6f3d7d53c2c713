package goroutines

import (
	"context"

	"tracex/lazy"
)

// First returns the first point of a thread, given by its id, that the raw or the folded view shows. If
// there is none, it returns the position of the thread itself, and -1 for the event.
func First(ctx context.Context, r *lazy.LazyTraceReader, raw bool, thread int32) (at lazy.Position, event int32, err error) {
	f := &first{at: lazy.Position{Thread: thread, At: -1}, event: -1}
	err = r.Pass(ctx, lazy.Pass{
		Raw: raw, Ranges: []lazy.PassRange{{Thread: thread, To: -1}}, Collect: []lazy.Collector{f}, Share: 64 << 10,
	})
	return f.at, f.event, err
}

// first finds the first point. It is a Collector and its own visitor.
type first struct {
	at    lazy.Position
	event int32 // -1: none yet
}

func (f *first) Visitor() lazy.Visitor         { return &first{at: f.none(), event: -1} }
func (f *first) Reset()                        { *f = first{at: f.none(), event: -1} }
func (f *first) none() lazy.Position           { return lazy.Position{Thread: f.at.Thread, At: -1} }
func (f *first) Begin(int32, []lazy.PassFrame) {}
func (f *first) Exit(*lazy.PassPoint)          {}
func (f *first) Leaf(p *lazy.PassPoint)        { f.Enter(p) }

func (f *first) Enter(p *lazy.PassPoint) {
	if f.at.At < 0 {
		f.at.At, f.event = p.At, p.Event
	}
}

func (f *first) Merge(v lazy.Visitor) error {
	if x := v.(*first); x.at.At >= 0 {
		*f = *x
		return lazy.ErrEnough
	}
	return nil
}

// WhenBegun returns the innermost call of a thread that was open when another one began; ok is false if
// none was, or the trace does not tell.
func WhenBegun(r *lazy.LazyTraceReader, thread, of int32) (at lazy.Position, ok bool) {
	t, ok := r.ThreadTime(thread)
	if !ok {
		return at, false
	}
	m, err := r.FindTime(of, t.Start)
	return m.Position, err == nil && !m.Before && !m.After
}
