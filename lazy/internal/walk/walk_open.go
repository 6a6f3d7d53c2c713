package walk

import (
	"fmt"

	"tracex/lazy/internal/index"
	"tracex/lazy/internal/trace"
)

// Reader reads an open trace: its methods walk over the whole of it, or find a place in it.
type Reader struct{ *trace.Worker }

// Open opens a trace.
func Open(path string, o trace.Options) (*Reader, error) {
	w, err := trace.Open(path, o, CheckEnds)
	if err != nil {
		return nil, err
	}
	return &Reader{w}, nil
}

// endsChecked is how many roots CheckEnds checks, of all threads together.
const endsChecked = 1 << 16

// CheckEnds refuses an index whose recording ends within a call: only the data tells
// which containers are open. It must be called within use. In a trace with more than
// endsChecked roots it checks the first ones.
func CheckEnds(t *trace.Trace, v *index.View) error {
	left := endsChecked
	var walk Walker
	var e NodeData
	for _, s := range v.Streams {
		if left == 0 {
			break
		}
		walk, e = Walker{R: t, V: v, S: s}, NodeData{}
		for pos, ord := int64(0), int64(0); left > 0; left-- {
			ok, err := walk.Next(pos, ord, s.Size, &e, false)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if e.State != StateWhole {
				return walk.Contradiction(e.At, fmt.Sprintf("event %d, whose end the index does not have", e.Point.Event))
			}
			pos, ord = e.Next, e.After
		}
	}
	return nil
}
