package eager

// storePosition is the position of an object in a store: chunk in the upper half, offset in
// the lower half. For a footer, 0 means that there is none.
type storePosition uint64

// emptyFooter is the position of an empty footer.
const emptyFooter storePosition = 1

// storeChunk is the size in bytes of the chunks of a store.
const storeChunk = 1 << 20

// store keeps objects in chunks that never grow, to avoid copying as it fills. The
// first chunks are small: a trace may have very many threads.
type store struct {
	chunks [][]byte
}

// keep copies b. It returns neither 0 nor emptyFooter.
func (s *store) keep(b []byte) storePosition {
	i := len(s.chunks) - 1
	if i < 0 || len(s.chunks[i])+len(b) > cap(s.chunks[i]) {
		i++
		size := max(storeChunk>>max(0, 10-2*i), len(b)+2)
		s.chunks = append(s.chunks, make([]byte, 0, size))
		if i == 0 {
			s.chunks[0] = s.chunks[0][:2] // reserve the positions 0 and emptyFooter
		}
	}
	at := storePosition(i)<<32 | storePosition(len(s.chunks[i]))
	s.chunks[i] = append(s.chunks[i], b...)
	return at
}

// from returns the bytes from p to the end of its chunk.
func (s *store) from(p storePosition) []byte { return s.chunks[p>>32][uint32(p):] }

// slabBits is the number of bits for an index in a part of a slab.
const slabBits = 14

// slab is a list of points in parts, for the same reason as store.
type slab struct {
	parts [][]point
	n     uint32
}

func (s *slab) at(i uint32) *point { return &s.parts[i>>slabBits][i&(1<<slabBits-1)] }

func (s *slab) add() *point {
	if s.n&(1<<slabBits-1) == 0 {
		var part []point
		if s.n > 0 { // a later part will be full, or nearly
			part = make([]point, 0, 1<<slabBits)
		}
		s.parts = append(s.parts, part)
	}
	part := &s.parts[len(s.parts)-1]
	*part = append(*part, point{})
	s.n++
	return &(*part)[len(*part)-1]
}
