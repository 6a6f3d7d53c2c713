// Package raw defines the layout of the file that an instrumented program records into, and reads
// such files, even while their programs write them. See layout.go for the bytes.
//
// Nothing in a file is trusted: sizes are checked before memory is allocated for them, and damage is
// an [*Error] with its place. A file may also be cut off, or change, while it is read. So it is
// copied into memory, and never mapped.
package raw

// The file that one process records into, PID-START.tracexraw. All numbers are little endian.
//
//	0       header, HeaderSize bytes: see the constants At…
//	…       a copy of the program's table of functions (pclntab), from AtTable
//	…       segments, from AtSegments on: each is allocated as a whole before it is used
//
// Segment k has 1 << min(AtFirstShift + k, AtMostShift) bytes. It consists of chunks, which begin
// at multiples of ChunkUnit. A chunk is written by one goroutine at a time, or has descriptors.
// Its head word is written last. A place without one is not used yet, or its process was killed
// before that.
const (
	Magic      = 0x31776172_78636172 // "racxraw1"
	HeaderSize = 8192
	Suffix     = ".tracexraw"

	AtMagic      = 0
	AtVersion    = 8   // u32
	AtControl    = 12  // u32: see Off
	AtPID        = 16  // u64
	AtReason     = 24  // u32: why no more is recorded, see ReasonNone
	AtErrno      = 28  // u32: of a failed system call
	AtLost       = 32  // u64: calls that were not recorded after that
	AtCounter    = 40  // u64: a reading of the counter when the recording began
	AtNanos      = 48  // u64: the monotonic clock at that time, in ns
	AtWall       = 56  // u64: the wall clock at that time, in ns since 1970
	AtClock      = 64  // u32: what counters are, see ClockNone
	AtFirstShift = 68  // u32
	AtMostShift  = 72  // u32
	AtDropped    = 76  // u32: how many segments of events have been dropped: they are zero now
	AtText       = 80  // u64: address of the program's code, to which places in it are relative
	AtTable      = 88  // u64: where the table of functions is in the file
	AtTableSize  = 96  // u64; 0 if there is none
	AtSegments   = 104 // u64: where the first segment is in the file
	AtRing       = 112 // u64: where the segments are of which only the newest are kept; 0: nowhere, or everywhere
	AtMissing    = 120 // u64: calls in segments that have been dropped after AtRing
	AtSibling    = 128 // u64: AtWall of the file of the same process that has the table of functions; 0 if this one has it
	AtUntil      = 136 // u64: the monotonic clock in ns when what the recording was to last until happened; 0: not yet
	AtSample     = 144 // u64: of call trees, so many in 1e9 are recorded, chosen by chance; 0: all
	AtSlower     = 152 // u64: of call trees, only those are kept that took so many ns; 0: all. Events may be taken back
	AtProgram    = 160 // the path of the program, and its arguments, each ended by a zero byte
	ProgramSize  = 4096
	AtBoot       = AtProgram + ProgramSize // u64: the clock of the system since it was started, in ns, at AtNanos; 0: not known
	AtLine       = AtBoot + 8              // LineMost × process: the process itself, its parent, the parent of that and so on; zeros follow
	// process: u64 id, u64 when it was started, in the unit of /proc/ID/stat since the start of the system: both together, in one
	// namespace, are those of one process only. Nothing tells which of them are recorded.
	LineMost = 16
	LineSize = 16
	LineUnit = 10_000_000 // ns

	AtNamespace = AtLine + LineMost*LineSize // u64: the inode of /proc/self/ns/pid, the namespace of these ids; 0: not known

	// Version 5 has zeros from AtBoot on.
	Version = 6
	Oldest  = 5 // the oldest version that can be read
)

// What AtControl says, and AtState of a file by which a program is controlled.
const (
	Off       = 0
	Recording = 1
	Ending    = 2 // asked to stop: nothing more is recorded, but the program may not have noticed
	Asked     = 3 // asked to begin; never in a recording
	Lost      = 4 // nothing more can be recorded, and calls are counted: see AtReason
	Beginning = 5 // the program reads what it was asked, and begins; never in a recording
)

