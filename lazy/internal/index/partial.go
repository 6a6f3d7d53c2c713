package index

import (
	"slices"

	"tracex/format"
)

// WholeBlock is the maximum size of a block that is shown only when it is
// whole. A larger one is not written at once.
const WholeBlock = 4 << 20

// partial is the block that a scan is in, in a file that is being written. Writers
// write whole blocks, and remove the part written of a block if they fail. So
// a View shows the trace as it was before the block until that is whole.
//
// The methods of a nil *partial do nothing: then everything is shown as it is scanned.
type partial struct {
	open   bool  // the scan is in a block
	at     int64 // physical: start of that block, or of the next one
	cellAt int64 // of the block's cell
	blocks int   // number of blocks before it

	was   knownStream // its thread before the block, without the stack
	stack *[]openFrame
	left  int         // of the containers open before the block, how many still are
	gone  []openFrame // the others, innermost first

	references []format.Cell // of its reference objects not yet passed on
}

// begin records the state of a thread before a block.
func (h *partial) begin(s *Scan, t *streamScan, at int64) {
	if h == nil {
		return
	}
	h.open, h.at, h.cellAt, h.blocks = true, at, s.cellAt, s.blocks
	h.was, h.stack = t.known(), &t.stack
	h.left, h.gone = len(t.stack), h.gone[:0]
}

// ended records that a container has ended, leaving n open.
func (h *partial) ended(n int, f openFrame) {
	if h != nil && n < h.left {
		h.left = n
		h.gone = append(h.gone, f)
	}
}

// end records the end of a block, and passes on its reference objects. If one of them is damaged, the scan stays in the block.
func (h *partial) end(s *Scan, at int64) error {
	if h == nil {
		return nil
	}
	h.open = false
	if err := h.reveal(s); err != nil {
		return err
	}
	h.at = at
	return nil
}

// reveal passes on the block's reference objects. It must be called within mapped.Guard.
func (h *partial) reveal(s *Scan) error {
	for _, c := range h.references {
		if err := s.refer(s.data.Bytes()[c.Start:], c); err != nil {
			return err
		}
	}
	h.references = h.references[:0]
	return nil
}

// hides reports whether the current block must be hidden. at is the position of the
// scan.
func (h *partial) hides(at int64) bool { return h != nil && h.open && at-h.at <= WholeBlock }

// before returns the state of the block's thread before the block.
func (h *partial) before() knownStream {
	k := h.was
	k.stack = slices.Clone((*h.stack)[:h.left])
	for i := len(h.gone) - 1; i >= 0; i-- {
		k.stack = append(k.stack, h.gone[i])
	}
	return k
}

// upTo returns the end of the data that is shown.
func (h *partial) upTo(at int64) int64 {
	if h.hides(at) {
		return h.at
	}
	return at
}
