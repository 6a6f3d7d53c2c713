package diff

// item is what the alignment knows of a child of a container, or of a root of a thread, with everything in it. Children with
// the same v are equal. Those with the same s have the same structure and other values; those with
// the same k are of the same method, field, variable or loop, and other things are in them.
type item struct {
	v    uint64 // hash of all that counts
	s    uint32 // hash of the structure: without values
	k    uint32 // hash of the class and the symbol
	size uint32 // containers in it, and itself; 0 for what is none
}

func (it *item) leaf() bool { return it.size == 0 }

// how is what a stretch of two lists of children has in common.
type how uint8

const (
	equal   how = iota // n children of each, equal pair by pair
	paired             // n children of each: partners that differ
	removed            // n children of A without a partner
	added              // n children of B without a partner
)

// stretch is a part of two lists of children that are aligned. a and b are where it begins in each; that of the
// side that has nothing of it, too.
type stretch struct {
	how     how
	a, b, n int
}
