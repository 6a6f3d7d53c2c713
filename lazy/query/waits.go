package query

import (
	"context"

	"tracex/format"
	"tracex/lazy"
)

// waits knows which methods are waits, for one goroutine.
type waits struct {
	result format.Type // of such methods: see [format.Wait]
	known  []uint8     // by id: 0 not yet, 1 is none, 2 is one
}

// is reports whether the method with an id is a wait.
func (w *waits) is(c *format.Context, id int32) bool {
	if uint32(id) < uint32(len(w.known)) && w.known[id] > 0 {
		return w.known[id] > 1
	}
	m := c.Method(id)
	is := m != nil && m.Result == w.result
	if m != nil && id >= 0 && int(id) < max(mostDense, len(w.known)) {
		for int(id) >= len(w.known) {
			w.known = append(w.known, make([]uint8, max(64, len(w.known)))...)
		}
		w.known[id] = 1 + uint8(b2i(is))
	}
	return is
}

// isWait reports whether the calls of a method are waits.
func isWait(c *format.Context, method int32) bool {
	m := c.Method(method)
	return m != nil && m.Result == format.Wait
}

// HasWaits reports whether a trace tells where goroutines waited: it describes waits, see [format.Wait].
func HasWaits(r *lazy.LazyTraceReader) (has bool) {
	r.WithContext(func(c *format.Context) { has = format.HasWaits(c) })
	return has
}

// WaitedIn returns for how many nanoseconds a goroutine waited in the call, loop or iteration with an event. The answer is
// not known if the trace does not tell it, or has more than most bytes below the event.
func WaitedIn(ctx context.Context, r *lazy.LazyTraceReader, raw bool, event lazy.Handle, most int64) (ns int64, known bool, err error) {
	if _, timed := r.Times(); !timed || !HasWaits(r) {
		return 0, false, nil
	}
	scope := Scope{Raw: raw}
	if err := scope.In(ctx, r, event); err != nil {
		return 0, false, err
	}
	if in := scope.Ranges[0]; in.To-in.From > most {
		return 0, false, nil
	}
	top, pass := NewTop(r, scope, ByThread), scope.Pass()
	pass.Collect = []lazy.Collector{top}
	if err := r.Pass(ctx, pass); err != nil {
		return 0, false, err
	}
	table := top.threadTable()
	for i := range table.Len() {
		var row topRow
		table.sums(i, &row)
		ns += row.Waiting
	}
	return ns, true, nil
}
