// Package jumps remembers the positions that the user left by a jump, like the history of a browser.
package jumps

import "tracex/lazy"

// maxJumps bounds the positions remembered.
const maxJumps = 200

// List holds the positions before and after the current one. The zero value is empty.
type List struct {
	before, after []lazy.Position
}

// Leave notes the current position before a jump leaves it.
func (h *List) Leave(p lazy.Position) {
	if n := len(h.before); n > 0 && h.before[n-1] == p {
		return
	}
	h.before = append(h.before, p)
	h.before = h.before[max(0, len(h.before)-maxJumps):]
	h.after = nil
}

// Latest returns the position that the last jump left, unless that is here; then the one before.
func (h *List) Latest(here *lazy.Position) (p lazy.Position, ok bool) {
	for i := len(h.before) - 1; i >= 0; i-- {
		if here == nil || h.before[i] != *here {
			return h.before[i], true
		}
	}
	return p, false
}

// Back returns the position before this one; ok is false if there is none. here is nil if there
// is no cursor.
func (h *List) Back(here *lazy.Position) (p lazy.Position, ok bool) {
	return through(&h.before, &h.after, here)
}

// Forward returns the position that Back left; ok is false if there is none.
func (h *List) Forward(here *lazy.Position) (p lazy.Position, ok bool) {
	return through(&h.after, &h.before, here)
}

// through removes the last position of from and appends the current one to to.
func through(from, to *[]lazy.Position, here *lazy.Position) (p lazy.Position, ok bool) {
	for here != nil && len(*from) > 0 && (*from)[len(*from)-1] == *here {
		*from = (*from)[:len(*from)-1]
	}
	n := len(*from)
	if n == 0 {
		return p, false
	}
	p, *from = (*from)[n-1], (*from)[:n-1]
	if here != nil {
		*to = append(*to, *here)
	}
	return p, true
}
