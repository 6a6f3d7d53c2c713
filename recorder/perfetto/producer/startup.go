package producer

import (
	"errors"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

func (p *Producer) beginStartUp() error {
	mem, err := newSharedMemory(p.options.MemorySize, p.options.PageSize)
	if err != nil {
		return err
	}
	if mem.arbiter, err = smb.New(p.arbiterConfig(mem, nil), nil); err != nil {
		return errors.Join(err, mem.file.Close(), mem.mapping.Close())
	}
	s := &startUp{mem: mem}
	p.memories = append(p.memories, mem)
	p.mu.Lock() // the timer may fire at once, and needs itself
	defer p.mu.Unlock()
	p.startUp = s
	s.timer = time.AfterFunc(p.options.AdoptWithin, func() { p.endStartUp("no session asked for it in time") })
	return nil
}

// StartUp starts an instance before a service has asked for one. It calls SetUp and
// Start in the caller's goroutine. The instance becomes that of the first session
// whose config equals this one (nil means an empty one), except for the fields that
// the service sets itself. If none appears within [Options.AdoptWithin], the packets
// are dropped, and OnError is called. If such a session has already asked, StartUp
// returns its instance, and starts it if the session has not done so yet. It must
// not be called in a callback.
func (d *DataSource) StartUp(config *messages.DataSourceConfig) (*Instance, error) {
	if config == nil {
		config = &messages.DataSourceConfig{}
	}
	config = proto.CloneOf(config)
	config.Name = proto.String(d.Name)
	p := d.p
	p.mu.Lock()
	s := p.startUp
	if s == nil {
		p.mu.Unlock()
		return nil, ErrStartUp
	}
	if at := slices.IndexFunc(s.wanted, func(i *Instance) bool { return i.source == d && alike(i.config, config) }); at >= 0 {
		i := s.wanted[at]
		p.mu.Unlock()
		<-i.ready
		if !i.start() {
			return d.StartUp(config) // the session has ended
		}
		return i, nil
	}
	i := newInstance(d, s.mem.arbiter, config)
	i.target, i.early = s.mem.arbiter.Reserve(), true
	s.waiting = append(s.waiting, i) // before it has begun: a session that asks now must get this one
	p.mu.Unlock()
	i.begin()
	i.start()
	close(i.ready)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.startUp != s && i.conn == nil { // the start-up ended meanwhile
		return nil, ErrStartUp
	}
	return i, nil
}

// offerStartUp returns the memory to offer to a service, or nil if there is none, it
// was offered already, or it cannot be shared.
func (p *Producer) offerStartUp(local bool) *startUp {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.startUp; s != nil && local && !s.offered {
		s.offered = true
		return s
	}
	return nil
}

// adopt returns the instance that a session uses: one from start-up that waited for
// it, else own.
func (p *Producer) adopt(own *Instance) *Instance {
	p.mu.Lock()
	s := p.startUp
	if s == nil || s != own.conn.startUp {
		p.mu.Unlock()
		return own
	}
	for n, i := range s.waiting {
		if i.source == own.source && alike(i.config, own.config) {
			s.waiting = append(s.waiting[:n:n], s.waiting[n+1:]...)
			i.id, i.conn, i.config = own.id, own.conn, own.config
			p.mu.Unlock()
			<-i.ready
			return i
		}
	}
	s.wanted = append(s.wanted, own)
	p.mu.Unlock()
	return own
}

// alike reports whether two configs are equal, except for the fields that a service
// sets itself.
func alike(a, b *messages.DataSourceConfig) bool {
	plain := func(m *messages.DataSourceConfig) *messages.DataSourceConfig {
		m = proto.CloneOf(m)
		m.TargetBuffer, m.TargetBufferName, m.TraceDurationMs, m.TracingSessionId = nil, nil, nil, nil
		m.EnableExtraGuardrails, m.StopTimeoutMs, m.SessionInitiator = nil, nil, nil
		m.BufferExhaustedPolicy, m.PreferSuspendClockForDuration = nil, nil
		return m
	}
	return proto.Equal(plain(a), plain(b))
}

// endStartUp drops the instances that no session wanted. The memory stays in use if
// a service has it.
func (p *Producer) endStartUp(why string) {
	p.mu.Lock()
	s := p.startUp
	p.startUp = nil
	p.mu.Unlock()
	if s == nil {
		return
	}
	s.timer.Stop()
	for _, i := range s.waiting {
		<-i.ready
		i.discard()
		p.complain("packets that %q recorded before the first session are dropped: %s", i.source.Name, why)
	}
	_ = s.mem.file.Close() // the mapping remains
	if !s.offered {
		s.mem.arbiter.Close()
	}
}

// discard ends an instance that no session wanted.
func (i *Instance) discard() {
	i.stop()
	i.target.Bind(0)
}
