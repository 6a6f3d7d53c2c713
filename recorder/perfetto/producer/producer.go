package producer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tracex/recorder/internal/perfetto/ipc"
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

// connection is a connection to a service, from its introduction to its end. Unless
// documented otherwise, only the client's reading goroutine calls its methods, so
// that commands of the service are carried out in order.
type connection struct {
	p        *Producer
	client   *ipc.Client
	port     *ipc.Binding
	offered  chan error // receives once: nil if the data sources are registered, or why not
	reported bool
	// The Producer's lock guards these.
	pending int           // replies to wait for until all sources are registered
	busy    chan struct{} // closed then; nil once they are

	emulated  bool     // no memory is shared
	startUp   *startUp // whose memory the service uses; nil if none
	mem       *memory  // nil if there is none yet
	arbiter   *smb.Arbiter
	instances map[uint64]*Instance
}

// Messages of Perfetto's protocol: the descriptor of a data source, and a session's
// config for it.
type (
	SourceDescriptor = messages.DataSourceDescriptor
	SourceConfig     = messages.DataSourceConfig
	TrackEventConfig = messages.TrackEventConfig
)

// Writer writes the packets of one sequence into shared memory. It must be used by
// one goroutine at a time. Its methods Packet, Begin, Append and End write packets,
// Next tells what the next packet has to be, and Flush passes the written packets
// on.
type Writer = smb.Writer

// Next says what the next packet of a Writer has to be.
type Next = smb.Next

const (
	Plain = smb.Plain // the packet can rely on the ones before it
	Reset = smb.Reset // its readers may not know earlier ones: it must reset the incremental state
	Skip  = smb.Skip  // there is no room; the packet counts as dropped already
)

// Policy is what a Writer does when the memory is full.
type Policy = smb.Policy

const (
	Drop  = smb.Drop  // packets are dropped until there is room
	Stall = smb.Stall // the Writer waits, up to Options.StallLimit, then drops
)

// DataSourceSpec describes a data source, for [Producer.Register].
//
// The callbacks run in the goroutine that reads from the service, one at a time over
// all sources. They must return soon, and must not wait for the service. All may be
// nil.
type DataSourceSpec struct {
	Name string
	// Descriptor is further information for sessions, for example the categories. The
	// Producer fills in name and id.
	Descriptor *messages.DataSourceDescriptor

	// SetUp is called for each new instance, before it starts: when a session is made
	// that names the source.
	SetUp func(*Instance)
	// Start is called when the session wants packets from now on.
	Start func(*Instance)
	// Stop is called when it no longer does: the session ends, the connection is lost,
	// or the Producer was closed. Packets written before Stop returns are still in the
	// trace of a session that ends.
	Stop func(*Instance)
	// Flush is called to have written packets passed to the service. Packets written
	// through the instance are passed on after the callback.
	Flush func(*Instance, FlushReason)
	// Clear is called when readers will no longer know the contents of earlier packets,
	// so that state has to be written again.
	Clear func(*Instance)

	// Policy is what writers do when the memory is full, unless the session's config
	// sets it.
	Policy Policy
	// Writers is the maximum number of writers for [Instance.Use] and [Instance.Write].
	// If 0 it depends on the size of the memory.
	Writers int
	// NoFlush means that flushes need not call the source: its packets can be scraped at
	// any time.
	NoFlush bool
}

// FlushReason is the reason for a flush: reason | initiator << 4 | target of a clone
// << 8, with Perfetto's numbers; 0 if an old service does not send it.
type FlushReason uint64

// DataSource is a registered source. Its methods may be called from any goroutine.
type DataSource struct {
	DataSourceSpec
	p       *Producer
	id      uint64
	started atomic.Pointer[[]*Instance] // replaced at each change, under the Producer's lock
}

// Instance is a data source as one session uses it. Its methods may be called from
// any goroutine; once it is stopped, writing does nothing.
type Instance struct {
	// Value belongs to the source's owner, who must set it in SetUp or Start.
	Value any

	source   *DataSource
	conn     *connection // nil if the service has not asked for it yet
	id       uint64
	config   *messages.DataSourceConfig
	arbiter  *smb.Arbiter
	target   *smb.Target
	policy   smb.Policy
	pool     pool
	flushOwn func()        // flushes writers outside of the pool; nil if there are none
	early    bool          // it began before the service asked for it
	running  bool          // the service has asked for it
	ready    chan struct{} // closed when it has begun, or, if early, when it has been started

	life life
}

// life tells whether an instance was started, and whether it was stopped since. Its
// lock is held during Start and Stop.
type life struct {
	sync.Mutex
	started, stopped bool
}

// startUp is the time before a service has asked for anything. Packets written then
// wait in memory made by the program, which is offered to the first service that
// connects. If a session wants a source with the same config, the instance becomes
// that session's; instances that no session wants are dropped.
type startUp struct {
	mem     *memory
	timer   *time.Timer
	offered bool // to a service; from then on its connection closes the arbiter
	waiting []*Instance
	wanted  []*Instance // given to sessions, as no instance was waiting for them
}

// ErrStartUp is returned if [Options.StartUp] was not set, or the start-up is over.
var ErrStartUp = errors.New("producer: the start-up is over, or was not asked for")

// attempts are a Producer's attempts to connect. The Producer's lock guards them.
type attempts struct {
	settled  chan struct{} // closed when the first has ended; the lock does not guard it
	ended    bool          // settled is closed
	running  bool          // a goroutine is trying to connect
	reported bool          // OnError has been told that there is no connection
	err      error         // why the last one failed, or the connection ended
}

// newAttempts returns attempts; the first is running.
func newAttempts() attempts { return attempts{settled: make(chan struct{}), running: true} }

// end records the result of an attempt. It reports whether OnError has to be told of
// it: only of the first failure since the last connection.
func (a *attempts) end(err error) (tell bool) {
	if err != nil {
		tell = !a.reported
		a.err, a.reported = err, true
	}
	if !a.ended {
		a.ended = true
		close(a.settled)
	}
	return tell
}

func (a *attempts) connected() { a.reported = false }

func (a *attempts) lost(why error) { a.err = why }

// begin reports whether the caller has to start the goroutine that tries to connect:
// only if none is running.
func (a *attempts) begin() bool {
	begins := !a.running
	a.running = true
	return begins
}
