package service

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

// Service is a tracing service. Its methods may be called from any goroutine. One
// lock guards what is connected and recorded; that is why all of it is in one type.
type Service struct {
	config    Config
	clock     clock
	host      host
	producers *ipc.Host
	consumers *ipc.Host

	outputs sync.WaitGroup // goroutines that write files

	// mu guards all that follows and all that is reachable from it: producers, sessions,
	// buffers. A goroutine that holds it never waits for a peer or a disk. Take it with
	// lock, and release it with unlock.
	mu        sync.Mutex
	closed    bool
	ended     disconnects
	connected map[uint32]*producer // that have introduced themselves
	notified  []*consumer          // that have events to be sent
	sessions  map[uint64]*session
	buffers   bufferTable
	last      numbers
	lost      lost
}

// host is where the service runs.
type host struct {
	uid     int32  // of the service's process
	machine string // the name of this machine, for sessions that choose producers by it
}

// disconnects counts the connections that have ended and that the service has
// forgotten.
type disconnects struct {
	count   int
	changed *sync.Cond
}

func (d *disconnects) add() {
	d.count++
	d.changed.Broadcast()
}

// numbers are the last numbers given out. None is given twice.
type numbers struct {
	producer                 uint32
	session, instance, flush uint64
}

// lost counts what producers sent and no buffer accepted.
type lost struct {
	patches uint64 // that were not lengths, or for a buffer that does not exist
	chunks  uint64 // for a buffer that does not exist or is not theirs, or beyond the limit
}

// bufferTable holds the buffers of all sessions, by the numbers that producers use
// for them. The service's lock guards it.
type bufferTable struct {
	byID  map[uint32]*target
	bytes int64 // reserved
	most  int64 // that may be reserved
	last  uint32
}

// target is a buffer that producers write into, with its session.
type target struct {
	*tracebuf.Buffer
	session *session
}

// sessionBuffers are the buffers of a session, by position in its config.
type sessionBuffers struct {
	all []*tracebuf.Buffer
	ids []uint32 // of those in the table; none once producers cannot write into them
}

// session is a recording. The service's lock guards it. It owns the parts that have
// their own state (timers, flushes, triggers, the service's packets, the output
// file); its other fields are what the requests of the protocol read and change.
//
//	configured ──start──► started ──disable──► stopping ──all stopped, or──► disabled
//	     │                                                  out of time         ▲
//	     └──────────────────────────────disable──────────────────────────────────┘
//	                                            cloned: of another session, for reading
type session struct {
	s        *Service
	id       uint64
	consumer *consumer // nil if detached
	owner    owner
	config   *messages.TraceConfig
	state    sessionState
	began    time.Time

	buffers   sessionBuffers
	instances []*instance
	timers    timers

	unhandled int // producers whose data, sent before the stop, is not handled yet
	flushes   flushes

	packets  servicePackets
	triggers triggers
	out      *output  // nil if it is read over the socket
	journal  *journal // nil if what it has is lost with this process
}

// owner is the user that a session belongs to. While no consumer reads the session, a
// consumer of that user can attach to it with the key.
type owner struct {
	uid int
	key string // "" if the session is not detached
}

// left reports whether the user left the session with this key.
func (o owner) left(uid int, key string) bool { return key != "" && o == owner{uid, key} }

type sessionState int

const (
	sessionConfigured sessionState = iota
	sessionStarted
	sessionStopping // data sources were asked to stop
	sessionDisabled
	sessionCloned
)

var sessionStates = [...]string{"CONFIGURED", "STARTED", "STOP_WAIT", "DISABLED", "CLONED_READ_ONLY"}

// producer is a connected program. The service's lock guards it.
type producer struct {
	s    *Service
	conn *ipc.Conn
	from *tracebuf.Origin // nil until it has introduced itself
	name string
	sdk  string

	machine string // the name of its machine; "" if unknown
	state   producerState
	scraped bool // the service may read chunks that are not committed

	commands  commands
	memory    producerMemory
	sources   []*messages.DataSourceDescriptor
	instances []*instance
	writers   map[uint16]uint32 // the registered writers, and the buffer of each
	targets   map[uint32]bool   // buffers that it may write into, until they are freed
	rate      rate
}

