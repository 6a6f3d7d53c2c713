package recorder

import (
	"errors"
	"sync"
	"sync/atomic"

	"tracex/recorder/internal/claim"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/live"
)

// Errors that a caller may want to tell apart from those of the files.
var (
	// ErrEvents: all 2,147,483,647 event ids are used up. The trace is readable. It has nothing
	// that began later, but says how much is missing.
	ErrEvents = errors.New("out of event ids (limit 2,147,483,647)")
	// ErrShared: a Thread's recording makes no sense, as when two goroutines use it at once.
	// What it recorded before is kept as far as it makes sense, and nothing more is recorded.
	// Other threads continue.
	ErrShared = errors.New("a thread of the trace was used by several goroutines at once")
	// ErrInUse: another recording goes to the files that [Config.Path] names, in this or another
	// process. They are not changed.
	ErrInUse = claim.ErrInUse
	// ErrRemoved: the data file was removed or replaced while it was recorded into. The recording
	// ends, as nothing more of it could be read. If the file was moved, the recording continues.
	ErrRemoved = files.ErrRemoved
	// ErrMemory: the recording reached its MaxMemory. A collect-and-dump recording ends there;
	// a streaming one continues without the goroutine or the name that had no room.
	ErrMemory = errors.New("the recording reached its memory limit")
	// ErrNotImported: recording through shared memory was requested, but the program does not
	// import the package that does it.
	ErrNotImported = errors.New(`recording through shared memory needs import _ "tracex/recorder/shared" in the program`)

	// ErrRecording: the recording that [Finish] is to finish is still running.
	ErrRecording = live.ErrInUse
	// ErrFinishing: another process finishes the recording.
	ErrFinishing = live.ErrFinishing
	// ErrUnfinished: a recording was left as it was when its program ended, and [Finish] would
	// finish it. See [CheckEnded].
	ErrUnfinished = live.ErrUnfinished
)

// problems are what a recording reports to its program: the first error that limits it, and the
// first that does not.
type problems struct {
	to func(error) // Config.OnError; nil to tell nothing

	mu       sync.Mutex
	err      error
	warning  error
	untold   atomic.Bool // the program was not told err yet
	unwarned atomic.Bool // nor the warning
}

// fail keeps the first error that ends or limits the recording; the next tell reports it.
func (p *problems) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
		p.untold.Store(true)
	}
}

// warn keeps the first error that does not limit the recording.
func (p *problems) warn(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.warning == nil {
		p.warning = err
		p.unwarned.Store(true)
	}
}

// tell calls OnError if there is news. No lock may be held: it is the program's code, and may
// call the recorder.
func (p *problems) tell() {
	if p.untold.Load() && p.untold.Swap(false) && p.to != nil {
		p.to(p.first())
	}
	if p.unwarned.Load() && p.unwarned.Swap(false) && p.to != nil {
		p.mu.Lock()
		warning := p.warning
		p.mu.Unlock()
		p.to(warning)
	}
}

// first returns the first error of the recording; nil if there was none.
func (p *problems) first() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}
