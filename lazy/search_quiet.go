package lazy

import "tracex/format"

// hush makes the prefilter of the sieve: points whose bytes have none of the pieces are passed without
// being looked at. It makes none if nothing can be told of points by their bytes, or if a number
// is searched for.
func (x *sieve) hush() {
	needed := func(finder int) bool { return len(x.needs[finder]) > 0 }
	if x.digits != 0 || !needed(0) || x.finders[1] != nil && !needed(1) {
		return
	}
	single := false
	for i := range x.texts {
		single = single || x.texts[i].Len() == 1
	}
	x.quiet = format.NewPrefilter(x.version, func(kind format.ValueKind) bool {
		switch kind {
		case format.ValueFloat, format.ValueDouble:
			return x.floats == 0
		case format.ValueChar:
			return !single
		}
		return x.words.values[kind] == 0
	})
	x.quiet.Text = func(raw []byte) bool { return x.inRaw(raw) == 0 }
	x.quiet.Loops, x.quiet.Iterations = x.words.loop == 0, x.words.iteration == 0
	silence(&x.quiet.Locations, 0, x.words.location, 0)
}

// silence remembers that an id is quiet, if its names have none of the pieces.
func silence(t *format.SkipIDs, id int32, got pieceSet, also uint8) {
	if got&^tested != 0 || id < 0 || id >= maxTable {
		return
	}
	if n := int(id) + 1 - len(*t); n > 0 {
		*t = append(*t, make(format.SkipIDs, n+len(*t)/2+256)...)
	}
	(*t)[id] = format.SkipNames | also
}
