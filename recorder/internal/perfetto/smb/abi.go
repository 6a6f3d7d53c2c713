package smb

// The numbers in this file, and those of the states in states.go, are in shared
// memory: do not change them. Both sides, of any version, use them.

// Sizes in bytes.
const (
	MinPageSize = 4 << 10
	MaxPageSize = 32 << 10
	// MaxSize is the maximum memory that a service shares with one program.
	MaxSize = 32 << 20

	pageHeader  = 8
	chunkHeader = 8
)

// Layout is how a page is divided into chunks.
type Layout uint32

// Layouts; 6 and 7 are reserved.
const (
	Unpartitioned Layout = 0 // no chunks yet
	Div1          Layout = 1
	Div2          Layout = 2
	Div4          Layout = 3
	Div7          Layout = 4
	Div14         Layout = 5

	layouts = 8
)

// chunksOf is the number of chunks in a page, by layout.
var chunksOf = [layouts]int{0, 1, 2, 4, 7, 14, 0, 0}

// firstBits has the lower bit of each chunk's state in a page word, by layout.
var firstBits = func() (bits [layouts]pageWord) {
	for l, n := range chunksOf {
		for i := range n {
			bits[l] |= 1 << (i * stateBits)
		}
	}
	return bits
}()

// Chunks returns how many chunks a page of the layout has, or 0 if the layout does
// not exist.
func (l Layout) Chunks() int {
	if l >= layouts {
		return 0
	}
	return chunksOf[l]
}

// ChunkSize returns the size in bytes of a chunk, header included, in a page of
// pageSize bytes, or 0 if the layout has no chunks.
func (l Layout) ChunkSize(pageSize int) int {
	n := l.Chunks()
	if n == 0 {
		return 0
	}
	return (pageSize - pageHeader) / n &^ 3
}

type Flags uint8

const (
	// ContinuesFromPrev means that the first packet is the rest of the last one in the
	// chunk with the previous id.
	ContinuesFromPrev Flags = 1
	// ContinuesOnNext means that the last packet continues in the chunk with the next
	// id.
	ContinuesOnNext Flags = 2
	// NeedsPatching means that the last packet lacks lengths that are sent later.
	NeedsPatching Flags = 4
)

// pageWord is the first word of a page.
type pageWord uint32

const (
	stateBits  = 2
	stateMask  = 3
	layoutAt   = 28
	layoutMask = 7
	allStates  = 1<<layoutAt - 1
)

func (w pageWord) layout() Layout    { return Layout(w >> layoutAt & layoutMask) }
func (w pageWord) state(i int) State { return State(w >> (i * stateBits) & stateMask) }

// with returns the word with chunk i in another state. A page whose chunks are all
// free is no longer partitioned.
func (w pageWord) with(i int, s State) pageWord {
	w = w&^(stateMask<<(i*stateBits)) | pageWord(s)<<(i*stateBits)
	if s == Free && w&allStates == 0 {
		return 0
	}
	return w
}

// anyFree reports whether a chunk of the page is free.
func (w pageWord) anyFree() bool {
	all := firstBits[w.layout()]
	return w == 0 || (w|w>>1)&all != all
}

// partitioned returns the word of a page that was just laid out.
func partitioned(l Layout) pageWord { return pageWord(l) << layoutAt }

// packetsWord is the second word of a chunk: writer id, count of packets, flags.
type packetsWord uint32

const (
	countAt   = 16
	countMask = 1<<10 - 1
	flagsAt   = 26
	onePacket = packetsWord(1 << countAt)
)

func newPackets(writer uint16, count int, f Flags) packetsWord {
	return packetsWord(writer) | packetsWord(count)<<countAt | packetsWord(f)<<flagsAt
}

func (w packetsWord) writer() uint16 { return uint16(w) }
func (w packetsWord) count() int     { return int(w >> countAt & countMask) }
func (w packetsWord) flags() Flags   { return Flags(w >> flagsAt) }

const (
	// MaxWriterID is the largest id of a writer; 0 means none.
	MaxWriterID = 1<<15 - 1
	// maxStarted is how many packets a Writer begins in one chunk: one less than the
	// largest count, because the empty packet at the end counts too.
	maxStarted = countMask - 1
)

// Sizes of packets and of messages inside them.
const (
	// sizeBytes is the length of a size that is filled in later.
	sizeBytes = 4
	// oneByte is the size from which a packet keeps four bytes of size. A message keeps
	// them only above it.
	oneByte = 127
	// aborted, as the size of a packet, means that its writer gave it up. It is also the
	// largest size that fits into four bytes.
	aborted = 1<<28 - 1
	// minRoom is how many bytes a chunk must have left for a packet to begin in it:
	// its size and eight bytes.
	minRoom = sizeBytes + 8
	// MaxPacket is the maximum size of a packet in bytes.
	MaxPacket = 64 << 20
)

// putSize encodes a size in four bytes.
func putSize(b []byte, n int) {
	_ = b[3]
	b[0] = byte(n) | 0x80
	b[1] = byte(n>>7) | 0x80
	b[2] = byte(n>>14) | 0x80
	b[3] = byte(n >> 21 & 0x7f)
}

// getSize decodes a size of up to four bytes. It returns the value and its length,
// which is 0 if it is invalid.
func getSize(b []byte) (n, length int) {
	for i := 0; i < len(b) && i < sizeBytes; i++ {
		n |= int(b[i]&0x7f) << (7 * i)
		if b[i] < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}
