package consumer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tracex/format/pbfield"
	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// ErrFlush is returned when a program did not commit in time.
var ErrFlush = errors.New("consumer: a program did not answer a flush in time")

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

// Started waits until all data sources have started in the programs that are connected,
// or returns the reason why the session ended before that.
func (s *Session) Started(ctx context.Context) error {
	if !s.c.port.Has("ObserveEvents") {
		return fmt.Errorf("consumer: ObserveEvents: %w", ErrNoMethod)
	}
	select {
	case <-s.started:
		return nil
	case <-s.ended:
		return s.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Wait waits until the session is over. It returns an [EndError] if the service ended
// it for a reason of its own, or an error of the connection. The data can still be read.
func (s *Session) Wait(ctx context.Context) error {
	select {
	case <-s.ended:
		return s.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Begin starts the data sources of a session whose config has deferred_start.
func (s *Session) Begin(ctx context.Context) error {
	return s.c.invoke(ctx, "StartTracing", &messages.StartTracingRequest{}, nil)
}

// Stop ends the recording and waits until it is over, as [Session.Wait] does. What
// programs have not committed is lost: call [Session.Flush] first.
func (s *Session) Stop(ctx context.Context) error {
	if err := s.c.invoke(ctx, "DisableTracing", &messages.DisableTracingRequest{}, nil); err != nil {
		return err
	}
	return s.Wait(ctx)
}

// Flush asks the programs to commit what they have, and waits for at most timeout, or
// as long as the service finds right if that is 0. It returns [ErrFlush] if a program
// did not answer in time.
func (s *Session) Flush(ctx context.Context, timeout time.Duration) error {
	request := new(messages.FlushRequest)
	if timeout > 0 {
		request.TimeoutMs = proto.Uint32(uint32(min(max(timeout/time.Millisecond, 1), 1<<32-1)))
	}
	err := s.c.invoke(ctx, "Flush", request, nil)
	if errors.Is(err, ErrRejected) {
		return ErrFlush
	}
	return err
}

// Change changes the config of the running session: the names of the programs that a
// data source is for. Services ignore all else.
func (s *Session) Change(ctx context.Context, config *messages.TraceConfig) error {
	return s.c.invoke(ctx, "ChangeTraceConfig", &messages.ChangeTraceConfigRequest{TraceConfig: config}, nil)
}

// Stats returns statistics of the session's buffers.
func (s *Session) Stats(ctx context.Context) (*messages.TraceStats, error) {
	m := new(messages.GetTraceStatsResponse)
	if err := s.c.invoke(ctx, "GetTraceStats", &messages.GetTraceStatsRequest{}, m); err != nil {
		return nil, err
	}
	return m.GetTraceStats(), nil
}

// Detach leaves the session to whoever attaches to it with the key.
func (s *Session) Detach(ctx context.Context, key string) error {
	err := s.c.invoke(ctx, "Detach", &messages.DetachRequest{Key: proto.String(key)}, nil)
	if err == nil {
		s.leave()
	}
	return err
}

// Free ends the session at once and drops what was not read. The connection can then
// have another.
func (s *Session) Free(ctx context.Context) error {
	err := s.c.invoke(ctx, "FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	if err == nil {
		s.leave()
	}
	return err
}

// maxPacket is the maximum size of a packet in bytes: what a writer may write, and what
// a service adds.
const maxPacket = 128 << 20

// Read passes the packets that the session has recorded to f, each an encoded
// [messages.TracePacket], in the order of the service, and removes them from the
// session. It may be called while the session runs, and again. The bytes belong to f.
//
// f runs in the caller's goroutine. If it fails, or ctx ends, Read returns that error,
// and what the service had to send is lost. Read returns [ErrRejected] if the session
// is freed.
func (s *Session) Read(ctx context.Context, f func(packet []byte) error) error {
	var packet []byte
	return s.c.stream(ctx, "ReadBuffers", &messages.ReadBuffersRequest{}, func(body []byte) error {
		m := new(messages.ReadBuffersResponse)
		if err := proto.Unmarshal(body, m); err != nil {
			return fmt.Errorf("consumer: packets from the service: %w", err)
		}
		for _, slice := range m.Slices {
			if len(packet)+len(slice.Data) > maxPacket {
				return errLarge
			}
			if packet = append(packet, slice.Data...); !slice.GetLastSliceForPacket() {
				continue
			}
			if err := f(packet); err != nil {
				return err
			}
			packet = nil
		}
		return nil
	})
}

// Copy reads the packets, as [Session.Read] does, and writes them in the format of a
// trace file. What several calls write can be concatenated.
func (s *Session) Copy(ctx context.Context, w io.Writer) error {
	var head []byte
	return s.Read(ctx, func(packet []byte) error {
		head = protowire.AppendTag(head[:0], pbfield.Trace_Packet, protowire.BytesType)
		head = protowire.AppendVarint(head, uint64(len(packet)))
		if _, err := w.Write(head); err != nil {
			return err
		}
		_, err := w.Write(packet)
		return err
	})
}
