package consumer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// AddressVariable is the environment variable that holds the address of the socket
// for consumers.
const AddressVariable = ipc.ConsumerVariable

// Errors of the connection and of single requests.
var (
	// ErrClosed is returned after Close.
	ErrClosed = ipc.ErrClosed
	// ErrDisconnected is returned when the service has ended the connection: it is gone,
	// does not allow this user to record, or has waited too long for a reader.
	ErrDisconnected = ipc.ErrDisconnected
	// ErrNoService is returned if the address is that of something else, such as the
	// socket for programs.
	ErrNoService = ipc.ErrNoService
	// ErrNoMethod is returned for a request that the service, being older, does not know.
	ErrNoMethod = ipc.ErrNoMethod
	// ErrRejected is returned for a request that the service did not carry out. The
	// protocol does not say why.
	ErrRejected = ipc.ErrRejected
	// ErrNoFiles is returned for a file over TCP.
	ErrNoFiles = ipc.ErrNoFiles
)

// Address returns where consumers on this machine look for a service: the value of
// AddressVariable, else Perfetto's usual path.
func Address() string { return ipc.ConsumerAddress() }

// Consumer is a connection to a tracing service. Its methods may be called from any
// goroutine, but not from functions that its methods call.
type Consumer struct {
	client *ipc.Client
	port   *ipc.Binding

	streaming chan struct{} // holds a token while a stream of replies arrives

	mu      sync.Mutex
	session *Session // that the connection has; nil if none
}

// Connect connects to a service. See the package comment for addresses; "" means
// [Address]. The context is only for connecting.
func Connect(ctx context.Context, address string) (*Consumer, error) {
	address = cmp.Or(address, Address())
	client, err := ipc.Dial(ctx, address, ipc.Options{})
	if err != nil {
		return nil, fmt.Errorf("consumer: no tracing service at %s: %w", address, err)
	}
	port, err := client.Bind(ctx, "ConsumerPort")
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("consumer: %s: %w", address, err)
	}
	c := &Consumer{client: client, port: port, streaming: make(chan struct{}, 1)}
	if port.Has("ObserveEvents") {
		err = port.Call("ObserveEvents", &messages.ObserveEventsRequest{
			EventsToObserve: []messages.ObservableEvents_Type{messages.ObservableEvents_TYPE_ALL_DATA_SOURCES_STARTED},
		}, c.observed)
	}
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("consumer: %s: %w", address, err)
	}
	return c, nil
}

// Close ends the connection, and with it the session, unless that is detached.
func (c *Consumer) Close() {
	c.client.Close()
	<-c.client.Done()
}

func (c *Consumer) observed(r ipc.Reply) {
	m := new(messages.ObserveEventsResponse)
	if r.Decode(m) != nil || !m.GetEvents().GetAllDataSourcesStarted() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil {
		c.session.begun()
	}
}

// Capabilities returns what the service can do.
func (c *Consumer) Capabilities(ctx context.Context) (*messages.TracingServiceCapabilities, error) {
	m := new(messages.QueryCapabilitiesResponse)
	if err := c.invoke(ctx, "QueryCapabilities", &messages.QueryCapabilitiesRequest{}, m); err != nil {
		return nil, err
	}
	return m.GetCapabilities(), nil
}

// State returns the connected programs, their data sources, and the sessions that this
// user may know of.
func (c *Consumer) State(ctx context.Context) (*messages.TracingServiceState, error) {
	state := new(messages.TracingServiceState)
	err := c.stream(ctx, "QueryServiceState", &messages.QueryServiceStateRequest{}, func(body []byte) error {
		m := new(messages.QueryServiceStateResponse)
		if err := proto.Unmarshal(body, m); err != nil {
			return fmt.Errorf("consumer: the service's state: %w", err)
		}
		proto.Merge(state, m.GetServiceState())
		return nil
	})
	if err != nil {
		return nil, err
	}
	return state, nil
}

// ErrHasSession is returned if the connection has a session that was neither freed nor
// detached.
var ErrHasSession = errors.New("consumer: this connection has a session; free or detach it first")

// EndError is the reason why a service refused or ended a session, in the service's
// words.
type EndError struct{ Reason string }

func (e *EndError) Error() string { return "consumer: the tracing service: " + e.Reason }

// Session is a recording of a service. Its methods may be called from any goroutine.
type Session struct {
	c       *Consumer
	start   sync.Once
	started chan struct{} // closed when all data sources have started
	end     sync.Once
	ended   chan struct{} // closed when the session is over, after err is set
	err     error
}

// begin makes the session that the connection will have if ask succeeds.
func (c *Consumer) begin(ask func(*Session) error) (*Session, error) {
	s := &Session{c: c, started: make(chan struct{}), ended: make(chan struct{})}
	c.mu.Lock()
	if c.session != nil {
		c.mu.Unlock()
		return nil, ErrHasSession
	}
	c.session = s
	c.mu.Unlock()
	if err := ask(s); err != nil {
		s.leave()
		return nil, err
	}
	return s, nil
}

// leave lets the connection have another session.
func (s *Session) leave() {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if s.c.session == s {
		s.c.session = nil
	}
}

func (s *Session) begun() { s.start.Do(func() { close(s.started) }) }

func (s *Session) over(err error) {
	s.end.Do(func() {
		s.err = err
		close(s.ended)
	})
}

