package lazy

import (
	"fmt"

	"tracex/lazy/internal/index"
)

// walkReader reads an open trace: its methods walk over the whole of it, or find a place in it.
type walkReader struct{ *worker }

// openWalks opens a trace.
func openWalks(path string, o Options) (*walkReader, error) {
	w, err := openFile(path, o, checkEnds)
	if err != nil {
		return nil, err
	}
	return &walkReader{w}, nil
}

// endsChecked is how many roots checkEnds checks, of all threads together.
const endsChecked = 1 << 16

// checkEnds refuses an index whose recording ends within a call: only the data tells
// which containers are open. It must be called within use. In a trace with more than
// endsChecked roots it checks the first ones.
func checkEnds(t *trace, v *index.View) error {
	left := endsChecked
	var walk walker
	var e nodeData
	for _, s := range v.Streams {
		if left == 0 {
			break
		}
		walk, e = walker{r: t, v: v, s: s}, nodeData{}
		for pos, ord := int64(0), int64(0); left > 0; left-- {
			ok, err := walk.next(pos, ord, s.Size, &e, false)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if e.state != StateWhole {
				return walk.contradiction(e.at, fmt.Sprintf("event %d, whose end the index does not have", e.point.Event))
			}
			pos, ord = e.next, e.after
		}
	}
	return nil
}