// producerState tells how much of a producer is left.
type producerState int

const (
	producerConnected producerState = iota
	producerEnded                   // its connection has ended, but its memory still exists
	producerGone
)

func (p *producer) id() uint32 { return p.from.Producer }

// consumer starts sessions and reads them, one at a time. The service's lock guards
// it.
type consumer struct {
	s       *Service
	uid     int
	session *session // nil if none
	gone    bool
	onEnd   func(why string) // of a consumer in this process: called with mu held when its session is over
	journal *journal         // of its session; nil if that has none

	enabled  ipc.Parked // its EnableTracing, until the session ends
	observes ipc.Parked // its ObserveEvents
	types    messages.ObservableEvents_Type
	events   *messages.ObservableEvents // since the lock was taken; nil if none
}

// instance is a data source of a producer as one session uses it.
type instance struct {
	id       uint64
	session  *session
	producer *producer
	source   *messages.DataSourceDescriptor
	config   *messages.DataSourceConfig // as sent to the producer
	state    instanceState
}

type instanceState int

const (
	configured instanceState = iota
	starting                 // asked to start, and it will report when it has
	started
	stopping // asked to stop, and it will report when it has
	stopped
)

// output is the file that a session is written into. Its own goroutine writes it,
// without the lock, so that a slow disk, or a pipe that is not read, delays only
// this session: data that does not fit into its buffers meanwhile is lost, as in any
// ring. The service's lock guards the fields, except those of the goroutine.
type output struct {
	file   *os.File // the goroutine's
	period time.Duration
	most   int64 // bytes; 0 means no limit
	mode   messages.TraceConfig_WriteFlushMode
	sync   bool          // to the disk, each time
	due    chan struct{} // signals that there is work

	// Bytes taken from the buffers so far: the length of the file once they are written.
	taken  int64
	ending bool // the session is over: the next write is the last
	done   bool
	why    string
	answer *ipc.Request // answered at the end

	failure string // why the file ended the session; "" if it did not
}

// maxChanges is how many changes one message has at most, so that it fits into a
// frame.
const maxChanges = 200

func (k *consumer) sendEvents() {
	events := k.events
	k.events = nil
	r := k.observes.Peek()
	if events == nil || r == nil {
		return
	}
	for len(events.InstanceStateChanges) > maxChanges {
		_ = r.Stream(&messages.ObserveEventsResponse{Events: &messages.ObservableEvents{
			InstanceStateChanges: events.InstanceStateChanges[:maxChanges],
		}})
		events.InstanceStateChanges = events.InstanceStateChanges[maxChanges:]
	}
	_ = r.Stream(&messages.ObserveEventsResponse{Events: events})
}

// command sends the producer a command, or keeps it until the producer asks.
func (p *producer) command(c *messages.GetAsyncCommandResponse) {
	p.commands.add(command{message: c})
}

// maxWaiting is how many commands are kept for a producer that has not asked for
// them yet.
const maxWaiting = 1000

// commands are the commands of the service to a producer. They answer the request
// GetAsyncCommand, one after the other; those before it are kept.
type commands struct {
	request ipc.Parked
	waiting []command // for the request
}

type command struct {
	message *messages.GetAsyncCommandResponse
	file    *os.File // sent with it; nil if none. It stays open while the producer is connected.
}

// park takes the producer's request, and sends what waited for it.
func (k *commands) park(r *ipc.Request) {
	k.request.Park(r)
	for _, c := range k.waiting {
		c.send(r)
	}
	k.waiting = nil
}

// add sends a command, or keeps it until the producer asks.
func (k *commands) add(c command) {
	if r := k.request.Peek(); r != nil {
		c.send(r)
	} else if len(k.waiting) < maxWaiting {
		k.waiting = append(k.waiting, c)
	}
}

