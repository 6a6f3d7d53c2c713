package lazy

import (
	"errors"
	"fmt"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

// keepTally keeps the counts of a scan, for when an index replaces it.
func (r *trace) keepTally(v *index.View) {
	all := tallyStreams(v)
	for i, s := range v.Streams {
		all.counts[i] = s.Scanned()
	}
	r.tallies.Store(all)
}

// setContext replaces the known descriptors.
func (t *trace) setContext(ctx *format.Context) {
	t.ctxMu.Lock()
	defer t.ctxMu.Unlock()
	*t.ctx = *ctx
}

// setData replaces the shown file, if any, and what is known about it. Loaded nodes
// become stale.
func (t *trace) setData(m *mapped.File, v *index.View, ctx *format.Context, why error) error {
	err := t.change(func() error {
		old := t.data
		if old != nil {
			t.epoch.Add(1)
		}
		t.known.Store(v)
		t.tallies.Store(nil)
		t.data = m
		t.setContext(ctx)
		index, times := t.index, t.times.Swap(nil)
		t.index = nil
		t.note(func(st *Status) {
			st.Generation++
			if old != nil {
				g := st.Growth
				g.Recording++
				g.Again, g.Grown, g.Rate = why, time.Time{}, 0
				*st = Status{Phase: st.Phase, Generation: st.Generation, Epoch: st.Epoch + 1, Growth: g}
			}
		})
		return errors.Join(old.Unmap(), index.Unmap(), times.Mapped().Unmap())
	})
	if errors.Is(err, errClosed) {
		m.Unmap()
	}
	return err
}

// setIndex replaces the mapping of the index with m, nil for none, and the view, which
// may use the old mapping, with v. With wrong, what was known so far is no longer true.
func (t *trace) setIndex(m *mapped.File, v *index.View, wrong bool) error {
	t.life.Lock()
	defer t.life.Unlock()
	if t.closed {
		m.Unmap()
		return errClosed
	}
	if wrong {
		t.epoch.Add(1)
	}
	t.known.Store(v)
	old := t.index
	t.index = m
	return old.Unmap()
}

// addReference adds a reference object to the context, and checks that it matches its
// cell.
func (t *trace) addReference(object []byte, cell format.Cell) error {
	t.ctxMu.Lock()
	defer t.ctxMu.Unlock()
	return addTo(t.ctx, object, cell)
}

func addTo(ctx *format.Context, object []byte, cell format.Cell) error {
	if k := format.Kind(object[0]); k != cell.Kind {
		return fmt.Errorf("%s %d at offset %d, where the data has %s", cell.Kind, cell.ID, cell.Start, k)
	}
	id, _, err := ctx.Add(object)
	if err == nil && id != cell.ID {
		err = fmt.Errorf("%s %d at offset %d, where the data has %d", cell.Kind, cell.ID, cell.Start, id)
	}
	return err
}

// publish replaces the view with v.
func (t *trace) publish(v *index.View) {
	if was := t.known.Load(); was.Complete && was.Data != nil && v.Data == nil {
		t.keepTally(was)
	}
	t.known.Store(v)
	t.addUp() // here, so that no key press waits for it
	t.note(func(s *Status) { s.Generation++ })
}
