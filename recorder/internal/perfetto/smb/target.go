package smb

import "slices"

// Target is a buffer of the service that writers write for. A program that records
// before a service has told it the buffer uses a target that is bound later; until
// then its packets wait in the memory.
type Target struct {
	a      *Arbiter
	bound  bool // a.mu guards it, and the fields below
	buffer uint32
}

// Target returns a target for a buffer that the service has named.
func (a *Arbiter) Target(buffer uint32) *Target {
	return &Target{a: a, bound: true, buffer: buffer}
}

// Reserve returns a target whose buffer is not known yet.
func (a *Arbiter) Reserve() *Target { return &Target{a: a} }

// Bind sets the buffer of the target; 0 means that there will be none, and the
// service drops what was written for it. A target is bound once.
func (t *Target) Bind(buffer uint32) {
	a := t.a
	a.sending.Lock()
	defer a.sending.Unlock()
	a.mu.Lock()
	if t.bound {
		a.mu.Unlock()
		return
	}
	t.bound, t.buffer = true, buffer
	for i := range a.queue {
		if a.queue[i].target == t {
			a.bytes += len(a.queue[i].mem)
		}
	}
	ep := a.ep
	writers := a.toRegister()
	a.mu.Unlock()
	for _, id := range writers {
		ep.RegisterWriter(id, buffer)
	}
	a.hurry()
}

// Connect gives the endpoint to an Arbiter that was made before there was a service.
// It must be called at most once.
func (a *Arbiter) Connect(ep Endpoint) {
	a.sending.Lock()
	defer a.sending.Unlock()
	a.mu.Lock()
	if a.closed || a.ep != nil {
		a.mu.Unlock()
		return
	}
	a.ep = ep
	writers := a.toRegister()
	buffers := make([]uint32, len(writers))
	for i, id := range writers {
		buffers[i] = a.writers[id].buffer
	}
	a.refs++
	waiting := len(a.queue) > 0 || a.flushID != 0
	a.mu.Unlock()
	for i, id := range writers {
		ep.RegisterWriter(id, buffers[i])
	}
	go a.commits()
	if waiting {
		a.hurry()
	}
}

// toRegister returns the writers that the service has not been told of and now can
// be. Called with a.mu held.
func (a *Arbiter) toRegister() (writers []uint16) {
	if a.ep == nil {
		return nil
	}
	for id := range a.unregistered {
		if t := a.writers[id]; t.bound {
			delete(a.unregistered, id)
			if t.buffer != 0 {
				writers = append(writers, id)
			}
		}
	}
	slices.Sort(writers)
	return writers
}
