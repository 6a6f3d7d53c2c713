package lazy

import (
	"slices"

	"tracex/format"
)

// wholeUpTo is how many bytes a block may have that is shown only when it is
// whole. Who writes larger ones does not write them at once.
const wholeUpTo = 4 << 20

// half is the block that a scan is in, of a file that is being written. Writers
// write whole blocks; one that fails takes back what it wrote of a block. So
// half a block is not there yet: a view shows the trace as it was before it.
//
// Its methods may be called on nil: then all is shown as it comes.
type half struct {
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
func (h *half) begin(s *scan, t *streamScan, at int64) {
	if h == nil {
		return
	}
	h.open, h.at, h.place, h.blocks = true, at, s.place, s.blocks
	h.was, h.stack = t.known(), &t.stack
	h.left, h.gone = len(t.stack), h.gone[:0]
}

// ended notes that a container has ended of which n are left.
func (h *half) ended(n int, f openFrame) {
	if h != nil && n < h.left {
		h.left = n
		h.gone = append(h.gone, f)
	}
}

// end notes the end of a block, and tells of its reference objects.
func (h *half) end(s *scan, at int64) error {
	if h == nil {
		return nil
	}
	h.open, h.at = false, at
	return h.reveal(s)
}

// reveal tells of the block's reference objects. It must be called within guard.
func (h *half) reveal(s *scan) error {
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
func (h *half) hides(at int64) bool { return h != nil && h.open && at-h.at <= wholeUpTo }

// before returns what was known of the block's thread before it.
func (h *half) before() knownStream {
	k := h.was
	k.stack = slices.Clone((*h.stack)[:h.left])
	for i := len(h.gone) - 1; i >= 0; i-- {
		k.stack = append(k.stack, h.gone[i])
	}
	return k
}

// upTo returns up to where the data is shown.
func (h *half) upTo(at int64) int64 {
	if h.hides(at) {
		return h.at
	}
	return at
}
