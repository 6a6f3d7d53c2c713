package trace

import (
	"errors"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

// keepTally keeps the counts of a scan for the view that replaces it. Nothing else of the scan is kept.
func (r *Trace) keepTally(was, v *index.View) {
	all := TallyStreams(v)
	for _, s := range was.Streams.All() {
		all.Add(s.Thread, s.Scanned())
	}
	r.Tallies.Store(all)
}

// setContext replaces the known descriptors.
func (t *Trace) setContext(ctx *format.Context) {
	t.CtxMu.Lock()
	defer t.CtxMu.Unlock()
	*t.Ctx = *ctx
}

// setData replaces the shown file, if any, and what is known about it. Loaded nodes
// become stale.
func (t *Trace) setData(m *mapped.File, v *index.View, ctx *format.Context, why error) error {
	err := t.change(func() error {
		old := t.Data
		if old != nil {
			t.Epoch.Add(1)
		}
		t.Known.Store(v)
		t.Tallies.Store(nil)
		t.Data = m
		t.setContext(ctx)
		index, times := t.Index, t.TimesFile.Swap(nil)
		t.Index = nil
		t.Note(func(st *Status) {
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
	if errors.Is(err, ErrClosed) {
		m.Unmap()
	}
	return err
}

// setIndex replaces the mapping of the index with m, nil for none, and the view, which
// may use the old mapping, with v. With wrong, what was known so far is no longer true.
func (t *Trace) setIndex(m *mapped.File, v *index.View, wrong bool) error {
	t.Life.Lock()
	defer t.Life.Unlock()
	if t.Closed {
		m.Unmap()
		return ErrClosed
	}
	if wrong {
		t.Epoch.Add(1)
	}
	t.Known.Store(v)
	old := t.Index
	t.Index = m
	return old.Unmap()
}

// AddReference adds a reference object to the context, and checks that it matches its
// cell.
func (t *Trace) AddReference(object []byte, cell format.Cell) error {
	t.CtxMu.Lock()
	defer t.CtxMu.Unlock()
	return index.Into(t.Ctx)(object, cell)
}

// Publish replaces the view with v.
func (t *Trace) Publish(v *index.View) {
	if was := t.Known.Load(); was.Complete && was.Data != nil && v.Data == nil {
		t.keepTally(was, v)
	}
	t.Known.Store(v)
	t.AddUp() // here, so that no key press waits for it
	t.Note(func(s *Status) { s.Generation++ })
}
