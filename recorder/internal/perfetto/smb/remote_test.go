package smb

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// remote is a service in its own goroutine: calls reach it some time later.
type remote struct {
	*service
	wake   sync.Cond
	inbox  []func()
	closed bool
	ended  chan struct{}
}

func newRemote(t *testing.T, r *Reader, rng *rand.Rand) *remote {
	s := &remote{service: newService(t, r), ended: make(chan struct{})}
	s.wake.L = new(sync.Mutex)
	go s.run(rng)
	return s
}

func (s *remote) post(f func()) {
	s.wake.L.Lock()
	s.inbox = append(s.inbox, f)
	s.wake.L.Unlock()
	s.wake.Signal()
}

func (s *remote) Commit(c *Commit) {
	c = cloned(c)
	s.post(func() { s.service.Commit(c) })
}

func (s *remote) RegisterWriter(w uint16, buffer uint32) {
	s.post(func() { s.service.RegisterWriter(w, buffer) })
}

func (s *remote) UnregisterWriter(w uint16) {
	s.post(func() { s.service.UnregisterWriter(w) })
}

func (s *remote) run(rng *rand.Rand) {
	defer close(s.ended)
	for {
		s.wake.L.Lock()
		for len(s.inbox) == 0 && !s.closed {
			s.wake.Wait()
		}
		inbox := s.inbox
		s.inbox = nil
		s.wake.L.Unlock()
		if inbox == nil {
			return
		}
		for _, f := range inbox {
			for range rng.IntN(20) {
				runtime.Gosched()
			}
			f()
		}
	}
}

// stop returns when all calls are done.
func (s *remote) stop() {
	s.wake.L.Lock()
	s.closed = true
	s.wake.L.Unlock()
	s.wake.Signal()
	<-s.ended
}
