// Package smb is the memory through which a program hands trace packets to a tracing
// service: the shared memory buffer of Perfetto's protocol. It does not know about
// sockets, or what a packet means.
//
// A program has an [Arbiter] over the memory and gives each goroutine, or every few,
// a [Writer]. A service has a [Reader] over the same memory. All other communication
// goes through an [Endpoint]: which chunks are complete ([Commit]), and which writer
// writes for which buffer.
//
// # Layout
//
// All numbers are little-endian. The memory is an array of pages of 4, 8, 16 or
// 32 KiB. A page is divided into 1, 2, 4, 7 or 14 chunks of one size:
//
//	page   0  u32  the page word
//	       4  u32  reserved, 0
//	       8  chunk 0, chunk 1, …; each ((page size - 8) / chunks) &^ 3 bytes
//
//	page word    bit 31      reserved, 0
//	             30 to 28    layout: 0 no chunks, 1 to 5: 1, 2, 4, 7, 14 chunks
//	             2i+1 to 2i  state of chunk i
//
//	chunk  0  u32  chunk id: 0, 1, 2, … of its writer, wrapping
//	       4  u16  writer id, 1 to 32767
//	       6  u16  bits 9 to 0 count of packets, 15 to 10 flags
//	       8  packets, one after the other: size as a varint, then the bytes
//
// A size takes one byte, or four (a varint with more bytes than it needs, because it
// is written after the packet). Writers use no other lengths; readers accept any
// varint of up to four bytes. A size of 0 means that there is no packet. A packet
// that is longer than the rest of its chunk continues in the writer's next chunk, as
// a fragment with its own size; the flags of both chunks mark this. A program with
// another library may give a chunk away before it knows the length of a message
// inside a packet: it leaves four zero bytes, sets the flag [NeedsPatching], and
// sends the length later. Readers support that ([Patch]); a [Writer] never does it.
//
// # States
//
//	            Arbiter: lay out (page word 0 → layout)
//	                     │
//	      ┌──────────────▼─┐   Writer, by the Arbiter   ┌──────────────┐
//	┌────►│     Free 0     ├───────────────────────────►│BeingWritten 1│
//	│     └────────────────┘                            └──────┬───────┘
//	│ Reader: header zeroed,                Writer: chunk full │
//	│ then the state; page word 0           or flushed         │
//	│ if every chunk is free                                   │
//	│     ┌────────────────┐                            ┌──────▼───────┐
//	└─────┤  BeingRead 2   │◄───────────────────────────┤  Complete 3  │
//	      └────────────────┘   Reader, told by a Commit └──────────────┘
//
// With emulated memory, which no service sees, the Arbiter itself moves a chunk from
// Complete to Free after copying it into a Commit.
//
// Who writes what, and how the other side may read it:
//
//	word            written by                          order
//	page word       both, by compare-and-swap only      acquire and release
//	chunk id        Writer, after Free → BeingWritten   before the count
//	writer, count,  Writer: in one word, the header at  release, after the
//	flags           the start, then the count after     bytes that it counts
//	                each packet
//	packets         Writer, while BeingWritten          before the count
//	header, zeroes  Reader, while BeingRead             before → Free
//
// # The count
//
// The count is the number of packets begun, and a packet counts as begun as soon as
// the previous one is whole. So in a chunk that is being written all packets but the
// last can be copied at any moment (scraping): a program that is killed loses no
// finished packet. A chunk that is given away between two packets has one zero byte
// after its last packet, in place of the packet that was counted but never written.
//
// # Loss
//
// A Writer that gets no chunk drops packets ([Drop]) or first waits ([Stall]). For
// each packet that it drops, it reads the state of the chunk that should become free
// next, and it searches the whole memory if that is free, or at most once in a
// millisecond: it writes again as soon as there is room. It never blocks forever and
// never ends the program. A packet that cannot be finished gets a size that no
// packet has ([ErrAborted] for readers); the next packet that is written is marked
// as following a loss; and [Writer.Next] tells the program that the contents of
// earlier packets may not have arrived.
//
// # Trust
//
// A Reader trusts nothing. It copies first and looks only at the copy, checks every
// number, allocates no more than a chunk, and turns invalid data, and a mapping cut
// short, into an error. An Arbiter checks what it reads from the page words in the
// same way, but memory that is cut short ends the program: it must be sealed against
// that.
package smb

import "fmt"

// The numbers in this file, and those of the states, are in shared
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

// State is the state of a chunk: it tells who may do what with it.
type State uint32

// States of a chunk. The numbers are in shared memory: do not change them. The
// package comment shows which side makes which transition.
const (
	Free         State = 0 // not owned; the program may take it
	BeingWritten State = 1 // owned by a Writer
	BeingRead    State = 2 // owned by the Reader
	Complete     State = 3 // waiting for the Reader
)

var stateNames = [4]string{"free", "being written", "being read", "complete"}

func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("state %d", uint32(s))
}