// Why the recording ended before the program.
const (
	ReasonNone     = 0
	ReasonLimit    = 1 // the limit given
	ReasonAllocate = 2 // the disk has no room, or the file cannot grow
	ReasonFileSize = 3 // the limit of the process for the size of files
	ReasonMap      = 4 // memory cannot be mapped
	ReasonStopped  = 5 // on request
	ReasonReserve  = 6 // the space to keep free on the disk
	ReasonTest     = 7 // a test failed, and more would drop what led to that
	ReasonUntil    = 8 // what it was to last until has happened: see AtUntil
)

// What counters are.
const (
	ClockNone    = 0 // always 0: no times are recorded
	ClockCounter = 1 // the processor's counter: pairs in the chunks tell its rate
	ClockNanos   = 2 // the monotonic clock
)

// A chunk: a head of ChunkHead bytes, then events or descriptors. AtChunkCounter was read before room
// for the chunk was made, which may take long; the first event's time is relative to it. AtChunkNanos
// was read afterwards, when the counter had advanced by AtChunkLater.
const (
	ChunkUnit = 1024
	ChunkMost = 64 << 10 // unless one event needs more
	ChunkHead = 40

	ChunkEvents      = 0x7ace0001
	ChunkDescriptors = 0x7ace0002
	ChunkRest        = 0x7ace0003 // nothing follows in the segment: the next chunk was too large for it

	AtChunkWord    = 0  // u32: one of the above, written last
	AtChunkSize    = 4  // u32: with the head
	AtChunkStream  = 8  // u64: address of the goroutine's g: chunks of one g are in order
	AtChunkCounter = 16 // u64
	AtChunkNanos   = 24 // u64
	AtChunkLeftOut = 32 // u32: calls left out because they were nested too deeply
	AtChunkLater   = 36 // u32: at most LaterMost, which means that much or more

	LaterMost = 1<<32 - 1
)

// KeptName is a file in the folder of recordings, beside those of tests that are kept. It has the bytes that these take,
// as u64, and at AtUnkept how many of tests to be kept had no room.
const (
	KeptName = "kept"
	KeptSize = 4096
	AtUnkept = 8 // u64
)

// The least limit has room for one segment of the first events, and for those of the newest.
const (
	RingShift    = 17 // of the smallest segment
	RingSegments = 4  // of the newest events, at least
	LeastLimit   = (1 + RingSegments) << RingShift
)

// The control file, for a program that was not started to record. The program maps it. It is named
// after the process id, in the folder tracex below $XDG_RUNTIME_DIR, or else in the folder TempFolder
// with the user's id appended. Only the user may open them. The controller writes the folder and the
// options, then AtState. The program answers at its next call of an instrumented function, which is the
// first one that it records.
//
//	controller  Off, Recording, Lost or Ending → Asked, when folder and options are written
//	controller  Asked → Off, the request is withdrawn
//	program     Asked → Beginning → Recording, or Off if it cannot
//	program     Recording → Lost
//	controller  Recording or Lost → Ending
//	program     Ending → Off
//
// A controller has a lock (flock) on the file. Asked replaces a recording that has not ended: an idle
// program would not see that it is to end one before it is to begin the next. The program changes the
// file to Off when it finds, now and then, that no controller has the lock.
const (
	ControlMagic = 0x31746361_78636172 // "racxact1"
	ControlSize  = 16384
	TempFolder   = "/tmp/tracex-"

	AtState       = 12 // u32; magic, version and process id are where a recording has them
	AtAnswer      = 24 // u32: why it could not begin, see ReasonNone
	AtAnswerErrno = 28 // u32
	AtSession     = 32 // u32: differs for each recording of the process
	AtFolder      = 64 // where to put the recording, ended by a zero byte
	FolderSize    = 4096
	AtOptions     = AtFolder + FolderSize // as in OptionsVariable, ended by a zero byte
	OptionsSize   = 8192
)

