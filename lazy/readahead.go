package lazy

import (
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/mapped"
)

// streamAhead reads a part of a thread's stream ahead of its user. Offsets, including
// those passed to Reached, are logical.
func (r *trace) streamAhead(v *index.View, s *index.Stream, from, end int64) *mapped.Ahead {
	return mapped.StartAhead(from-from%mapped.LoadSize, end, func(from, to int64) error {
		return r.use(func() error {
			if v.Data != nil && v.Data != r.data {
				return errStale
			}
			return s.Ranges(from, to, r.data.Populate)
		})
	})
}
