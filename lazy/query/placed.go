package query

import (
	"cmp"
	"slices"

	"tracex/lazy"
	"tracex/lazy/query/places"
)

// mostPlaced bounds the places that answers with other rows keep of what they found, 16 bytes each.
const mostPlaced = 1 << 18

// ComparePlaces compares positions in the order of the trace.
func ComparePlaces(a, b lazy.Position) int {
	return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.At, b.At))
}

// PlacesOf returns the set of places, which it sorts.
func PlacesOf(list []lazy.Position) *places.Set {
	slices.SortFunc(list, ComparePlaces)
	return placesOf(list, 0, true)
}

// placesOf returns a set of places, which are in the order of the trace; missed is how many more there are.
func placesOf(list []lazy.Position, missed int64, done bool) *places.Set {
	set := places.New()
	for i, at := range list {
		if i == 0 || at != list[i-1] {
			set.Add(at.Thread, at.At)
		}
	}
	set.Miss(missed)
	if done {
		set.Finish()
	}
	return set
}
