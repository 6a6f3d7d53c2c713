package smb

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
	a.sender.mu.Lock()
	defer a.sender.mu.Unlock()
	a.mu.Lock()
	if t.bound {
		a.mu.Unlock()
		return
	}
	t.bound, t.buffer = true, buffer
	a.backlog.bound(t)
	ep := a.ep
	writers := a.toRegister()
	a.mu.Unlock()
	for _, id := range writers {
		ep.RegisterWriter(id, buffer)
	}
	a.bell.hurry()
}

// Connect gives the endpoint to an Arbiter that was made before there was a service.
// It must be called at most once.
func (a *Arbiter) Connect(ep Endpoint) {
	a.sender.mu.Lock()
	defer a.sender.mu.Unlock()
	a.mu.Lock()
	if a.closed || a.ep != nil {
		a.mu.Unlock()
		return
	}
	a.ep = ep
	writers := a.toRegister()
	buffers := make([]uint32, len(writers))
	for i, id := range writers {
		buffers[i] = a.writers.targets[id].buffer
	}
	a.refs++
	waiting := len(a.backlog.queue) > 0 || a.backlog.flushID != 0
	a.mu.Unlock()
	for i, id := range writers {
		ep.RegisterWriter(id, buffers[i])
	}
	go a.commits()
	if waiting {
		a.bell.hurry()
	}
}

// toRegister returns the writers that the service has not been told of and now can
// be. Called with a.mu held.
func (a *Arbiter) toRegister() []uint16 {
	if a.ep == nil {
		return nil
	}
	return a.writers.takeBound()
}
