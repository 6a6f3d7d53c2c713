package shared

import (
	"os"
	"sync"
	"sync/atomic"

	"tracex/recorder/internal/live"
)

// UnsentSuffix is appended to the name of a live file to make that of its unsent parts: call packets, which [Finish]
// reads with it.
const UnsentSuffix = ".unsent"

// unsentBytes is how much is kept of a program that goes on after its service has gone. More is
// counted in the live file.
const unsentBytes = 64 << 20

// unsent keeps the parts that are put after the service has gone, as packets in a file beside the
// live file. A service that was killed left the parts before them in the memory that was shared.
type unsent struct {
	gone atomic.Bool // the service ended without stopping its sessions

	mu    sync.Mutex // guards the fields from here on
	f     *os.File
	size  int64
	full  bool // nothing more is kept
	frame []byte
}

// isGone reports whether the service has gone, and what it does not get can be kept.
func (s *callSink) isGone() bool {
	if s.live != nil && !s.producer.Connected() && !s.stopped.Load() {
		s.unsent.gone.Store(true)
	}
	return s.unsent.gone.Load()
}

// keep writes a packet, and reports whether it is kept.
func (u *unsent) keep(l *live.File, at uint64, head, objects []byte) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.frame = appendFrame(u.frame[:0], at, uint64(os.Getpid()), head, objects)
	if u.full = u.full || u.size+int64(len(u.frame)) > unsentBytes; u.full {
		return false
	}
	var err error
	if u.f == nil {
		u.f, err = os.OpenFile(l.Path()+UnsentSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err == nil {
		_, err = u.f.Write(u.frame)
	}
	u.full = err != nil
	u.size += int64(len(u.frame))
	return err == nil
}

// end closes the file.
func (u *unsent) end() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.full = true
	if u.f != nil {
		_ = u.f.Close() // what Write took is in it
	}
}
