package recorder

import (
	"errors"
	"fmt"
	"os"
	"time"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/policy"
	"tracex/recorder/internal/sink"
)

// Strategy says when a recorder writes its file.
type Strategy int

const (
	// Automatic is SharedMemory if the environment says where a service is:
	// PERFETTO_PRODUCER_SOCK_NAME is set, as in a program that tracex record
	// runs. Else it is Streaming. It is Streaming, too, if that service is not there
	// or does not answer within [Config.ServiceTimeout], or if the program does not
	// import package recorder/shared: OnError is told, and the recording goes to Path
	// alone, whatever service comes later. Without a Path [Start] fails then.
	Automatic Strategy = iota
	// Streaming writes while the program runs: each goroutine's buffer goes
	// to the file when it is nearly full, by timer and by [Recorder.Flush].
	Streaming
	// CollectAndDump keeps everything in memory until [Recorder.Dump] or
	// [Recorder.Stop] writes it in one go.
	CollectAndDump
	// SharedMemory writes no file: it hands what is recorded to a tracing
	// service, for the sessions that want the data source tracex.calls. The program
	// imports package recorder/shared, or Start fails with [ErrNotImported]. [Start]
	// waits for the service's first answer, for [Config.ServiceTimeout] at most; so
	// sessions that are there have all that is recorded from its return on. Without a
	// service recording begins when one comes, and what was recorded before is gone:
	// OnError, Flush and Stop say so.
	//
	// Where a session's share of the memory is full, goroutines wait with [Stall],
	// for ten seconds at most. What is lost is counted by its calls, loops and
	// iterations, for each session, and noted as with [Drop]; what was lost at the
	// ends of threads, in a thread named [DroppedVariable] at the end.
	//
	// What the program had not sent when it crashed is lost, [Config.FlushInterval]
	// at most, unless the environment names a folder for it, as tracex record does: then
	// nothing is lost but what [Config.TrackEvents] makes.
	SharedMemory
)

// String returns the name of the strategy.
func (s Strategy) String() string {
	switch s {
	case Automatic:
		return "automatic"
	case SharedMemory:
		return "shared memory"
	case Streaming:
		return "streaming"
	case CollectAndDump:
		return "collect-and-dump"
	}
	return fmt.Sprintf("strategy %d", int(s))
}

// Policy says what a goroutine does that has nowhere to record to. The zero Policy is
// Stall here.
type Policy = policy.Policy

const (
	// Stall lets the goroutine write its buffer to the file itself, and wait
	// while another one writes. Nothing that a [Thread] records is lost, but a
	// trace point that is larger than the memory, which is counted as with [Drop]; for
	// when there is no memory see [Config.MaxMemory].
	Stall = policy.Stall
	// Drop lets no goroutine wait for the file: the recorder's own goroutine
	// writes, and what finds no room meanwhile is left out and counted. There
	// the trace has a write to a variable named [DroppedVariable] with the
	// number of trace points that are missing.
	Drop = policy.Drop
)

// DroppedVariable is the name of the variable whose write says how many trace
// points are missing before it.
const DroppedVariable = sink.DroppedVariable

// What a Config says where it says nothing. Sizes are in bytes.
const (
	DefaultBlockSize     = 64 << 10
	DefaultMaxMemory     = 64 << 20
	DefaultFlushInterval = time.Second
	// DefaultSharedInterval is that of SharedMemory, where it takes no file: what
	// is in the shared memory survives the program.
	DefaultSharedInterval = 100 * time.Millisecond
	DefaultServiceTimeout = time.Second
	DefaultMaxString      = 50
	DefaultCaptureDepth   = 2
	DefaultCaptureCount   = 10
)

