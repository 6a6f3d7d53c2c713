package diff

import (
	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// source is one of the two traces while their diff is written. Its methods must be called while it is held, see [hold].
type source struct {
	n       int // 0 is A, 1 is B
	r       *walk.Reader
	version format.Version
	known   *walk.Known // what is written of it
	ids     *ids
	tr      *format.Translator // to the version of the output

	w    *walk.Walker // of the thread that is being written; nil if it is not in this trace
	read int64        // how far the thread has been read, a logical offset
	all  int64        // bytes of the threads that were read before
}

// newSource returns a source. It knows the classes that the trace has described so far.
func newSource(n int, in input, out *dictionary) (*source, error) {
	r := in.sides[n]
	s := &source{n: n, r: lazy.ReaderOf(r), version: r.Version(), known: in.known[n]}
	if s.known == nil {
		s.known = s.r.KnownNow()
	}
	survey := format.NewSurvey(s.version)
	var err error
	r.WithContext(func(c *format.Context) {
		s.ids = newIDs(out, c)
		for d := range c.Classes() {
			var b []byte
			if b, err = d.Append(nil, s.version); err == nil {
				err = survey.Object(b)
			}
			if err != nil {
				return
			}
		}
	})
	if err == nil {
		s.tr, err = format.NewTranslator(s.version, out.version, survey)
	}
	return s, err
}

// holdSources calls f while both sides are what is compared.
func holdSources(a, b *source, f func() error) error {
	return holdBoth([2]*walk.Reader{a.r, b.r}, func([2]*format.Context) error {
		for _, s := range [...]*source{a, b} {
			if !s.r.Shows(s.known.View) || s.r.Epoch.Load() != s.known.Epoch {
				return trace.ErrStale
			}
		}
		return f()
	})
}

// thread goes on with a thread of the side; -1 for none.
func (s *source) thread(id int32) (err error) {
	if s.all += s.read; s.w != nil {
		s.all += max(0, s.w.S.Size-s.read)
	}
	s.w, s.read = nil, 0
	if id >= 0 {
		s.w, err = s.r.WalkerOn(s.known.View, id)
	}
	return err
}

// name returns the name of the thread, "" if it has none.
func (s *source) name() string {
	if s.w != nil {
		if t := s.r.Ctx.Thread(s.w.S.Thread); t != nil {
			return t.Name
		}
	}
	return ""
}

// positions returns which of the threads with trace points each thread is, in the order of their ids.
func (s *source) positions() (map[int32]int32, error) {
	at := make(map[int32]int32)
	v := s.known.View
	for _, stream := range v.Streams.All() {
		w, err := s.r.WalkerOn(v, stream.Thread)
		if err != nil {
			return nil, err
		}
		if _, b, err := w.SeekPoint(0, stream.Size); err != nil {
			return nil, err
		} else if b != nil {
			at[stream.Thread] = int32(len(at))
		}
	}
	return at, nil
}

// roots returns how many roots the thread has, at most 2.
func (s *source) roots() (n int, err error) {
	if s.w == nil {
		return 0, nil
	}
	var e walk.NodeData
	for ; n < 2; n++ {
		if ok, err := s.w.Next(e.Next, e.After, s.w.S.Size, &e, false); !ok || err != nil {
			return n, err
		}
	}
	return n, nil
}

// node reads the point whose header is at an offset, with its footer, in content that ends at end.
func (s *source) node(at, end int64, e *walk.NodeData) error {
	ok, err := s.w.Next(at, s.w.S.Cells.FirstEnding(at), end, e, true)
	if err == nil && (!ok || e.At != at) {
		err = s.w.Contradiction(at, "no trace point")
	}
	s.read = max(s.read, at)
	return err
}

// took returns how long a container took, in ns; -1 if that is not known.
func (s *source) took(e *walk.NodeData) int64 {
	if !s.r.Timed() {
		return -1
	}
	if t, ok := s.w.Time(e); ok {
		return t.Duration
	}
	return -1
}

// point makes a point of the side, which it changes, one of the output.
func (s *source) point(p *format.Point) error {
	if err := s.tr.Point(p); err != nil {
		return err
	}
	s.owe()
	s.ids.point(p)
	return s.ids.out.err
}

// footer does so with a footer of a container of a class.
func (s *source) footer(f *format.Footer, class format.Class) error {
	if class != format.ClassCall {
		return nil
	}
	if err := s.tr.Footer(f, class); err != nil {
		return err
	}
	s.owe()
	s.ids.value(&f.Result)
	return s.ids.out.err
}

// owe notes the class that the last translation added.
func (s *source) owe() {
	if d := s.tr.Owed(); d != nil {
		s.ids.owed[d.ID] = d.Name
	}
}