// The environment of a program that is to record from its start.
const (
	// FolderVariable names the folder for its recording, an absolute path.
	FolderVariable = "TRACEX_RECORD"
	// OptionsVariable has options, separated by spaces: depth=N, strings=N, fields=N, elements=N, levels=N,
	// limit=BYTES, reserve=BYTES, last=BYTES, lastfor=NANOSECONDS, times=0, only=PATTERN, skip=PATTERN, until=PATTERN. The
	// last three may be repeated; until=panic is any panic. After the pattern of until, each after UntilCondition, may be
	// conditions, which all hold: aNAME for an argument, or rNAME for a result, with its name or number, UntilPart, one of
	// = ! < > l (at most) g (at least), UntilPart, a text in which UntilBlank is a blank, UntilPart, if it is a number: the same as
	// an integer, or nothing, UntilPart, the bits of a float64 in decimal.
	// sample=N records N in 1e9 call trees; slower=NANOSECONDS keeps those that took so long; each=PATTERN, which may be
	// repeated, records those that begin with calls of these functions.
	// keep=failed, keep=all or keep=NANOSECONDS records tests of the top level, each into a file of its own, and keeps
	// the files of those that fail, of all, or also of those that take so long: kept=BYTES of all processes, at most.
	OptionsVariable = "TRACEX_RECORD_OPTIONS"
	UntilCondition  = 0x1e
	UntilPart       = 0x1d
	UntilBlank      = 0x1f
	// ControlVariable with the value 0 makes a program one that cannot be controlled.
	ControlVariable = "TRACEX_CONTROL"
)

// An event begins with a word, EventX | function << EventBits, which is written last, at a
// multiple of 4 bytes. A zero word means that there is nothing yet. Except where noted, the
// word is followed by u32, how far the counter advanced since the previous event.
const (
	EventBits = 4

	EventEnter     = 1  // u32, return address in the caller, see below; then the values of the arguments
	EventExit      = 2  // the values of the results
	EventPanic     = 3  // the function ended by a panic: the value of the panic
	EventGoexit    = 4  // the function ended by runtime.Goexit
	EventUnwound   = 5  // the function ended in an unknown way
	EventGo        = 6  // a go statement, which has a function's descriptor, is about to run
	EventGoroutine = 7  // u32 0, then goroutine: the events that follow are those of a new one
	EventAgain     = 8  // u32 0, goroutine, u32 n, u32 calls of the goroutine before, n × open: continues it where earlier events may have been dropped
	EventSync      = 9  // u32 0, u64, the counter: before an EventWait it may be earlier than that of the previous event
	EventNext      = 10 // end of the chunk: the goroutine continues in its next chunk
	EventThrow     = 11 // a panic was noticed while the function was innermost: place, the value of the panic
	EventTest      = 12 // of no function: the path of the package, and the name of the test that the goroutine runs, each a ValueString or ValueCut
	EventCatch     = 13 // a panic had been recovered, noticed while the function was innermost: place 0, the value of the panic
	EventWait      = 14 // of WaitX instead of a function: the goroutine begins to wait: place
	EventWaited    = 15 // of WaitX: it goes on: u64 id of the goroutine that made it go on, or 0
	EventMost      = 15 // EventBits has room for no more

	// The return address is one in the caller that stack traces show, from AtText: what calls for it, such as a
	// compiler's wrapper of a method, is left out. It is in the runtime's goexit if a go statement made the call.
	//
	// place: u32 pc in the innermost function that is recorded, from AtText, and u32 pc in what it called there, such as the runtime's
	// gopanic; 0 if it is not known. The first is a return address, unless the second is in the runtime's
	// sigpanic: then it is the instruction that faulted.
	// goroutine: u64 id, u64 the parent's id, u64 pc of the go statement, u64 pc of the function that was started,
	// u64 counter.
	GoroutineSize = 40
	// open: u32 function, u32 0, u64 counter of its beginning, or without a clock which call of the goroutine it is,
	// from 1 on and modulo 2³²; the outermost first.
	OpenSize = 16
)

// What a goroutine waits for. Only in programs that are built for it: see package rewrite.
const (
	WaitOther     = 1
	WaitLock      = 2 // for a sync.Mutex, or for writing for a sync.RWMutex
	WaitRLock     = 3 // for reading
	WaitCond      = 4
	WaitGroup     = 5
	WaitSemaphore = 6
	WaitSleep     = 7
	WaitReceive   = 8
	WaitSend      = 9
	WaitSelect    = 10
	WaitNetwork   = 11 // or another file that can be polled
	WaitCollector = 12
	WaitSystem    = 13 // a system call that took long
	WaitC         = 14 // a call of C that took long: the same
	WaitStart     = 15 // for a process to be started: then what EventWaited tells is the id of the process
	WaitMost      = 15
)