const (
	// maxText is the most characters a string may keep: at three bytes each
	// they stay below the 65,535 bytes that the file can say.
	maxText = 21_000
	// maxDepth is the most levels of objects within an object: readers refuse
	// twice as many.
	maxDepth = 100
	// leastMemory is how many times the block size the memory must be: half
	// is the files', the rest for goroutines' buffers. leastBytes is what it
	// must be besides: some hundred names and threads have room.
	leastMemory = 32
	leastBytes  = 256 << 10
)

// Config says what is recorded where. Only Path is needed, and not with
// SharedMemory.
type Config struct {
	// Path of the data file; the index gets the same name with .idx behind
	// it, the times with .tim. None of them may exist, unless Overwrite is
	// set.
	//
	// In it, %p is the process's id and %t the time of Start, as 2006-01-02_15-04-05;
	// %% is a percent sign, and any other one stands for itself. A program that starts
	// itself again, or several of its kind in one folder, needs %p: see
	// [Recorder.File].
	Path string
	// Overwrite removes what has these names first; but files that a recording goes
	// to, of whatever process, are locked, and Start fails with [ErrInUse]: where the
	// system has such locks, that is on Linux, macOS, the BSDs, illumos and Windows.
	Overwrite bool
	NoTimes   bool // do not record when calls began and ended

	// NoLive keeps what is not written yet in the program's own memory, instead of
	// a file that is mapped into it, beside the trace: what was recorded since the
	// last write is lost then if the program is killed, or ends by os.Exit, log.Fatal
	// or a panic. It is for disks that cannot be mapped. See [Finish].
	NoLive bool

	// FormatVersion is the version of the trace's format: 27, which Lincheck 3.7
	// reads, or 22, which 3.6 and older releases of tracex read; 0 is what the
	// environment names in [FormatVariable], or else the newest, 27.
	FormatVersion int

	Strategy Strategy
	// Service is the connection that SharedMemory uses; nil: one of its own. Package
	// recorder/shared has it.
	Service Service
	// TrackEvents has SharedMemory write Perfetto's track events, which all of
	// its tools show, instead of packets that make the very trace of a file. That
	// takes several times as long. Behind a loss, calls may seem to have ended
	// later than they did.
	TrackEvents bool
	// ServiceTimeout is how long Start waits for the first answer of a service that
	// listens.
	ServiceTimeout time.Duration
	OnFull         Policy // when a buffer is full; CollectAndDump always drops

	// BlockSize is the size to which a goroutine's buffer grows, in bytes. It
	// starts with one KiB, and is handed on when its goroutine is idle.
	BlockSize int
	// FlushInterval is the longest time until something recorded is in the
	// trace's files, for whoever reads them while the program runs; negative: until
	// the buffer is full. A crash loses nothing of either, see [Finish]. With
	// CollectAndDump it is the longest time for which a sleep of the machine can
	// make times wrong; negative: until some goroutine's buffer is full.
	FlushInterval time.Duration
	// MaxMemory bounds what the recorder keeps in memory, in bytes: buffers,
	// threads, names, and all else but some 100 KiB. 32 times the block size
	// and 256 KiB are the least. Threads and names get all but 16 MiB of it, or
	// half of it where that is less.
	//
	// Whatever the number of goroutines that come and go, those that are there
	// at once need memory: 0.9 KiB and its name for a thread with up to eight
	// open calls, until it ends. The default has room for some 53,000, a million
	// take 0.9 GiB. A goroutine for which there is none is not recorded,
	// whatever the policy: were it to wait for another one to end, both could
	// wait for ever. It is counted as [Saved.Refused]. A name for which there is
	// none is "<no room>". OnError hears of both.
	MaxMemory int64

	// CallMethods has [Recorder.Of], End of a [Call] and what is recorded of a panic
	// call the method Error of an error whatever type that is of, as [Error] does.
	// Without it that is done of Go's own errors alone: a method of the program's
	// could take a lock that its caller has.
	CallMethods  bool
	MaxString    int // characters kept of a string value; negative: none
	CaptureDepth int // levels of objects within an object that is captured, 100 at most; negative: none
	CaptureCount int // elements or fields kept of each; negative: none

	// OnError is told once what ends or limits the recording: a disk that is
	// full, a trace that was removed, ids or memory that ran out. Any goroutine may
	// call it, without locks held; the program goes on. Flush and Stop return the
	// error too. With [Automatic], it is also told of a service that is not there.
	OnError func(error)

	create func(path string) (output, error) // nil: createFile
	events int64                             // the first event id, for tests
	source clock.Source                      // nil: the machine's clocks; for tests
	plain  bool                              // take no times from the processor's counter, for tests

	layout *layout // of the version that is wanted

	needsService bool // Start fails without a service
}

