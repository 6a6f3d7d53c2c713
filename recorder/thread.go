package recorder

import (
	"container/list"
	"sync"
	"sync/atomic"

	"tracex/format"
	"tracex/recorder/internal/gotypes"
	"tracex/recorder/internal/values"
)

// Thread records what one goroutine does: a thread of the trace. Only one goroutine at a time
// may call its methods. Those of a nil Thread do nothing: that is how recording is switched
// off.
//
// It has more methods than other types: one for each kind of event that a program records, and
// for each of these one that writes it. Everything that a recorded call touches is side by side
// in it: a part reached by a pointer or an interface would cost each call.
type Thread struct {
	writer
	// panics are those that may be passing through open calls; nil if there are none, and
	// recover tells of all.
	panics *panics
	from   *origin // if a context returned the thread
}

// Recorder records a program into a trace. Any goroutine may call its methods at any time. They
// do nothing on a nil Recorder.
//
// The flusher has what it shares with the buffers of goroutines; the other fields are what it
// knows of the program.
type Recorder struct {
	flusher
	types      *gotypes.Types
	locations  sync.Map // return address to Location
	goroutines sync.Map // number to *Thread, of those found by a context
	kept       kept
	events     atomic.Int64 // the next event id that no thread has
	stopping   sync.Mutex   // held while the trace is ended
}

func (r *Recorder) on() bool { return r != nil && r.state.Load() == running }

// writer writes trace points into the buffer of its goroutine. It leaves out those for which there
// is no room, and what is in them: see [writer.lose].
type writer struct {
	buffer
	terms
	next, limit int32 // event ids left: next to limit-1
	open        stack
	lagging     bool // something is owed, lost or was dropped: take the slow path
	slow        bool // the slow path is being taken
	ended       bool
	resting     bool  // the thread rests, see origin
	owed        int32 // ended containers above those of open, without room for their footers
	batch       int32 // how many event ids to take next
	lost        lost
}

// lost is what is known of open containers that were not recorded. Its size does not depend on
// how many they are.
type lost struct {
	on     bool
	class  format.Class // of the outermost
	calls  int32        // among all of them
	loops  int32        // those in none of the calls
	number int32        // of the loss: each has its own, from 1 on
}

// terms is what a thread needs of its recorder to write what a program names: values, and the
// ids of numbers. With zero terms nothing is written.
type terms struct {
	values.Terms
	r *Recorder // for what is not usual
}

// States of an origin.
const (
	busy int32 = iota
	resting
	evicted
)

// origin says where a thread from a context came from. When the thread has ended, calls on it
// go to the goroutine's current thread. A thread returned before the goroutine has one has
// ended from the beginning: all goroutines share it, and nothing in it changes.
type origin struct {
	goroutine uint64 // that owns the thread
	state     atomic.Int32
	recent    atomic.Bool   // it has rested since idlest last looked at it
	element   *list.Element // of kept, guarded by its lock

	// The fields from here on are the owner's.
	came *carried // the context it came from
	next *carried // the context it continues with; nil for the same
}

// kept are the threads from contexts that have not ended.
type kept struct {
	resting atomic.Int64
	most    int64 // that rest

	mu   sync.Mutex
	list list.List // of *Thread
}

// carried is a thread in a context, with the goroutine and the call that put it there.
type carried struct {
	thread    *Thread
	goroutine uint64
	event     int32 // of the innermost call; -1 if there was none
	relay     atomic.Pointer[Thread]
}

// passing is a panic that an End noted.
type passing struct {
	event     int32  // the thread's next event id at that moment
	exception string // its type; "" if there were several, and it is unknown which one continues
}

// panics are those that may continue to an open call, oldest first, at most one for each such
// call. When a call ends, those that began in it are removed: they are over, except the one
// that ends the call.
type panics struct {
	list []passing
	wary bool // recover does not tell all panics, see swallowsNil
}

// swallowsNil reports whether recover returns nil for panic(nil), as with GODEBUG=panicnil=1:
// then to recover would end such a panic unseen.
var swallowsNil = sync.OnceValue(func() (swallows bool) {
	defer func() { swallows = recover() == nil }()
	panic(nil)
})