// Start starts a session. It ends by its config (duration, trigger), by
// [Session.Stop], or with the connection. Start returns an [EndError] if the service
// refuses the config. The service does not say when data sources have started: see
// [Session.Started].
func (c *Consumer) Start(ctx context.Context, config *messages.TraceConfig) (*Session, error) {
	return c.StartInto(ctx, config, nil)
}

// StartInto is Start for a config with write_into_file: the service writes the trace
// into the file. The caller still owns the file, and may close it at once. The trace
// is complete when [Session.Wait] returns.
func (c *Consumer) StartInto(ctx context.Context, config *messages.TraceConfig, file *os.File) (*Session, error) {
	return c.begin(func(s *Session) error { return s.starting(ctx, config, file) })
}

// starting asks for the session, and waits until the service has accepted it.
func (s *Session) starting(ctx context.Context, config *messages.TraceConfig, file *os.File) error {
	if err := s.enable(&messages.EnableTracingRequest{TraceConfig: config}, file); err != nil {
		return err
	}
	// The only answer comes at the end, or soon if the service refuses the config. Before
	// it answers the second of these, it has sent that.
	for range 2 {
		if _, err := s.c.Capabilities(ctx); errors.Is(err, ErrNoMethod) {
			break
		} else if err != nil {
			return err
		}
	}
	select {
	case <-s.ended:
		return s.err
	default:
		return nil
	}
}

// enable asks for a session, or for the end of one.
func (s *Session) enable(request *messages.EnableTracingRequest, file *os.File) error {
	on := func(r ipc.Reply) {
		m := new(messages.EnableTracingResponse)
		err := r.Decode(m)
		if err == nil && m.GetError() != "" {
			err = &EndError{m.GetError()}
		}
		s.over(err)
	}
	err := s.c.port.CallFile("EnableTracing", request, file, on)
	if err != nil {
		return fmt.Errorf("consumer: %w", err)
	}
	return nil
}

// CloneTarget names the session to clone: by its number in [Consumer.State], or by the
// unique_session_name of its config.
type CloneTarget struct {
	ID   uint64
	Name string
}

// Clone makes a copy of what a session has recorded so far, which continues. The
// connection must not have a session. The copy can be read and freed.
func (c *Consumer) Clone(ctx context.Context, of CloneTarget) (*Session, error) {
	request := new(messages.CloneSessionRequest)
	if of.ID != 0 {
		request.Selector = &messages.CloneSessionRequest_SessionId{SessionId: of.ID}
	} else {
		request.Selector = &messages.CloneSessionRequest_UniqueSessionName{UniqueSessionName: of.Name}
	}
	return c.begin(func(s *Session) error {
		m := new(messages.CloneSessionResponse)
		if err := c.invoke(ctx, "CloneSession", request, m); err != nil {
			return err
		}
		if !m.GetSuccess() {
			return fmt.Errorf("cloning a session: %w", &EndError{cmp.Or(m.GetError(), "no reason given")})
		}
		s.begun()
		s.over(nil)
		return nil
	})
}

// Attach continues a session that this user has left with [Session.Detach]. It returns
// the session's config as well.
func (c *Consumer) Attach(ctx context.Context, key string) (*Session, *messages.TraceConfig, error) {
	m := new(messages.AttachResponse)
	s, err := c.begin(func(s *Session) error {
		if err := c.invoke(ctx, "Attach", &messages.AttachRequest{Key: proto.String(key)}, m); err != nil {
			return err
		}
		return s.enable(&messages.EnableTracingRequest{AttachNotificationOnly: proto.Bool(true)}, nil)
	})
	return s, m.GetTraceConfig(), err
}

// invoke calls a method and waits for its answer.
func (c *Consumer) invoke(ctx context.Context, method string, request, response proto.Message) error {
	if err := c.port.Invoke(ctx, method, request, response); err != nil {
		return fmt.Errorf("consumer: %w", err)
	}
	return nil
}

// stream calls a method and passes each of its replies to f, in the caller's
// goroutine. The service sends no faster than f takes them.
func (c *Consumer) stream(ctx context.Context, method string, request proto.Message, f func(body []byte) error) error {
	select {
	case c.streaming <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	replies, quit := make(chan ipc.Reply, 4), make(chan struct{})
	defer close(quit) // what f does not want is dropped
	err := c.port.Call(method, request, func(r ipc.Reply) {
		select {
		case replies <- r:
		case <-quit:
		}
		if !r.More {
			<-c.streaming
		}
	})
	if err != nil {
		<-c.streaming
		return fmt.Errorf("consumer: %w", err)
	}
	for {
		select {
		case r := <-replies:
			if r.Err != nil {
				return fmt.Errorf("consumer: %w", r.Err)
			}
			if err := f(r.Body); err != nil || !r.More {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ParseConfig parses a config as the command perfetto takes it: a
// [messages.TraceConfig] in protobuf's text format, or encoded. A text may name the fields of
// [messages.TraceConfig]; an encoded config may have others too, which a service gets.
func ParseConfig(b []byte) (*messages.TraceConfig, error) {
	config := new(messages.TraceConfig)
	if isText(b) {
		if err := prototext.Unmarshal(b, config); err != nil {
			return nil, fmt.Errorf("trace config: %w", err)
		}
		return config, nil
	}
	if err := proto.Unmarshal(b, config); err != nil {
		return nil, fmt.Errorf("trace config: neither text nor an encoded message: %w", err)
	}
	return config, nil
}

// isText tells a text from an encoded message: that has tags and lengths, small numbers
// that are control characters.
func isText(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' })
}
