package recorder

import (
	"errors"

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
