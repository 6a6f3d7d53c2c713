package answer

import "tracex/lazy/query/places"

// Placed is an Answer that knows where in the trace what it found is.
type Placed struct {
	Answer
	from placer      // of the pass begun last; guarded by Answer.mu, as is set
	set  *places.Set // its places once the pass has ended; nil before
}

// placer knows the places of what it has found so far. done tells that the pass has ended.
type placer interface {
	Places(done bool) *places.Set
}

// found sets what knows the places. Answer.mu is held. At the end of a pass it makes the set: that may
// take longer than a key may.
func (p *Placed) found(from placer, done float64) {
	switch {
	case p.from != from:
		p.from, p.set = from, nil
	case p.set != nil:
		return
	}
	if done == 1 {
		p.set = from.Places(true)
	}
}

// Places returns where what was found is.
func (p *Placed) Places() *places.Set {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.set != nil {
		return p.set
	}
	return p.from.Places(false)
}
