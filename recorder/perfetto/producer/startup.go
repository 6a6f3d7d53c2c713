package producer

import (
	"errors"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/messages"
	"tracex/recorder/internal/perfetto/smb"
)

// startUp is the time before a service has asked for anything. What is written
// then waits in memory of the program's own, which is offered to the first
// service that comes. If a session begins that wants a source as it was started,
// the instance becomes that session's; what nobody wants is given up.
type startUp struct {
	mem     *memory
	timer   *time.Timer
	offered bool // to a service, once; its connection closes the arbiter then
	waiting []*Instance
	wanted  []*Instance // that sessions got, since nothing waited for them
}

// ErrStartUp is returned where there is no start-up: [Options.StartUp] was not
// set, or it is over.
var ErrStartUp = errors.New("producer: not in its start-up")

func (p *Producer) beginStartUp() error {
	mem, err := newSharedMemory(p.options.MemorySize, p.options.PageSize)
	if err != nil {
		return err
	}
	if mem.arbiter, err = smb.New(p.arbiterConfig(mem, nil), nil); err != nil {
		return errors.Join(err, mem.file.Close(), mem.mapping.Close())
	}
	s := &startUp{mem: mem}
	p.startUp = s
	p.memories = append(p.memories, mem)
	s.timer = time.AfterFunc(p.options.AdoptWithin, func() { p.endStartUp("no session wanted it in time") })
	return nil
}

// StartUp starts an instance before a service has asked for one. SetUp and Start
// are called by the caller. The instance becomes that of the first session whose
// config is like this one, but for what the service sets itself (nil is an empty
// one); if none comes
// within [Options.AdoptWithin], what was written is dropped, and OnError is told.
// Where such a session has asked already, its instance is returned, and is started if
// the session has not come to that. Not to be called in a callback.
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
			return d.StartUp(config) // that session has ended
		}
		return i, nil
	}
	i := newInstance(d, s.mem.arbiter, config)
	i.target, i.early = s.mem.arbiter.Reserve(), true
	s.waiting = append(s.waiting, i) // before it has begun: a session that asks now must not get another
	p.mu.Unlock()
	i.begin()
	i.start()
	close(i.ready)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.startUp != s && i.conn == nil { // it ended meanwhile
		return nil, ErrStartUp
	}
	return i, nil
}

// offerStartUp returns the memory to be offered to a service; nil if there is
// none, or it was offered to another one, or cannot be shared.
func (p *Producer) offerStartUp(local bool) *startUp {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.startUp; s != nil && local && !s.offered {
		s.offered = true
		return s
	}
	return nil
}

// adopt returns the instance that a session is to go on with: one that has waited for
// it, else its own.
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

// alike reports whether two configs ask for the same, but for what a service sets
// for itself.
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

// endStartUp gives up what no session wanted. The memory goes on where a service
// has it.
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
		p.complain("what %q recorded before there was a session is dropped: %s", i.source.Name, why)
	}
	_ = s.mem.file.Close() // a mapping stays
	if !s.offered {
		s.mem.arbiter.Close()
	}
}

// discard ends an instance that no session wanted.
func (i *Instance) discard() {
	i.stop()
	i.target.Bind(0)
}
