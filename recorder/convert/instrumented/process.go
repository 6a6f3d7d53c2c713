package instrumented

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// Options of a conversion. The zero Options are valid.
type Options struct {
	// Version is the version of the format to write; 0 means the newest.
	Version format.Version
	// BlockSize is the size of a thread's blocks in bytes, [calltrace.InstrumentedSize] if 0.
	BlockSize int
	// Memory is how many bytes of blocks may wait to be written, [calltrace.InstrumentedBudget] if 0.
	Memory int
	// Programs puts the name of its program before the name of each thread, even if there is
	// only one program. Without it, threads of the first program that were written before a
	// second one began lack the program's name.
	Programs bool
	// NotEmpty: without events, no trace is written.
	NotEmpty bool
	// Patterns are patterns of functions without wildcards: shop.Open, shop.(*Order).Pay, shop. They name a package by
	// its own name, its path, or an end of its path. The Summary tells which packages each of them names.
	Patterns []string
	// Elsewhere, if not nil, returns the trace and the name of the parent of a process that none of the files here is of; "" if none is known.
	Elsewhere func(h *raw.Header) (trace, name string)
	// Progress, if not nil, is called now and then with how many bytes of the raw files have been passed, and
	// how many there are. The conversion waits for it.
	Progress func(done, total int64)
	// Begun, if not nil, is the trace of another conversion, to which what programs have recorded is
	// added, in the version of that trace. The other conversion ends the trace.
	Begun *tracefile.Writer
	// Time returns the time in Begun for a reading of the machine's monotonic clock, both in ns.
	Time func(monotonic int64) int64
}

// Converter makes a trace of what programs record. One goroutine at a time may use it.
type Converter struct {
	options   Options
	layout    *values.Layout
	to        tracefile.Files
	blocks    blocks
	waiting   []string // files without a header so far
	gone      map[string]bool
	processes []*process
	lines     raw.Lines
	inLine    []*process // by their numbers in lines
	unbegun   int64      // files of processes that ended before they recorded anything
	read      int64      // bytes of chunks
	passed    int64      // bytes of files
	total     int64      // size of the files when last measured
	called    map[int32]bool
	named     Summary // its Packages
	err       error   // why the conversion stopped
}

// process is a program whose raw file is converted.
type process struct {
	to      *Converter
	file    *raw.File
	about   *tracefile.Program
	teller  teller
	named   bool // its name in those of its threads is final
	clock   clock
	program program
	encoder encoder
	streams map[uint64]*stream

	chunks raw.Chunks
	late   *raw.Window // for chunks that were not full
	open   []unfull    // such chunks, in the order of the file; some may be full by now
	ahead  ahead

	compacted int // length of open when it had no full ones

	ended  bool // its file is no longer written
	done   bool // all of it has been read
	looked int  // the search since the current events were read: see looked
	last   int64
	gap    gap
	told   Process
	sites  sites
	roots  map[uint64]root // of goroutines that run tests
}

// root is where the calls of a goroutine begin.
type root struct{ thread, event int32 }

// thread is a goroutine of a program: a thread of the trace, once it has a call.
type thread struct {
	calltrace.Block
	goroutine
	p       *process
	begun   bool   // it has a number
	tick    int    // since which step its block has something, see blocks.sweep
	counter uint64 // of the last event
	last    int64  // its time, in ns
	retry   int    // size of the block at which its statements are matched again
	calls   uint32 // that have begun
	stack   []open
	leaves  []*leaf // go statements in its block
	sites   []siteKey
	waitsIn string // what the last wait was in, as far as it is known
	resumed *root  // the outermost call that went on where the data begins; nil if none did
}

// goroutine is what is known about a goroutine.
type goroutine struct {
	id     uint64    // 0 if unknown
	parent uint64    // the goroutine that made it; 0: the runtime
	made   uint64    // pc after the go statement
	start  uint64    // pc of the function started
	first  *function // the first that it called; nil: none
	caller uint32    // return address of that call
	test   string    // the name of the test that it runs; "" if unknown
	tested string    // the name of that test's package
}

// open is a call that has begun.
type open struct {
	tracefile.Open
	counter uint64 // when it began, or without a clock which call of the thread it is; 0 if that is unknown
	f       *function
}

// blocks writes the blocks of threads. One with a go statement waits until it is known which goroutine
// that made, but not too long.
type blocks struct {
	calltrace.Blocks // To is nil until the first program is known
	dict             dictionary
	tick             int // number of the step
}

// stream has the chunks of one g, which runs one goroutine after the other.
type stream struct {
	g       uint64
	t       *thread // nil: none is known
	chunk   raw.Chunk
	at      int    // offset of the next event in the chunk
	counter uint64 // of the last event
	unfull  bool   // the chunk may get more events
	late    bool   // it has been read more than once
	crossed bool   // the chunk is the first after the gap, and says with its first event which goroutine continues
}

// unfull is a chunk that may get more events, unless its stream has another one by now.
type unfull struct {
	s      *stream
	offset int64
}

// ahead reads times and descriptors from the chunks that follow those being converted.
type ahead struct {
	chunks      raw.Chunks
	descriptors []raw.Chunk
	read        []int // bytes of each that have been read
}

// Which goroutine a go statement made.
//
// A goroutine's first event tells which goroutine made it, and where. If one goroutine made several
// at one place, their numbers tell the order: the runtime gives each processor sixteen numbers at a
// time, so that the order is certain unless the parent moved to another processor and back. Times
// are used first: a goroutine does not begin before its statement.

