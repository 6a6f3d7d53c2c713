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

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

// Options configure a Producer. The zero value is valid.
type Options struct {
	// Name is the program's name, by which sessions can choose it. Its command if "".
	Name string
	// Address is the address of the service: see the package comment. If "", that which
	// the environment variable PERFETTO_PRODUCER_SOCK_NAME holds, else Perfetto's own.
	Address string

	// MemorySize and PageSize are the sizes that the program asks for, in bytes; 0
	// leaves them to the service.
	MemorySize, PageSize int
	// StartUp makes the program create the memory itself, at once, so that data sources
	// can write before the service has answered: see [DataSource.StartUp]. It needs
	// Linux.
	StartUp bool
	// AdoptWithin is how long packets from start-up are kept for a session that wants
	// them; ten seconds if 0.
	AdoptWithin time.Duration
	// NoScraping forbids the service to read uncommitted packets. They are then lost if
	// the program is killed.
	NoScraping bool

	// CommitDelay is how long a commit waits for more chunks.
	CommitDelay time.Duration
	// StallLimit is how long a writer whose policy is to wait does so at most; ten
	// seconds if 0. After that the writer drops packets, and OnError is called.
	StallLimit time.Duration

	// OnError, if not nil, receives errors that disturb the recording; the program and
	// its attempts to connect continue. Goroutines of the Producer call it, so it must
	// not block or close the Producer: Close waits for it.
	OnError func(error)
}

// Defaults of Options.
const (
	defaultAdoptWithin = 10 * time.Second
	startUpMemory      = 1 << 20
	startUpPage        = 4 << 10
)

// ErrClosed is returned after the Producer was closed.
var ErrClosed = errors.New("producer: closed")

// ErrNoService is returned when no service is connected.
var ErrNoService = errors.New("producer: no service is connected")

// Producer is the program's connection to a service. Its methods may be called from
// any goroutine; some, as documented, must not be called in callbacks of data
// sources.
type Producer struct {
	options  Options
	ctx      context.Context // done when closed
	cancel   context.CancelFunc
	closing  sync.Once
	finished sync.WaitGroup // goroutines that connect or report errors

	mu       sync.Mutex
	sources  []*DataSource // registered
	attempts attempts
	conn     *connection // nil if not connected
	last     *connection // the last connection, which may still be ending; nil if none
	startUp  *startUp    // nil if there is none, or it has ended
	memories []*memory   // not unmapped yet
	closed   bool
	stalling bool // OnError is being told of a writer that timed out
}

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

func (p *Producer) connected() (*connection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return nil, ErrClosed
	case p.conn != nil:
		return p.conn, nil
	case p.attempts.err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNoService, p.attempts.err)
	}
	return nil, ErrNoService
}

func (p *Producer) instances() (all []*Instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.sources {
		all = append(all, d.Instances()...)
	}
	return all
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

// stalled reports a writer that timed out. The caller holds the writer's lock, and
// may hold locks of the program, so another goroutine calls OnError.
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

// complainSoon is complain for callers that hold mu: another goroutine calls
// OnError, which may call methods of the Producer.
func (p *Producer) complainSoon(format string, args ...any) {
	if !p.closed {
		p.finished.Go(func() { p.complain(format, args...) })
	}
}

// complain reports an error to the program's owner.
func (p *Producer) complain(format string, args ...any) {
	if p.options.OnError != nil {
		p.options.OnError(fmt.Errorf("producer: "+format, args...))
	}
}