// Errors that a caller may want to tell apart from those of the files.
var (
	// ErrEvents: all 2,147,483,647 event ids are used up. The trace is
	// readable, it has nothing that began later, and says how much that is.
	ErrEvents = errors.New("out of event ids (limit 2,147,483,647)")
	// ErrShared: what a Thread recorded makes no sense, as when two goroutines
	// use it at once. What it recorded before stays, as far as it makes sense, and
	// nothing more of it is recorded. Other threads go on.
	ErrShared = errors.New("a thread of the trace was used by several goroutines at once")
	// ErrMemory: the recording reached its MaxMemory. A collect-and-dump
	// recording has what was recorded up to there; a streaming one goes on
	// without the goroutine or the name that had no room.
	ErrMemory = errors.New("the recording reached its memory limit")
)

// withDefaults returns a checked copy with nothing left open.
func (c Config) withDefaults() (Config, error) {
	if c.Strategy == Automatic {
		c.Strategy = Streaming
	}
	if c.Path == "" && c.Strategy != SharedMemory {
		return c, errors.New("recorder: the config names no path")
	}
	c.Path = expand(c.Path, os.Getpid(), time.Now())
	or(&c.BlockSize, DefaultBlockSize)
	or(&c.MaxMemory, DefaultMaxMemory)
	or(&c.OnFull, Stall)
	if c.Strategy == SharedMemory {
		or(&c.FlushInterval, DefaultSharedInterval)
	}
	or(&c.FlushInterval, DefaultFlushInterval)
	or(&c.ServiceTimeout, serviceTimeout)
	or(&c.MaxString, DefaultMaxString)
	or(&c.CaptureDepth, DefaultCaptureDepth)
	or(&c.CaptureCount, DefaultCaptureCount)
	c.MaxString = min(max(c.MaxString, 0), maxText)
	c.CaptureDepth = min(c.CaptureDepth, maxDepth)
	if c.create == nil {
		c.create = createFile
	}
	var err error
	if c.layout, err = c.wantedLayout(); err != nil {
		return c, err
	}
	switch {
	case c.Strategy < Automatic || c.Strategy > SharedMemory:
		return c, fmt.Errorf("recorder: no such strategy: %d", int(c.Strategy))
	case c.OnFull != Stall && c.OnFull != Drop:
		return c, fmt.Errorf("recorder: no such policy: %d", int(c.OnFull))
	case c.BlockSize < buffers.First || c.BlockSize > buffers.MaxSize:
		return c, fmt.Errorf("recorder: a block size of %d bytes, want %d to %d", c.BlockSize, buffers.First, buffers.MaxSize)
	}
	if least := max(leastMemory*int64(c.BlockSize), leastBytes); c.MaxMemory < least {
		return c, fmt.Errorf("recorder: a MaxMemory of %d bytes is too little with a BlockSize of %d: want %d or more",
			c.MaxMemory, c.BlockSize, least)
	}
	return c, nil
}

// counter returns what reads the processor's counter; nil: it cannot be relied on, or
// is not to be used.
func (c *Config) counter() func() uint64 {
	if c.plain || !reliableCounter() {
		return nil
	}
	return counter
}

func or[T comparable](field *T, otherwise T) {
	var zero T
	if *field == zero {
		*field = otherwise
	}
}
