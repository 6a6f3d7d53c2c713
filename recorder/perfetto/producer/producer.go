package producer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"tracex/recorder/internal/perfetto/messages"
	"tracex/recorder/internal/perfetto/smb"
)

// Options say how a program appears to its service. The zero value is good.
type Options struct {
	// Name is the program's, which sessions can choose it by. Its command if "".
	Name string
	// Address is where the service is, as in [ipc.Dial]. [ipc.ProducerAddress] if
	// "".
	Address string

	// MemorySize and PageSize are what the program wishes for, in bytes; 0 leaves
	// them to the service.
	MemorySize, PageSize int
	// StartUp has the program make the memory itself, at once, so that data sources
	// can write before the service has answered: see [DataSource.StartUp]. It needs
	// Linux.
	StartUp bool
	// AdoptWithin is how long what was written so is kept for a session that wants
	// it; ten seconds if 0.
	AdoptWithin time.Duration
	// NoScraping forbids the service to read what was not committed yet. It would be
	// lost if the program is killed.
	NoScraping bool

	// CommitDelay is how long a commit waits for more to come with it.
	CommitDelay time.Duration
	// StallLimit is how long a writer waits at most, where the policy is to wait, see
	// [smb.Config]. One that has waited so long drops packets, and OnError is told.
	StallLimit time.Duration

	// OnError is told what hinders the recording; the program and its attempts to
	// reach a service go on. It is called by goroutines of the Producer, and must not
	// block, nor close the Producer: Close waits for it. May be nil.
	OnError func(error)
}

// What Options say where they say nothing.
const (
	defaultAdoptWithin = 10 * time.Second
	startUpMemory      = 1 << 20
	startUpPage        = 4 << 10
)

// ErrClosed is returned for what could not be done because the Producer was
// closed.
var ErrClosed = errors.New("producer: closed")

// ErrNoService is returned when no service is connected.
var ErrNoService = errors.New("producer: there is no service")

// Producer is this program as a service sees it. Its methods may be called by any
// goroutine, but for those that say so not in callbacks of data sources.
type Producer struct {
	options Options
	ctx     context.Context // done: closed
	cancel  context.CancelFunc
	settled chan struct{} // closed when the first attempt to connect has ended
	settle  sync.Once
	closing sync.Once

	finished sync.WaitGroup // of connecting, and of telling what hinders

	mu         sync.Mutex
	sources    []*DataSource // those that are registered
	conn       *connection   // nil: not connected
	last       *connection   // that was connected, which may still be ending; nil: none was
	connecting bool          // somebody is about to
	startUp    *startUp      // nil: there is none, or it has ended
	memories   []*memory     // that may have to be unmapped
	closed     bool
	err        error // why the last attempt to connect failed, or the connection ended
	told       bool  // OnError knows that there is no connection
	stalling   bool  // OnError is being told of a writer that waited in vain
}

// Start begins to look for a service, in the background, and goes on until Close:
// when it is lost it is looked for again.
func Start(o Options) (*Producer, error) {
	o.Name = cmp.Or(o.Name, commandName())
	o.AdoptWithin = cmp.Or(o.AdoptWithin, defaultAdoptWithin)
	if o.StartUp {
		o.MemorySize, o.PageSize = cmp.Or(o.MemorySize, startUpMemory), cmp.Or(o.PageSize, startUpPage)
	}
	if o.MemorySize < 0 || o.PageSize < 0 || o.MemorySize > smb.MaxSize {
		return nil, fmt.Errorf("producer: %d bytes of memory in pages of %d cannot be", o.MemorySize, o.PageSize)
	}
	if o.MemorySize != 0 && o.PageSize != 0 {
		if err := smb.Check(o.MemorySize, o.PageSize); err != nil {
			return nil, err
		}
	}
	p := &Producer{options: o, settled: make(chan struct{}), connecting: true}
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

// Settle waits until the first attempt to reach a service has ended. If that went
// well, the service knows all data sources that were registered before, and the
// instances that it wants of them right now have been started. Else the error says
// why it is not there. Not to be called in a callback.
func (p *Producer) Settle(ctx context.Context) error {
	for busy := p.settled; busy != nil; {
		select {
		case <-busy:
		case <-ctx.Done():
			return fmt.Errorf("producer: waiting for the service: %w", ctx.Err())
		}
		p.mu.Lock()
		if p.conn == nil {
			defer p.mu.Unlock()
			return p.err
		}
		busy = p.conn.busy
		p.mu.Unlock()
	}
	return nil
}

// Connected says whether there is a service at the moment.
func (p *Producer) Connected() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conn != nil
}

// Sync waits until the service has done all that it was told before. Errors:
// [ErrNoService], those of the connection. Not to be called in a callback.
//
// A service that is too old for the method is asked for the answer to a commit of
// nothing: it does what it is told in order.
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

// Flush waits until the service has a copy of all that was written through
// instances before; what goes through writers of one's own has to be flushed
// before. Not to be called in a callback.
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

// ActivateTriggers tells the service that something happened which sessions may
// wait for.
func (p *Producer) ActivateTriggers(names ...string) error {
	c, err := p.connected()
	if err != nil {
		return err
	}
	return c.port.Send("ActivateTriggers", &messages.ActivateTriggersRequest{TriggerNames: names})
}

func (p *Producer) connected() (*connection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return nil, ErrClosed
	case p.conn != nil:
		return p.conn, nil
	case p.err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNoService, p.err)
	}
	return nil, ErrNoService
}

// instances are all that are started.
func (p *Producer) instances() (all []*Instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.sources {
		all = append(all, d.Instances()...)
	}
	return all
}

// Close commits what was written and ends the connection; instances are stopped.
// Each of several calls returns when all that is done. Not to be called in a
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
		<-last.client.Done() // its instances are stopped
	}
	p.finished.Wait()
	p.endStartUp("the program closes its producer")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unmap()
	for _, m := range p.memories {
		go p.unmapLater(m)
	}
}

// Register offers a data source, now and to every service to come. Sessions that
// wait for it begin at once.
func (p *Producer) Register(s Source) (*DataSource, error) {
	if s.Name == "" {
		return nil, errors.New("producer: a data source without a name")
	}
	d := &DataSource{p: p, Source: s}
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

// unregister forgets a data source.
func (p *Producer) unregister(d *DataSource) *connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.sources, d)
	if i < 0 {
		return nil
	}
	p.sources = slices.Delete(p.sources, i, i+1)
	return p.conn
}

// stalled tells of a writer that waited in vain. The writer's lock is held, and who
// knows what others of the program: so another goroutine tells.
func (p *Producer) stalled(writer uint16, waited time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.stalling {
		return
	}
	p.stalling = true
	p.finished.Go(func() {
		p.complain("the memory is full: writer %d has waited %v for room and now drops packets", writer, waited)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.stalling = false
	})
}

// complainSoon is complain for who holds mu: another goroutine tells, as OnError may
// want to ask the Producer something.
func (p *Producer) complainSoon(format string, args ...any) {
	if !p.closed {
		p.finished.Go(func() { p.complain(format, args...) })
	}
}

// complain tells the program's owner.
func (p *Producer) complain(format string, args ...any) {
	if p.options.OnError != nil {
		p.options.OnError(fmt.Errorf("producer: "+format, args...))
	}
}
