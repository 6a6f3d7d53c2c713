package producer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

// Start returns a Producer that connects to a service in the background, and
// reconnects when the connection is lost, until Close.
func Start(o Options) (*Producer, error) {
	o.Name = cmp.Or(o.Name, commandName())
	o.AdoptWithin = cmp.Or(o.AdoptWithin, defaultAdoptWithin)
	if o.StartUp {
		o.MemorySize, o.PageSize = cmp.Or(o.MemorySize, startUpMemory), cmp.Or(o.PageSize, startUpPage)
	}
	if o.MemorySize < 0 || o.PageSize < 0 || o.MemorySize > smb.MaxSize {
		return nil, fmt.Errorf("producer: invalid memory: %d bytes in pages of %d", o.MemorySize, o.PageSize)
	}
	if o.MemorySize != 0 && o.PageSize != 0 {
		if err := smb.Check(o.MemorySize, o.PageSize); err != nil {
			return nil, err
		}
	}
	p := &Producer{options: o, attempts: newAttempts()}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	if o.StartUp {
		if err := p.beginStartUp(); err != nil {
			return nil, err
		}
	}
	p.finished.Go(p.connect)
	return p, nil
}

func commandName() string {
	if len(os.Args) > 0 && os.Args[0] != "" {
		return os.Args[0]
	}
	return "go"
}

// Settle waits until the first attempt to reach a service has ended. If that
// succeeded, the service knows all data sources registered before, and the instances
// that it wants of them at that moment are started. Otherwise Settle returns the
// reason. It must not be called in a callback.
func (p *Producer) Settle(ctx context.Context) error {
	for busy := p.attempts.settled; busy != nil; {
		select {
		case <-busy:
		case <-ctx.Done():
			return fmt.Errorf("producer: waiting for the service: %w", ctx.Err())
		}
		p.mu.Lock()
		if p.conn == nil {
			defer p.mu.Unlock()
			return p.attempts.err
		}
		busy = p.conn.busy
		p.mu.Unlock()
	}
	return nil
}

// Connected reports whether a service is connected.
func (p *Producer) Connected() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conn != nil
}

// Sync waits until the service has handled all earlier requests. It returns
// [ErrNoService], or an error of the connection. It must not be called in a
// callback.
//
// A service too old for the method gets an empty commit instead, whose answer means
// the same: it handles requests in order.
func (p *Producer) Sync(ctx context.Context) error {
	c, err := p.connected()
	if err != nil {
		return err
	}
	if !c.port.Has("Sync") {
		return c.port.Invoke(ctx, "CommitData", &messages.CommitDataRequest{}, nil)
	}
	return c.port.Invoke(ctx, "Sync", &messages.SyncRequest{}, nil)
}

// Flush waits until the service has a copy of all packets written through instances
// before. Writers made with [Instance.NewWriter] have to be flushed first. It must
// not be called in a callback.
func (p *Producer) Flush(ctx context.Context) error {
	c, err := p.connected()
	if err != nil {
		return err
	}
	for _, i := range p.instances() {
		i.flush()
	}
	c.commitAll()
	return p.Sync(ctx)
}

// ActivateTriggers sends the service triggers that sessions may wait for.
func (p *Producer) ActivateTriggers(names ...string) error {
	c, err := p.connected()
	if err != nil {
		return err
	}
	return c.port.Send("ActivateTriggers", &messages.ActivateTriggersRequest{TriggerNames: names})
}

// Close stops the instances, commits what was written and ends the connection. All
// concurrent calls return only when that is done. It must not be called in a
// callback.
func (p *Producer) Close() { p.closing.Do(p.close) }

func (p *Producer) close() {
	p.mu.Lock()
	p.closed = true
	p.cancel()
	c, last := p.conn, p.last
	p.mu.Unlock()
	if c != nil {
		for _, i := range p.instances() {
			i.flush()
		}
		c.commitAll()
		c.client.Close()
	}
	if last != nil {
		<-last.client.Done() // its instances have stopped
	}
	p.finished.Wait()
	p.endStartUp("the program closed its producer")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unmap()
	for _, m := range p.memories {
		go p.unmapLater(m)
	}
}

// Register offers a data source to the current service and all later ones. Sessions
// that already wait for it begin at once.
func (p *Producer) Register(s DataSourceSpec) (*DataSource, error) {
	if s.Name == "" {
		return nil, errors.New("producer: the data source has no name")
	}
	d := &DataSource{p: p, DataSourceSpec: s}
	for d.id == 0 {
		d.id = rand.Uint64()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	p.sources = append(p.sources, d)
	if p.conn != nil {
		p.conn.register(d)
	}
	return d, nil
}

func (p *Producer) instances() (all []*Instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.sources {
		all = append(all, d.Instances()...)
	}
	return all
}

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
