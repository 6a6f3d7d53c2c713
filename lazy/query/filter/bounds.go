package filter

import (
	"math"

	"tracex/format"
)

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

// MustBeIn returns the numbers, among the in(…) of Subs, of those that hold for every match.
func (f *Filter) MustBeIn() []int { return f.root.mustBeIn(nil) }

func (p *part) mustBeIn(list []int) []int {
	switch p.op {
	case opAnd:
		for _, k := range p.kids {
			list = k.mustBeIn(list)
		}
	case opIn:
		list = append(list, p.sub)
	}
	return list
}

// MayBe reports whether a match may be of a class, whatever it refers to and wherever it is.
func (f *Filter) MayBe(class format.Class) bool { return f.root.mayBe(class) }

func (p *part) mayBe(class format.Class) bool {
	switch p.op {
	case opAnd:
		for _, k := range p.kids {
			if !k.mayBe(class) {
				return false
			}
		}
	case opOr:
		for _, k := range p.kids {
			if k.mayBe(class) {
				return true
			}
		}
		return len(p.kids) == 0
	case opHas:
		return class.Container()
	case opTest:
		t := p.test
		return t.field.in.has(class) && (t.field.id != idKind || t.value.classes.has(class) != (t.op == opNe))
	}
	return true
}