// send sends a command. If that fails the connection ends.
func (c command) send(r *ipc.Request) {
	if c.file != nil {
		_ = r.StreamFile(c.message, c.file)
		return
	}
	_ = r.Stream(c.message)
}

// flushes are the pending flushes of a session, and counts of the finished ones. The
// service's lock guards them.
type flushes struct {
	pending   map[uint64]*flush
	requested uint64
	succeeded uint64
	failed    uint64
	last      messages.TraceStats_FinalFlushOutcome // of the flush that ends the session
}

type flush struct {
	waiting   map[*producer]bool // that have not answered
	unhandled int                // producers with requests sent before the flush that are not handled yet
	done      func(ok bool)      // called once, with the lock held
}

// notify adds an event for the consumer, if it observes that kind. The event is sent
// when the lock is released.
func (k *consumer) notify(kind messages.ObservableEvents_Type, add func(*messages.ObservableEvents)) {
	if k == nil || k.types&kind == 0 {
		return
	}
	if k.events == nil {
		k.events = new(messages.ObservableEvents)
		k.s.notified = append(k.s.notified, k)
	}
	add(k.events)
}

// allStarted notes that all data sources have started.
func (k *consumer) allStarted() {
	k.notify(messages.ObservableEvents_TYPE_ALL_DATA_SOURCES_STARTED, func(e *messages.ObservableEvents) {
		e.AllDataSourcesStarted = proto.Bool(true)
	})
}

// observe tells the consumer the state of an instance. Transitional states are not
// reported.
func (n *session) observe(i *instance) {
	state := messages.ObservableEvents_DATA_SOURCE_INSTANCE_STATE_STOPPED
	switch i.state {
	case starting, stopping:
		return
	case started:
		state = messages.ObservableEvents_DATA_SOURCE_INSTANCE_STATE_STARTED
	}
	n.consumer.notify(messages.ObservableEvents_TYPE_DATA_SOURCES_INSTANCES, func(e *messages.ObservableEvents) {
		e.InstanceStateChanges = append(e.InstanceStateChanges, &messages.ObservableEvents_DataSourceInstanceStateChange{
			ProducerName: proto.String(i.producer.name), DataSourceName: proto.String(i.source.GetName()), State: state.Enum(),
		})
	})
}

// inOrder returns the sessions, oldest first.
func (s *Service) inOrder() []*session {
	return slices.SortedFunc(maps.Values(s.sessions), func(a, b *session) int { return cmp.Compare(a.id, b.id) })
}

// producersInOrder returns the producers, oldest first.
func (s *Service) producersInOrder() []*producer {
	return slices.SortedFunc(maps.Values(s.connected), func(a, b *producer) int { return cmp.Compare(a.id(), b.id()) })
}

func (s *Service) lock() { s.mu.Lock() }

// unlock releases the lock, and sends consumers, in one message each, what happened
// while it was held.
func (s *Service) unlock() {
	for _, k := range s.notified {
		k.sendEvents()
	}
	s.notified = s.notified[:0]
	s.mu.Unlock()
}

// locked wraps a callback for a timer, so that it holds the lock.
func (s *Service) locked(f func()) func() {
	return func() {
		s.lock()
		defer s.unlock()
		if !s.closed {
			f()
		}
	}
}

// noteEnd reports to the service's owner a connection that the service cut off.
func (s *Service) noteEnd(who string, p ipc.Peer, err error) {
	if errors.Is(err, ipc.ErrSendTimeout) || errors.Is(err, ipc.ErrTooLarge) {
		s.complain("%s (process %d) was cut off: %w", who, p.PID, err)
	}
}

// complain reports an error to the service's owner.
func (s *Service) complain(format string, args ...any) {
	if s.config.OnError != nil {
		s.config.OnError(fmt.Errorf("tracing service: "+format, args...))
	}
}
