package lazy

import (
	"errors"
	"os"
)

// growTimes maps the sidecar again when its size has changed, or maps it now that
// there is one. Call it where the data has changed; not within use.
func (r *TraceReader) growTimes() {
	path, old := r.timesPath, r.times.Load()
	if path == "" {
		return // unpacked, and whole
	}
	if old != nil {
		st, err := os.Stat(path)
		if old.unfit.Load() || err != nil || st.Size() == int64(len(old.m.Bytes())) {
			return
		}
	}
	s, err := openSidecar(path)
	switch {
	case err == nil:
	case old != nil:
		r.distrustTimes(old, err)
		return
	case errors.Is(err, os.ErrNotExist):
		return
	default:
		r.note(func(st *Status) { st.TimesReason = err }) // the recorder may still write its header
		return
	}
	if old != nil {
		s.order.Store(old.order.Load())
	}
	err = r.change(func() error {
		r.times.Store(s)
		return old.mapped().Unmap()
	})
	if errors.Is(err, errClosed) {
		s.m.Unmap()
		return
	}
	r.note(func(st *Status) { st.TimesReason = nil })
}
