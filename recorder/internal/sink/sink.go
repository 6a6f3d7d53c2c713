// Package sink is what a recorder and a sink of another package know of each other. A
// sink is where recorded bytes go; it registers itself when its package is imported, as
// a driver of database/sql does, so that a program links only what it asks for.
//
//	recorder ──► sink ◄── recorder/shared
//
// What a goroutine records is cut into parts (see package buffers), which the sink gets
// in the order in which they were recorded; parts of different threads come at once.
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

// ServiceVariable is the environment variable that names the socket of a tracing
// service, as Perfetto's protocol has it.
const ServiceVariable = "PERFETTO_PRODUCER_SOCK_NAME"

// Thread is what a sink is told of a thread.
type Thread struct {
	ID    int32 // among the threads of its recorder
	Name  string
	Ended uint64     // the clock's reading when it ended, once it has
	Slot  *live.Slot // its record in the live file; nil: it has none
}

// Sink takes what was recorded to a tracing service.
type Sink interface {
	// Begin connects: the recorder is ready for what the service asks. It fails when
	// Options.NeedsService and there is none.
	Begin() error
	// Put takes a part. The thread's lock is held, and the part's chunk stays as it is
	// until Put returns. last: nothing of the thread follows. It fails when the part's
	// marks cannot be those of one goroutine's calls, and returns what it did not take;
	// the recorder puts the sound beginning of that once more, with the same last.
	Put(t Thread, p buffers.Part, last bool) (left buffers.Part, err error)
	// Opened returns the classes of the containers that a thread has open after what was
	// put, outermost first. The thread's lock is held.
	Opened(thread int32) []format.Class
	// Flush waits until the service has all that was put.
	Flush()
	// Abandon ends a sink whose Begin failed: when it returns, the service asks nothing.
	Abandon()
	// Finish is Flush and the end. What is put later is ignored.
	Finish()
	// Saved is how many parts were sent, and how many bytes.
	Saved() (parts, bytes int64)
}

// Recorder is what a sink needs of its recorder. No method calls the sink, but Sweep.
type Recorder interface {
	Clock() *clock.Clock
	// Class is the class of a trace point of a kind.
	Class(kind byte) format.Class
	// TakeNames appends what was registered since the last call: reference objects, and
	// their cells, whose Start is the position in what was appended.
	TakeNames(data []byte, cells []format.Cell) ([]byte, []format.Cell)
	// PutNote writes a note of how many trace points of a thread are missing before it,
	// in [NoteRoom] bytes at most, and returns its size. What notes write to is registered
	// by then: NameDropped does that alone.
	PutNote(b []byte, thread, event int32, missing int64) int
	NameDropped()
	// Threads is how many threads were begun.
	Threads() int64
	// Sweep puts all that was recorded.
	Sweep()
	// Dropped counts trace points that found no room.
	Dropped(n int64)
	// Fail keeps an error that limits the recording, Warn one that does not; Tell tells
	// the program of them, without locks held.
	Fail(err error)
	Warn(err error)
	Tell()
	// KeepIn describes the recorder in a live file, and keeps in it from then on what is
	// not put yet. When it fails the file is removed.
	KeepIn(l *live.File) error
}

// NoteRoom is the most bytes of a note of what was dropped.
const NoteRoom = format.LeafValueAt + format.MaxObjectSize

// LastEvent is the event id of a note when all others are used up.
const LastEvent = 1<<31 - 1

// DroppedVariable is the name of the variable that a note writes to.
const DroppedVariable = "<dropped>"

// Options are what the program said.
type Options struct {
	Version        format.Version
	Policy         policy.Policy // Stall or Drop
	NoTimes        bool
	TrackEvents    bool // write track events instead of the recorder's own packets
	NoLive         bool
	LiveLimit      int64 // bytes of a live file
	ServiceTimeout time.Duration
	NeedsService   bool // there is another place to record to
}

// Opener opens a sink.
type Opener interface {
	Open(r Recorder, o Options) (Sink, error)
}

var registered atomic.Value

// Register makes an Opener that of all recorders which name none. The package of a sink
// calls it when it is initialised.
func Register(o Opener) { registered.Store(&o) }

// Registered returns the Opener that was registered; nil: none was.
func Registered() Opener {
	if o, ok := registered.Load().(*Opener); ok {
		return *o
	}
	return nil
}

// ErrNoService says that there is no service, or one that does not answer.
var ErrNoService = errors.New("there is no tracing service")
