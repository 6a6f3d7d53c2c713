package lazy

import "tracex/lazy/internal/mapped"

// streamAhead brings in a part of a thread's stream ahead of who goes through it.
// Offsets are logical, also those that its user reaches.
func (r *TraceReader) streamAhead(v *view, s *stream, from, end int64) *mapped.Ahead {
	return mapped.StartAhead(from-from%mapped.Piece, end, func(from, to int64) error {
		return r.use(func() error {
			if v.data != nil && v.data != r.data {
				return errStale
			}
			return s.pieces(from, to, r.data.Populate)
		})
	})
}

// pieces calls f for the physical pieces of a logical stretch, in order, until it
// fails.
func (s *stream) pieces(from, to int64, f func(from, to int64) error) error {
	for i := max(s.locate(from, 0), 0); i < len(s.blocks) && s.blocks[i].logical < to; i++ {
		b := s.blocks[i]
		lo, hi := max(from, b.logical), min(to, s.end(i))
		if lo >= hi {
			continue
		}
		if err := f(b.physical+lo-b.logical, b.physical+hi-b.logical); err != nil {
			return err
		}
	}
	return nil
}