// sites are the places of go statements.
type sites struct {
	all      map[siteKey]*site
	children int // in all sites
}

type siteKey struct {
	parent uint64
	file   string
	line   int
}

// site has the statements and goroutines of a place that are not matched yet.
type site struct {
	leaves   []*leaf // in order of time
	children []child
	lossy    bool // statements have been forgotten
}

// leaf is a go statement that ran, in the block of its thread.
type leaf struct {
	at     int // offset of its result in the block's bytes
	time   uint64
	key    siteKey
	id     uint64 // of the goroutine that it made; 0: not known
	unsure bool
	late   bool // already written
}

// child is a goroutine.
type child struct {
	id, time uint64
	tick     int // step in which it was found, see blocks.tick
}

// known says which statements of a goroutine are known.
type known struct {
	until uint64 // those before this time
	tick  int    // those of goroutines that were found in an earlier step
	all   bool
	end   bool // there will be no more goroutines
}

const mostNumbers = math.MaxInt32

// errNumbers is returned when the format has no more numbers for threads or events.
var errNumbers = errors.New("more than 2,147,483,647 events or threads: the format cannot number them; the trace has the earlier ones")

// number reports whether there is a number for another event.
func (c *Converter) number() bool {
	if c.blocks.To.Events >= mostNumbers {
		c.stop(errNumbers)
		return false
	}
	return true
}

// nextEvent is the number of the next event. numberEvent takes it, once the event is whole.
func (c *Converter) nextEvent() int32 { return int32(c.blocks.To.Events) }

func (c *Converter) numberEvent() int32 {
	event, _ := c.blocks.To.NextEvent()
	return event
}

// stop ends the conversion with an error.
func (c *Converter) stop(err error) {
	if c.err == nil {
		c.err = err
	}
}

// pass notes that n bytes of a file have been passed.
func (c *Converter) pass(n int64) {
	if f := c.options.Progress; f != nil {
		const often = 24 // every 16 MiB
		before := c.passed
		if c.passed += n; before>>often != c.passed>>often || c.passed >= c.total {
			c.measure() // files grow
		}
		f(min(c.passed, c.total), c.total)
	}
}

const (
	wordSize  = 4
	eventHead = 2 * wordSize // an event's word, and how far the counter advanced
)

// The header of a call begins with what all trace points have, and its method.
const (
	methodAt = format.PointHeadSize + format.StatusCountSize
	headSize = methodAt + wordSize
)

// time returns the time of an event of a thread.
func (p *process) time(t *thread, counter uint64) int64 {
	ns := max(p.clock.at(counter), t.last)
	t.last = ns
	p.last = max(p.last, ns)
	return ns
}

// problem notes damage.
func (p *process) problem(err error) {
	p.told.Damaged++
	if len(p.told.Problems) < mostProblems {
		p.told.Problems = append(p.told.Problems, err)
	}
}

// damage reports whether an error is damage, and notes it if so.
func (p *process) damage(err error) bool {
	var fault *raw.Error
	if errors.As(err, &fault) {
		p.problem(err)
		return true
	}
	return false
}

// prefixed returns the name of a thread with its program, if there are several.
func (p *process) prefixed(name string) string {
	if !p.named {
		p.named = true
		p.about.Shown = p.to.shownName(p)
		p.teller.say(&format.ProcessNote{Process: format.Process{Shown: p.about.Shown, Named: true}})
	}
	if p.about.Shown == "" {
		return name
	}
	return p.about.Shown + between + name
}

// programName is the name of the program in names of threads.
func (p *process) programName() string {
	if name := p.file.Head.Program(); name != "" {
		return values.Cut(name, 100)
	}
	return fmt.Sprint("process ", p.file.Head.PID)
}

// mostProblems is how many problems of a process are reported.
const mostProblems = 20

// measure finds out how many bytes there are, if Progress needs it.
func (c *Converter) measure() {
	if c.options.Progress == nil {
		return
	}
	c.total = c.passed
	for _, p := range c.processes {
		if p.ended {
			continue
		}
		if st, err := os.Stat(p.file.Path); err == nil {
			c.total += max(st.Size()-p.chunks.Offset(), 0)
		}
	}
}

// shownName returns the name of a process in those of its threads; "" if they have none.
func (c *Converter) shownName(p *process) string {
	name := p.programName()
	several, same := c.options.Programs, false
	for _, o := range c.processes {
		if o != p && o.file != nil {
			several, same = true, same || o.programName() == name
		}
	}
	switch {
	case !several:
		return ""
	case same:
		name += " " + strconv.FormatUint(p.file.Head.PID, 10)
	}
	plain := name
	for n, again := 2, true; again; n++ { // the id of a process may be used again
		again = slices.ContainsFunc(c.blocks.To.Programs, func(o *tracefile.Program) bool { return o != p.about && o.Shown == name })
		if again {
			name = plain + " (" + strconv.Itoa(n) + ")"
		}
	}
	return name
}

// between separates the name of a program from that of its thread.
const between = " › "

const (
	readSize  = 256 << 10 // bytes read at a time, for events
	aheadSize = 16 << 10  // the same, for heads of chunks
)

// looked returns how thorough a search for descriptors is: larger is more thorough.
func looked(thorough bool) int {
	if thorough {
		return 2
	}
	return 1
}
