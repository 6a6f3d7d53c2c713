package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/policy"
	"tracex/recorder/internal/sink"
	"tracex/recorder/internal/values"
)

// Strategy says when a recorder writes its file.
type Strategy int

const (
	// Automatic is SharedMemory if the environment names a service: PERFETTO_PRODUCER_SOCK_NAME
	// is set, as in a program that tracex record runs. Otherwise it is Streaming. It also is
	// Streaming if that service is missing or does not answer within [Config.ServiceTimeout],
	// or if the program does not import package recorder/shared: then OnError is told, and the
	// recording goes to Path only, even if a service appears later. Without a Path [Start]
	// fails in that case.
	Automatic Strategy = iota
	// Streaming writes while the program runs: each goroutine's buffer is written when it is
	// nearly full, by a timer, and by [Recorder.Flush].
	Streaming
	// CollectAndDump keeps everything in memory until [Recorder.Dump] or
	// [Recorder.Stop] writes it in one go.
	CollectAndDump
	// SharedMemory writes no file. It sends the recording to a tracing service, for the
	// sessions that enable the data source tracex.calls. The program must import package
	// recorder/shared, or Start fails with [ErrNotImported]. [Start] waits for the service's
	// first answer, at most for [Config.ServiceTimeout], so existing sessions have everything
	// recorded after it returns. Without a service the recording begins when one appears, and
	// everything recorded before is lost: OnError, Flush and Stop report it.
	//
	// If a session's share of the memory is full, goroutines wait with [Stall], at most for ten
	// seconds. Lost calls, loops and iterations are counted for each session, and noted as with
	// [Drop]. Those lost at the ends of threads are noted at the end, in a thread named
	// [DroppedVariable].
	//
	// A crash loses what the program had not sent, at most [Config.FlushInterval], unless the
	// environment names a directory for it, as tracex record does: then only what
	// [Config.TrackEvents] produces can be lost.
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

// Policy says what a goroutine does when it has no room to record to. The zero Policy is Stall
// here.
type Policy = policy.Policy

const (
	// Stall lets the goroutine write its buffer to the file itself, and wait while another one
	// writes. Nothing that a [Thread] records is lost, except a trace point larger than the
	// memory, which is counted as with [Drop]. If there is no memory, see [Config.MaxMemory].
	Stall = policy.Stall
	// Drop never lets a goroutine wait for the file: the recorder's own goroutine writes, and
	// trace points without room meanwhile are left out and counted. In their place the trace
	// has a write to a variable named [DroppedVariable], with the number of missing trace
	// points.
	Drop = policy.Drop
)

// DroppedVariable is the name of the variable whose write says how many trace points are
// missing before it.
const DroppedVariable = sink.DroppedVariable

// Defaults of a Config. Sizes are in bytes.
const (
	DefaultBlockSize     = 64 << 10
	DefaultMaxMemory     = 64 << 20
	DefaultFlushInterval = time.Second
	// DefaultSharedInterval is the default flush interval of SharedMemory. It costs no file
	// writes: what is in the shared memory survives the program.
	DefaultSharedInterval = 100 * time.Millisecond
	DefaultServiceTimeout = time.Second
	DefaultMaxString      = 50
	DefaultCaptureDepth   = 2
	DefaultCaptureCount   = 10
)

const (
	// maxDepth is the most levels of objects within an object: readers refuse twice as many.
	maxDepth = 100
	// leastMemory is how many times the block size the memory must be: half is for the files,
	// the rest for goroutines' buffers. leastBytes is an additional minimum: it has room for a
	// few hundred names and threads.
	leastMemory = 32
	leastBytes  = 256 << 10
)

// Config says what is recorded, and where. Only Path is required, and not with SharedMemory.
// It is one struct, not several: each field is an option of its own, and a caller sets few.
type Config struct {
	// Path of the data file. The index has the same name with .idx appended, the times with
	// .tim. None of them may exist, unless Overwrite is set.
	//
	// In it, %p is the process's id and %t the time of Start, as 2006-01-02_15-04-05; %% is a
	// percent sign, and any other percent sign is itself. A program that starts itself again,
	// or that runs several times in one directory, needs %p: see [Recorder.File].
	Path string
	// Overwrite first removes files with these names. Files of a running recording, in whatever
	// process, are locked: then Start fails with [ErrInUse]. Systems with such locks are Linux,
	// macOS, the BSDs, illumos and Windows.
	Overwrite bool
	NoTimes   bool // do not record when calls began and ended

	// NoLive keeps unwritten data in the program's own memory instead of in a mapped file
	// next to the trace. Then what was recorded since the last write is lost if the program
	// is killed, or ends by os.Exit, log.Fatal or a panic. It is for file systems that
	// cannot map files. See [Finish].
	NoLive bool

	// FormatVersion is the version of the trace's format: 27, which Lincheck 3.7 reads, or 22,
	// which 3.6 and older releases of tracex read. 0 is the version named in the environment,
	// in [FormatVariable], or else the newest, 27.
	FormatVersion int

	Strategy Strategy
	// Service is the connection that SharedMemory uses; nil for one of its own. Package
	// recorder/shared makes one.
	Service Service
	// TrackEvents makes SharedMemory write Perfetto's track events, which all of Perfetto's
	// tools show, instead of packets from which the same trace as of a file can be made. That
	// takes several times as long. After a loss, calls may seem to have ended later than they
	// did.
	TrackEvents bool
	// ServiceTimeout is how long Start waits for the first answer of a service that listens.
	ServiceTimeout time.Duration
	OnFull         Policy // when a buffer is full; CollectAndDump always drops

	// BlockSize is the size to which a goroutine's buffer grows, in bytes. It starts at 1 KiB,
	// and other goroutines reuse it when its goroutine is idle.
	BlockSize int
	// FlushInterval is the longest time until something recorded is in the trace's files, for
	// readers while the program runs; negative: until the buffer is full. Either way a crash
	// loses nothing, see [Finish]. With CollectAndDump it is the longest time for which a sleep
	// of the machine can make times wrong; negative: until some goroutine's buffer is full.
	FlushInterval time.Duration
	// MaxMemory bounds what the recorder keeps in memory, in bytes: buffers, threads, names,
	// and everything else except some 100 KiB. The minimum is 32 times the block size and 256
	// KiB. Threads and names get all of it but 16 MiB, or half of it if that is less.
	//
	// Only goroutines that exist at the same time need memory, however many there are in total:
	// a thread with up to eight open calls takes 0.9 KiB and its name, until it ends. The
	// default has room for some 53,000; a million take 0.9 GiB. A goroutine without room is not
	// recorded, whatever the policy: if it waited for another one to end, both could wait
	// forever. It is counted in [Saved.Refused]. A name without room is "<no room>". OnError is
	// told of both.
	MaxMemory int64

	// CallMethods makes [Recorder.Of], End of a [Call] and the recording of a panic call the
	// method Error of every error, as [Error] does. Without it they call it only for the error
	// types of Go and a few libraries that ask no others: a method of the program could take a
	// lock that its caller holds.
	CallMethods  bool
	MaxString    int // characters kept of a string value, and at least 1,024 of the text of an error; negative: none
	CaptureDepth int // levels of objects within an object that is captured, 100 at most; negative: none
	CaptureCount int // elements or fields kept of each; negative: none

	// OnError is told once of each thing that ends or limits the recording: a full disk, a
	// removed trace, ids or memory that ran out. Any goroutine may call it, without locks held;
	// the program continues. Flush and Stop return the error too. With [Automatic], it is also
	// told of a missing service.
	OnError func(error)

	create     func(path string) (files.OutFile, error) // nil for new files
	events     int64                                    // the first event id, for tests
	timeSource clock.TimeSource                         // nil for the machine's clocks; for tests
	plain      bool                                     // take no times from the processor's counter, for tests

	layout *values.Layout // of the wanted version

	needsService bool // Start fails without a service
}

// withDefaults returns a checked copy with all defaults filled in.
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
	c.MaxString = min(max(c.MaxString, 0), values.MaxText)
	c.CaptureDepth = min(c.CaptureDepth, maxDepth)
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

// counter returns the function that reads the processor's counter; nil if it is unreliable or
// not to be used.
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

// serviceTimeout is how long Start waits for the service by default. Tests wait longer.
var serviceTimeout = DefaultServiceTimeout

// expand replaces %p and %t in a path by the process and the time.
func expand(path string, pid int, now time.Time) string {
	return strings.NewReplacer(
		"%%", "%",
		"%p", strconv.Itoa(pid),
		"%t", now.Format("2006-01-02_15-04-05"),
	).Replace(path)
}

const newestVersion = int(format.Newest)

// FormatVariable is the environment variable with the version of the format to write if
// [Config.FormatVersion] is 0. tracex record sets it.
const FormatVariable = "TRACEX_FORMAT_VERSION"

// wantedLayout returns the layout for the version that the config or the environment names.
func (c *Config) wantedLayout() (*values.Layout, error) {
	version := c.FormatVersion
	if named := os.Getenv(FormatVariable); version == 0 && named != "" {
		var err error
		if version, err = strconv.Atoi(named); err != nil || version == 0 {
			return nil, fmt.Errorf("recorder: %s=%s: want 27 or 22", FormatVariable, named)
		}
	}
	l, err := layoutOf(cmp.Or(version, newestVersion))
	if err != nil && c.FormatVersion == 0 {
		err = fmt.Errorf("%w (%s says so)", err, FormatVariable)
	}
	return l, err
}

func layoutOf(version int) (*values.Layout, error) {
	if l := values.LayoutOf(version); l != nil {
		return l, nil
	}
	return nil, fmt.Errorf("recorder: version %d of the format cannot be written: FormatVersion is 27, 22, or 0 for the newest", version)
}

// Service is a way to reach a tracing service, for [Config.Service]. Package recorder/shared
// makes one.
type Service interface{ sink.Opener }
