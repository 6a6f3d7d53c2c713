package diff

import (
	"reflect"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// side is what reads one of the two traces.
type side struct {
	r *walk.Reader
	// known is what is compared of it: if it grows meanwhile, that does not count.
	known *walk.Known
	h     *hashes
	in    partOf // what is compared, if it is no whole thread
}

func newSide(r *lazy.LazyTraceReader) *side {
	s := &side{r: lazy.ReaderOf(r)}
	s.known = s.r.KnownNow()
	return s
}

// doubt takes an error of a read. If it means that the index is wrong, that is made again.
func (s *side) doubt(err error) error { return s.r.Doubt(err, s.known.View, s.known.Epoch) }

// changed reports whether what is compared turned out to be wrong, or is gone.
func (s *side) changed() bool {
	now := s.r.KnownNow()
	return now.Epoch != s.known.Epoch || now.View != s.known.View && s.r.Use(func() error {
		if !s.r.Shows(s.known.View) {
			return trace.ErrStale
		}
		return nil
	}) != nil
}

// lane reads the children of containers of one thread. One goroutine uses it.
type lane struct {
	*side
	w     *walk.Walker
	sign  *signer
	data  walk.NodeData // of the last point read
	known []childAt     // of the short lists that are being compared, those of inner containers after those of outer ones
	bytes []byte        // of the point that single read last, and what follows it
	parts []uint64      // of its values
}

// content is what is in a container or a thread.
type content struct {
	start, end int64 // logical offsets
	first      int64 // ordinal of the first cell that ends at start or after it
}

// childAt is an item and where it is.
type childAt struct {
	item
	at     int64 // logical offset of its header
	first  int64 // ordinal of the first cell that ends at its header or after it
	before int64 // calls in the children before it: of a short list, or of the chunk
}

// newLane returns the lane of a thread.
func newLane(s *side, thread int32) (l *lane, err error) {
	l = &lane{side: s, sign: s.h.signer(thread)}
	err = s.r.Use(func() error {
		l.w, err = s.r.WalkerOn(s.known.View, thread)
		return err
	})
	return l, s.doubt(err)
}

// all is the content of the thread.
func (l *lane) all() content { return content{end: l.w.S.Size} }

// hold runs f while the trace does not change: not its mappings, nor its descriptors.
func hold(r *walk.Reader, f func(c *format.Context) error) error {
	return r.Use(func() (err error) {
		r.WithContext(func(c *format.Context) { err = f(c) })
		return err
	})
}

// holdBoth is hold for two traces, which may be one. All take two in the same order: otherwise a diff of A and B and one of B and A could
// each have one and wait for the other.
func holdBoth(r [2]*walk.Reader, f func(c [2]*format.Context) error) error {
	first, second := 0, 1
	if reflect.ValueOf(r[0]).Pointer() > reflect.ValueOf(r[1]).Pointer() {
		first, second = 1, 0
	}
	var both [2]*format.Context
	return hold(r[first], func(c *format.Context) error {
		if both[first] = c; r[0] == r[1] {
			both[second] = c
			return f(both)
		}
		return hold(r[second], func(c *format.Context) error {
			both[second] = c
			return f(both)
		})
	})
}

// use is hold for what reads no other trace: it takes errors that mean that the index is wrong.
func (s *side) use(f func(c *format.Context) error) error { return s.doubt(hold(s.r, f)) }

// read reads the child at pos, or the next one after it, and the calls in it. Of a container it decodes no more than what it is
// about: all else is in its record. It must be called within use.
func (l *lane) read(c *format.Context, pos, ord, end int64) (x childAt, calls int64, ok bool, err error) {
	at, b, err := l.w.SeekPoint(pos, end)
	if b == nil || err != nil {
		return x, 0, false, err
	}
	e := &l.data
	if ok, err = l.w.Next(at, ord, end, e, false); !ok || err != nil {
		return x, 0, false, err
	}
	var g sign
	if e.Container() {
		g.key = l.sign.key(c, e.Point.Class, e.Point.Ref)
		x.size = size32(e.Nested() + 1)
	} else if g, err = l.sign.point(c, b, e.Point.Class, e.Point.Ref); err != nil {
		return x, 0, false, l.w.Damaged(err, at)
	}
	r := l.h.node(l.w.S.Thread, e, g)
	x.v, x.s, x.k = r.v, r.s, g.k()
	x.at, x.first = e.At, ord
	return x, int64(r.calls), true, nil
}

// single is a point that was read again.
type single struct {
	content
	class format.Class
	sign  sign
	foot  uint64 // hash of its footer
}

// single reads a child again, with its values. It must be called within use.
func (l *lane) single(c *format.Context, x *childAt, end int64) (n single, err error) {
	e := &l.data
	if ok, err := l.w.Next(x.at, x.first, end, e, false); err != nil || !ok {
		return n, err
	}
	n = single{content: content{e.Start, e.End, e.First}, class: e.Point.Class}
	if l.bytes, err = l.w.Bytes(e.At); err != nil {
		return n, err
	}
	if n.sign, err = l.sign.point(c, l.bytes, n.class, e.Point.Ref); err != nil {
		return n, l.w.Damaged(err, e.At)
	}
	if e.Container() {
		var b []byte
		if e.State == walk.StateWhole {
			if b, err = l.w.Bytes(e.End); err != nil {
				return n, err
			}
		}
		if n.foot, err = l.sign.footer(c, n.class, b, e.State); err != nil {
			return n, l.w.Damaged(err, e.End)
		}
	}
	return n, nil
}

// unlike tells which values of the points that single read last differ: bit 0 for the result, bit 1 and following for the values of the header
// in their order, the last bit for all beyond. It must be called within the use in which they were read.
func unlike(lanes [2]*lane, c [2]*format.Context, foot bool) (bits uint64, err error) {
	if foot {
		bits = 1
	}
	for i, l := range lanes {
		if l.parts, err = l.sign.parts(l.parts[:0], c[i], l.bytes, l.data.Point.Class); err != nil {
			return 0, l.w.Damaged(err, l.data.At)
		}
	}
	a, b := lanes[0].parts, lanes[1].parts
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			bits |= 1 << min(i+1, 63)
		}
	}
	return bits, nil
}
