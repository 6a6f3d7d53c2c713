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
