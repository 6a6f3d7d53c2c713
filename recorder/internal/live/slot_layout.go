package live

// Numbers of a chunk's slot, by offsets in bytes. Its state is the thread's id, with SlotInUse.
const (
	SlotInUse = 1 << 32

	ChunkNumber    = 8
	ChunkPublished = 16
	ChunkLimit     = 24 // TakenAway and what was published then; 0 if it was not taken away
	ChunkFlushed   = 32
	ChunkRegion    = 40
	ChunkSizes     = 48 // bytes of data, and in the low half the number of marks

	TakenAway = 1 << 63
)

// Numbers of a thread's slot.
const (
	ThreadLogical = 8
	ThreadLatest  = 16
	ThreadReading = 24
	ThreadDepth   = 32 // blocks, and in the low half the depth of the stack
	ThreadStack   = 40 // the region of the stack, its size
	ThreadPut     = 56 // the number of the last chunk from which the sink has something
	ThreadDropped = 64
	ThreadNote    = 72
	ThreadEnded   = 80
	ThreadBegun   = 88 // the number of the last chunk that was begun
	ThreadName    = 96 // length of the name; it follows, or is in a region if it is longer than ShortName
	ThreadShort   = 104
	ShortName     = 24
)

// StackEntry is the size of a container in the stack's region: start, ns, class,
// iterations, event.
const StackEntry = 32

// Flags of the file.
const (
	HasTimes   = 1
	HasCounter = 2
)

// Numbers of the slot of a thread whose parts go to a service. A part is sent in these steps,
// between any two of which the program may end:
//
//	SharedEnd, ThreadPut   where it ends, if it is in a chunk
//	SharedSending          it may have arrived from here on
//	the part itself
//	SharedNumber           it has arrived: this one store settles it
//	ChunkFlushed           of its chunk
//	SharedSending          none is being sent
const (
	SharedEnd     = 8  // how much of the chunk ThreadPut is sent with the part: as in ChunkFlushed; 0 if it is in none
	SharedSending = 16 // one more than the number of the part being sent; 0 if none is
	SharedNumber  = 24 // of the next part
)

// A region of the log of names, by offsets in bytes.
const (
	NamesNext   = 0  // offset of the next region
	NamesLen    = 8  // how many bytes this one has
	NamesBefore = 16 // how many bytes were logged before it
	NamesHead   = 24 // encoded reference objects, in the order of their registration
)
