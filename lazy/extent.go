package lazy

import (
	"tracex/format"
)

// Extent returns the part of a thread that a trace point takes: with its header, everything
// below it, and its footer. p is its Position, as of a Hit; that of a thread, with At -1, is all
// of it.
func (r *LazyTraceReader) Extent(p Position) (g PassRange, err error) {
	g = PassRange{Thread: p.Thread, From: max(0, p.At), To: -1}
	err = r.use(func() error {
		w, err := r.walkerOn(r.known.Load(), p.Thread)
		if err != nil || p.At < 0 {
			return err
		}
		if p.At >= w.s.Size {
			return errStale
		}
		b, err := w.bytes(p.At)
		if err != nil {
			return err
		}
		if k := format.Kind(b[0]); k != format.KindTracePoint {
			return w.contradiction(p.At, k.String()+" where a trace point should be")
		}
		var e nodeData
		if err := w.point(p.At, w.s.Cells.FirstEnding(p.At), w.s.Size, b, &e, true); err != nil {
			return err
		}
		if g.To = e.next; e.next == w.s.Size {
			g.To = -1
		}
		return nil
	})
	return g, err
}