// A descriptor: u32 kind, u32 size with this head and padding to 8 bytes, then what follows.
// string is u32 length and the bytes.
const (
	// u32 id, u32 line, u16 flags, u16 number of arguments (with the receiver), u16 results, u16 0,
	// a type's id for each argument as it was in the first call: 0 for nil,
	// string package path, string name as in (*T).m or f.func1, string file, string names of the
	// arguments, separated by commas: _ for one without a name. If a result has a name, or is an error, a semicolon
	// and the names of the results follow, in which error is an error without a name.
	DescriptorFunction = 1
	// u32 id, u8 kind of package reflect, u8 flags, u16 0, u64 size, u32 element's type, u32 number of fields,
	// string name as the runtime has it, string package path ("" for a type without a name), then for each field u32 type,
	// string name. A field's type has no descriptor if it is predeclared or no value of it was met. A map whose entries are
	// recorded has a field without a name, of the type of its keys; its values are its elements.
	DescriptorType = 2
	// u32 function, u32 number of results, a type's id for each. A function has one before the
	// first of its results.
	DescriptorResults = 3
	// string: the path of the program's main package, and after a blank the names of packages, see
	// EncodePackages. It precedes the first function.
	DescriptorPackages = 4
	// u64 id of the goroutine, u64 how long it has run in ns, u32 verdict, u32 0, string path of the package, string name: a
	// test of the top level began or ended, or one below it failed: then the time is 0. The last one of a test counts.
	DescriptorTest = 5

	FunctionReceiver = 1 // flag: the first argument is the receiver
	FunctionGo       = 2 // flag: a go statement; its text is the name
	FunctionMain     = 4 // flag: in a package main, which the runtime calls main whatever its path

	TestBegan   = 0 // verdicts of tests
	TestPassed  = 1
	TestFailed  = 2
	TestSkipped = 3

	TypeNamed   = 1       // flag: has a name
	TypeError   = 2       // flag: has the method Error() string
	TypeOutside = 1 << 31 // in an id: a type made at run time
)

// A value begins with a byte. Its type is given by its function or by the struct around it, unless
// there is a ValueType.
const (
	ValueNil       = 0
	ValueFalse     = 1
	ValueTrue      = 2
	ValueInt8      = 3  // signed numbers in 1, 4 and 8 bytes, whatever their type
	ValueInt32     = 4  //
	ValueInt64     = 5  //
	ValueUint8     = 6  // unsigned ones
	ValueUint32    = 7  //
	ValueUint64    = 8  //
	ValueFloat32   = 9  // 4 bytes
	ValueFloat64   = 10 // 8
	ValueComplex64 = 11 // 8
	ValueComplex   = 12 // 16
	ValueString    = 13 // u8 length, all bytes
	ValueCut       = 14 // u32 length, u8 number of bytes that follow: 0 if they cannot be read safely
	ValueBytes     = 15 // of a []byte: address, u32 length, u8 number of bytes that follow
	ValueAddress   = 16 // pointer, channel, unsafe pointer: address
	ValueMap       = 17 // address, u32 length
	ValueFunc      = 18 // address, u32 pc of its code, from AtText
	ValueSlice     = 19 // address, u32 length
	ValueArray     = 20 // nothing
	ValueStruct    = 21 // the fields, as many as the type has, unless ValueMore ends them
	ValuePointee   = 22 // pointer: address, the value that it points to
	ValueMore      = 23 // the other fields are left out
	ValueType      = 24 // u32 type, a value of that type
	ValueLarge     = 25 // a value that is too large to read
	ValueLeftOut   = 26 // no room for it
	ValueTest      = 27 // pointer to a testing.T, B or F: address, a ValueString or ValueCut with its name
	ValueElements  = 28 // slice: address, u32 length, u8 number of elements that follow, these
	ValueItems     = 29 // array: u8 number of elements that follow, these
	ValueText      = 30 // a string in an error or a panic: u32 length, u16 number of bytes that follow: 0 if they cannot be read safely
	ValueEntries   = 31 // map: address, u32 length, u8 number of entries that follow, the key and the value of each
	ValueContents  = 32 // of a []byte that keeps its number: as ValueBytes

	// address: the number of what is there, 30 bits, after ObjectShift bits that are 0. Objects that have an address
	// one after the other have different numbers, if that can be known: where the number is in doubt, or that of
	// what is on a stack, it may be that of several.
	AddressSize    = 6
	ObjectShift    = 3
	ObjectStackBit = 46
	ObjectDoubtBit = 47
)
