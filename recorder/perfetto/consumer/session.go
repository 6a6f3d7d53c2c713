// Package consumer is the side of Perfetto's tracing that records: it connects to a
// tracing service, such as Perfetto's traced or package service of this module in
// another process, starts sessions, and reads what they recorded.
//
//	consumer                                  service
//	  | Connect                                  |
//	  |--- BindService{"ConsumerPort"} --------->|
//	  | Start                                    |
//	  |--- EnableTracing{TraceConfig} ---------->|   data sources start in programs
//	  |<-- ObservableEvents ---------------------|   Session.Started
//	  |--- Flush ------------------------------->|   programs commit what they have
//	  |--- DisableTracing ---------------------->|   data sources stop
//	  |<-- EnableTracingResponse ----------------|   Session.Wait
//	  | Read                                     |
//	  |--- ReadBuffers ------------------------->|
//	  |<-- slices of packets, a stream ----------|
//	  |--- FreeBuffers ------------------------->|   Session.Free
//
// A connection has one session at a time. The session ends with the connection,
// unless it is left with [Session.Detach]; another connection of the same user can
// then continue it with [Consumer.Attach]. [Consumer.Clone] makes a copy of a session
// of any connection, for reading, while that continues.
//
// # The config
//
// A [messages.TraceConfig] says how large the buffers are, which data sources are
// recorded, each with its own config, and when the session ends. [ParseConfig] reads
// one as the command perfetto does. Fields that the messages of this module do not
// know reach the service, too.
//
// # Reading
//
// [Session.Read] passes packets on as they arrive, of up to 64 MiB each. A service
// forgets what it has sent, so what a Read does not take is lost. A service ends the
// connection if nothing is read for some time, ten seconds with Perfetto's: a function
// that needs longer for a packet should pass it to another goroutine.
//
// # Names
//
// The service that consumers bind is called ConsumerPort, the one for programs
// ProducerPort. The address of a socket is a path, an abstract name after an @, or
// host:port; several are separated by commas, and the first that accepts is used. The
// file of a session with write_into_file is passed over the Unix socket, beside the
// request EnableTracing. The shared memory of programs does not concern consumers: a
// service sends it to each program with its command SetupTracing.
package consumer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tracex/format/pbfield"
	"tracex/recorder/perfetto/messages"
)

// ErrFlush is returned when a program did not commit in time.
var ErrFlush = errors.New("consumer: a program did not answer a flush in time")

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

// errLarge is returned for a packet that no writer can have written.
var errLarge = errors.New("consumer: the service sends a packet of more than 128 MiB")
