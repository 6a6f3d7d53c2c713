package recorder

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"tracex/format"
	"tracex/recorder/internal/sink"
	"tracex/recorder/internal/values"
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

// abandon ends a recorder that found no service, and that the program never sees. When it
// returns, no session is offered anything.
func (r *Recorder) abandon(s sink.Sink) {
	r.state.Store(stopped)
	r.worker.end()
	s.Abandon()
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

// File returns the path of the data file, with %p and %t in [Config.Path] replaced; "" if the
// recording goes to a service, or nowhere.
func (r *Recorder) File() string {
	if r == nil || r.config.Strategy == SharedMemory {
		return ""
	}
	return r.config.Path
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
