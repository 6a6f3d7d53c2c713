package filter

import "math"

// Longer returns the least duration that a match can have, in nanoseconds; 0 if any, or none at all,
// will do.
func (f *Filter) Longer() int64 { return max(0, f.root.longer()) }

func (p *part) longer() int64 {
	switch p.op {
	case opAnd:
		least := int64(0)
		for _, k := range p.kids {
			least = max(least, k.longer())
		}
		return least
	case opOr:
		least := int64(math.MaxInt64)
		for _, k := range p.kids {
			least = min(least, k.longer())
		}
		if len(p.kids) > 0 {
			return least
		}
	case opTest:
		if id := p.test.field.id; (id == idDur || id == idSelf) && p.test.op != opNe {
			return max(0, p.test.value.from)
		}
	}
	return 0
}
