package index

import (
	"slices"

	"tracex/format"
)

// WholeBlock is how many bytes a block may have that is shown only when it is
// whole. A larger one is not written at once.
const WholeBlock = 4 << 20

// partial is the block that a scan is in, of a file that is being written. Writers
// write whole blocks, and take back what they wrote of a block when they fail. So
// a View shows the trace as it was before the block until that is whole.
//
// The methods of a nil *partial do nothing: then all is shown as it comes.
type partial struct {
	open   bool  // the scan is in a block
	at     int64 // physical: where that begins, or the next one will
	place  int64 // of its cell
	blocks int   // before it

	was   knownStream // its thread before it, without the stack
	stack *[]openFrame
	left  int         // of the containers that were open then, those that still are
	gone  []openFrame // the others, the innermost first

	references []format.Cell // of its reference objects that were not told of
}

// begin notes what is known of a thread before a block.
func (h *partial) begin(s *Scan, t *streamScan, at int64) {
	if h == nil {
		return
	}
	h.open, h.at, h.place, h.blocks = true, at, s.place, s.blocks
	h.was, h.stack = t.known(), &t.stack
	h.left, h.gone = len(t.stack), h.gone[:0]
}

// ended notes that a container has ended of which n are left.
func (h *partial) ended(n int, f openFrame) {
	if h != nil && n < h.left {
		h.left = n
		h.gone = append(h.gone, f)
	}
}

// end notes the end of a block, and tells of its reference objects.
func (h *partial) end(s *Scan, at int64) error {
	if h == nil {
		return nil
	}
	h.open, h.at = false, at
	return h.reveal(s)
}

// reveal tells of the block's reference objects. It must be called within guard.
func (h *partial) reveal(s *Scan) error {
	for _, c := range h.references {
		if err := s.refer(s.data.Bytes()[c.Start:], c); err != nil {
			return err
		}
	}
	h.references = h.references[:0]
	return nil
}

// hides reports whether the block that the scan is in is not to be shown, at
// being how far the scan is.
func (h *partial) hides(at int64) bool { return h != nil && h.open && at-h.at <= WholeBlock }

// before returns what was known of the block's thread before it.
func (h *partial) before() knownStream {
	k := h.was
	k.stack = slices.Clone((*h.stack)[:h.left])
	for i := len(h.gone) - 1; i >= 0; i-- {
		k.stack = append(k.stack, h.gone[i])
	}
	return k
}

// upTo returns up to where the data is shown.
func (h *partial) upTo(at int64) int64 {
	if h.hides(at) {
		return h.at
	}
	return at
}
