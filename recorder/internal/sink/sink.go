// Package sink is the interface between a recorder and a sink of another package. A sink is
// where recorded bytes go. It registers itself when its package is imported, as a database/sql
// driver does, so that a program links only what it asks for.
//
//	recorder ──► sink ◄── recorder/shared
//
// What a goroutine records is cut into parts (see package buffers), which the sink gets in the
// order in which they were recorded; parts of different threads are put concurrently.
package sink

import (
	"errors"
	"sync/atomic"
	"time"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/policy"
)

// ServiceVariable is the environment variable that names the socket of a tracing service, as in
// Perfetto's protocol.
const ServiceVariable = "PERFETTO_PRODUCER_SOCK_NAME"

// Thread describes a thread to a sink.
type Thread struct {
	ID    int32 // among the threads of its recorder
	Name  string
	Ended uint64     // the clock's reading when it ended, once it has
	Slot  *live.Slot // its record in the live file; nil if it has none
}

// Sink passes recorded data to a tracing service.
type Sink interface {
	// Begin connects: the recorder is ready for the service's requests. It fails if
	// Options.NeedsService is set and there is no service.
	Begin() error
	// Put takes a part. The thread's lock is held, and the part's chunk does not change until
	// Put returns. If last is set, nothing of the thread follows. Put fails if the part's marks
	// cannot be those of one goroutine's calls, and returns what it did not take; the recorder
	// then puts the sound beginning of that, with the same last.
	Put(t Thread, p buffers.Part, last bool) (left buffers.Part, err error)
	// Opened returns the classes of the containers that a thread has open after the parts put
	// so far, outermost first. The thread's lock is held.
	Opened(thread int32) []format.Class
	// Flush waits until the service has everything that was put.
	Flush()
	// Abandon ends a sink whose Begin failed: after it returns, the service requests nothing.
	Abandon()
	// Finish flushes and ends the sink. Parts put later are ignored.
	Finish()
	// Saved returns how many parts and bytes were sent.
	Saved() (parts, bytes int64)
}

// Recorder is what a sink needs of its recorder. Only Sweep calls the sink.
type Recorder interface {
	Clock() *clock.Clock
	// Class returns the class of a trace point of a kind.
	Class(kind byte) format.Class
	// TakeNames appends what was registered since the last call: reference objects, and their
	// cells, whose Start is the position in what was appended.
	TakeNames(data []byte, cells []format.Cell) ([]byte, []format.Cell)
	// PutNote writes a note of how many trace points of a thread are missing before it, in at
	// most [NoteRoom] bytes, and returns its size. It also registers the variable that notes
	// write to; NameDropped only does that.
	PutNote(b []byte, thread, event int32, missing int64) int
	NameDropped()
	// Threads returns how many threads were begun.
	Threads() int64
	// Sweep puts everything that was recorded.
	Sweep()
	// Dropped counts trace points that were dropped.
	Dropped(n int64)
	// Fail keeps an error that limits the recording, Warn one that does not. Tell reports them
	// to the program; no locks may be held.
	Fail(err error)
	Warn(err error)
	Tell()
	// KeepIn describes the recorder in a live file, and from then on keeps in it what is not
	// put yet. If it fails the file is removed.
	KeepIn(l *live.File) error
}

// NoteRoom is the most bytes of a note of the dropped points.
const NoteRoom = format.LeafValueAt + format.MaxObjectSize

// LastEvent is the event id of a note when all others are used up.
const LastEvent = 1<<31 - 1

// DroppedVariable is the name of the variable that a note writes to.
const DroppedVariable = "<dropped>"

type Options struct {
	Version        format.Version
	Policy         policy.Policy // Stall or Drop
	NoTimes        bool
	TrackEvents    bool // write track events instead of the recorder's own packets
	NoLive         bool
	LiveLimit      int64 // bytes of a live file
	ServiceTimeout time.Duration
	NeedsService   bool // Begin fails without a service: there is another place to record to
}

type Opener interface {
	Open(r Recorder, o Options) (Sink, error)
}

var registered atomic.Value

// Register sets the Opener of all recorders whose config names none. The package of a sink
// calls it when it is initialized.
func Register(o Opener) { registered.Store(&o) }

// Registered returns the registered Opener; nil if there is none.
func Registered() Opener {
	if o, ok := registered.Load().(*Opener); ok {
		return *o
	}
	return nil
}

// ErrNoService: there is no service, or it does not answer.
var ErrNoService = errors.New("there is no tracing service")
