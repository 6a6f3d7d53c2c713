package query

import (
	"math"
	"slices"

	"tracex/lazy"
	"tracex/lazy/query/places"
)

// FocusOn returns a Focus on the points of a set, which what calls: "12 matches". The outermost of them
// become roots; a point there that is no call, loop or iteration is left as well, where no root is around it.
// The set must have ended. Its places are those of the view that the scope is of.
//
// The step cannot be read again: its text is for people.
func FocusOn(what string, set *places.Set) Step {
	return Step{Kind: Focus, Text: what, among: set}
}

// has reports whether a place is in the set of the edit.
func (e *editor) has(at lazy.Position) bool {
	_, ok := e.among.First(at.Thread, at.At, at.At+1)
	return ok
}

// amid narrows a scope of all threads to those that have places, from the first one on.
func (s *Scope) amid(set *places.Set) {
	if s.Ranges != nil {
		return
	}
	s.Ranges = []lazy.PassRange{} // nil would be all threads
	for next := int32(0); ; next++ {
		id, ok := set.NextThread(next)
		if !ok {
			return
		}
		if from, ok := set.First(id, 0, math.MaxInt64); ok {
			s.Ranges = append(s.Ranges, lazy.PassRange{Thread: id, From: from, To: -1})
		}
		next = id
	}
}

// listed reports whether a step is about a set of places, which may have points that are no containers.
func (x *edits) listed() bool {
	return slices.ContainsFunc(x.list, func(e edit) bool { return e.among != nil })
}
