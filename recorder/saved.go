package recorder

import (
	"sync/atomic"

	"tracex/recorder/internal/registry"
)

// Saved says how much of a recording is in its files. If a recording failed, Dropped counts all
// later trace points, and the calls, loops and iterations that were in memory.
type Saved struct {
	Threads    int64 // that were begun
	Blocks     int64
	DataBytes  int64
	IndexBytes int64
	TimeBytes  int64
	Dropped    int64 // trace points without room, or after the recording failed
	Refused    int64 // threads without memory
	Misuse     Misuse
}

// Misuse counts a program's wrong uses of its recorder. Each is recorded as its field
// describes.
type Misuse struct {
	// Unregistered is how often a number was zero: it was registered before Start, or never. It
	// is shown as "<unregistered>".
	Unregistered int64
	// Foreign is how often a number was that of another Recorder, such as the one before a
	// restart. It is shown as "<unregistered>".
	Foreign int64
	// Arguments is how many calls had more or fewer arguments than their Method was registered
	// with. They are shown as they were given.
	Arguments int64
	// Exits is how often Exit or Panic had no call to end: none was open, or only one that a
	// [Call] ends.
	Exits int64
	// Ends is how often End was called on a [Call] that had ended.
	Ends int64
	// Inside is how many calls were still open when End ended the one around them. They are
	// shown as unfinished.
	Inside int64
	// Results is how often End was given something other than a pointer to a result. It is
	// shown as "<untracked result>".
	Results int64
	// Shared is how many threads were used by more than one goroutine at once. They end where
	// that was detected; see [ErrShared].
	Shared int64
}

// misuse has the counts of Misuse, except those of numbers, which the registry has.
type misuse struct {
	arguments, exits, ends, inside, results, shared atomic.Int64
}

func (m *misuse) saved(numbers *registry.Misused) Misuse {
	return Misuse{
		Unregistered: numbers.Unregistered.Load(),
		Foreign:      numbers.Foreign.Load(),
		Arguments:    m.arguments.Load(),
		Exits:        m.exits.Load(),
		Ends:         m.ends.Load(),
		Inside:       m.inside.Load(),
		Results:      m.results.Load(),
		Shared:       m.shared.Load(),
	}
}

// What threads count.
func exits(m *misuse) *atomic.Int64 { return &m.exits }

func ends(m *misuse) *atomic.Int64 { return &m.ends }

func inside(m *misuse) *atomic.Int64 { return &m.inside }

func results(m *misuse) *atomic.Int64 { return &m.results }
