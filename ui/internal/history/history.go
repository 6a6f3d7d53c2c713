// Package history remembers the places that the user has left by a jump, like a browser.
package history

import "tracex/lazy"

// most bounds the places remembered.
const most = 200

// History holds the places before and after the current one. The zero value is empty.
type History struct {
	before, after []lazy.Place
}

// Leave notes the current place before a jump leaves it.
func (h *History) Leave(p lazy.Place) {
	if n := len(h.before); n > 0 && h.before[n-1] == p {
		return
	}
	h.before = append(h.before, p)
	h.before = h.before[max(0, len(h.before)-most):]
	h.after = nil
}

// Back returns the place before this one; ok is false if there is none. here is nil if the
// user is nowhere.
func (h *History) Back(here *lazy.Place) (p lazy.Place, ok bool) {
	return through(&h.before, &h.after, here)
}

// Forward returns the place that Back has left; ok is false if there is none.
func (h *History) Forward(here *lazy.Place) (p lazy.Place, ok bool) {
	return through(&h.after, &h.before, here)
}

// through removes the last place of from and appends the current one to to.
func through(from, to *[]lazy.Place, here *lazy.Place) (p lazy.Place, ok bool) {
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
