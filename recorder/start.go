package recorder

import (
	"fmt"
	"os"
	"sync"

	"tracex/recorder/internal/sink"
)

// Start begins to record. It fails if a file exists already or cannot be made, or if the
// environment names a service that does not answer and there is no Path to record to instead:
// see [Automatic].
func Start(c Config) (*Recorder, error) {
	if c.Strategy != Automatic || os.Getenv(sink.ServiceVariable) == "" {
		return launch(c)
	}
	// If the recording goes to the service, OnError is told of the service's problems;
	// otherwise it is told once that the recording does not go there.
	told := listener{to: c.OnError}
	offered := c
	offered.Strategy, offered.needsService, offered.OnError = SharedMemory, true, told.hear
	r, err := launch(offered)
	if err == nil {
		told.open()
		return r, nil
	}
	if c.Path == "" {
		return nil, fmt.Errorf("%w (%s names it, and the config names no path to record to instead)", err, sink.ServiceVariable)
	}
	c.Strategy = Streaming
	r, failed := launch(c)
	if failed != nil {
		return nil, failed
	}
	if c.OnError != nil {
		// Its owner may wait for what Start returns.
		go c.OnError(fmt.Errorf("recording to %s instead: %w", r.File(), err))
	}
	return r, nil
}

// listener keeps the last error until it is opened.
type listener struct {
	to func(error) // may be nil

	mu     sync.Mutex
	opened bool
	kept   error
}

func (l *listener) hear(err error) {
	l.mu.Lock()
	if !l.opened {
		l.kept = err
	}
	opened := l.opened
	l.mu.Unlock()
	if opened && l.to != nil {
		l.to(err)
	}
}

// open passes on the kept error, and all later ones.
func (l *listener) open() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened = true
	if l.kept != nil && l.to != nil {
		go l.to(l.kept) // its owner may wait for what Start returns
	}
}

// File returns the path of the data file, with %p and %t in [Config.Path] replaced; "" if the
// recording goes to a service, or nowhere.
func (r *Recorder) File() string {
	if r == nil || r.config.Strategy == SharedMemory {
		return ""
	}
	return r.config.Path
}
