package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// socketFolder makes a directory for the sockets of a private service, which are
// called producers and consumers: among the temporary files, unless a socket's path
// would be too long there. Some systems allow 103 bytes.
func socketFolder(name string) (string, error) {
	const longest, short = 103, "/tmp"
	in := os.TempDir()
	if len(filepath.Join(in, name+"4294967295", "producers")) > longest {
		if _, err := os.Stat(short); err == nil {
			in = short
		}
	}
	return os.MkdirTemp(in, name)
}

// session is a session of the private service.
type session struct {
	port  *ipc.Binding
	end   chan error
	close func()
}

// startRecording starts a session that is written into a file.
func startRecording(ctx context.Context, address string, to *os.File, f *recordCommand) (*session, error) {
	client, err := ipc.Dial(ctx, address, ipc.Options{})
	if err != nil {
		return nil, err
	}
	port, err := client.Bind(ctx, "ConsumerPort")
	if err != nil {
		client.Close()
		return nil, err
	}
	r := &session{port: port, end: make(chan error, 1), close: client.Close}
	err = port.CallFile("EnableTracing", &messages.EnableTracingRequest{TraceConfig: recordConfig(f)}, to, func(reply ipc.Reply) {
		m := new(messages.EnableTracingResponse)
		err := reply.Decode(m)
		if err == nil && m.GetError() != "" {
			err = errors.New(m.GetError())
		}
		r.end <- err
	})
	if err == nil {
		// The answer shows that the session is there, before the program is.
		err = port.Invoke(ctx, "QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
	}
	if err != nil {
		client.Close()
		return nil, err
	}
	return r, nil
}

// recordConfig asks for all that a program can record.
func recordConfig(f *recordCommand) *messages.TraceConfig {
	// Perfetto's library can begin to trace before it connects, if it was told the
	// categories of the session to come. Naming "*" equals naming none.
	events := &messages.DataSourceConfig{
		Name:             proto.String("track_event"),
		TrackEventConfig: &messages.TrackEventConfig{EnabledCategories: []string{"*"}},
	}
	if len(f.categories) > 0 {
		events.TrackEventConfig = &messages.TrackEventConfig{EnabledCategories: f.categories, DisabledCategories: []string{"*"}}
	}
	// Clearing makes Perfetto's library repeat names and tracks: after a loss, what
	// follows could not be read without them.
	const flushEvery, clearEvery, writeEvery = time.Second, time.Second, 250 * time.Millisecond
	return &messages.TraceConfig{
		Buffers: []*messages.TraceConfig_BufferConfig{{
			SizeKb:     proto.Uint32(uint32(max(int64(f.buffer)>>10, 64))),
			FillPolicy: messages.TraceConfig_BufferConfig_RING_BUFFER.Enum(),
		}},
		DataSources: []*messages.TraceConfig_DataSource{
			{Config: events},
			{Config: &messages.DataSourceConfig{Name: proto.String("tracex.calls")}},
		},
		WriteIntoFile:     proto.Bool(true),
		FileWritePeriodMs: proto.Uint32(uint32(writeEvery / time.Millisecond)),
		FlushPeriodMs:     proto.Uint32(uint32(flushEvery / time.Millisecond)),
		WriteFlushMode:    messages.TraceConfig_WRITE_FLUSH_DISABLED.Enum(), // besides these
		IncrementalStateConfig: &messages.TraceConfig_IncrementalStateConfig{
			ClearPeriodMs: proto.Uint32(uint32(clearEvery / time.Millisecond)),
		},
	}
}

// had is what a session received.
type had struct {
	anything           bool   // packets of a program, or what one left behind
	programs, sessions uint64 // programs that connected, and what they began to record
}

// nothing is the error for a session that received nothing.
func (h had) nothing(program string) error {
	const who = "a program must be built with tracex's recorder or Perfetto's client library"
	switch {
	case h.programs == 0:
		return withHint(fmt.Errorf("no trace written: %s did not connect to the tracing service", program), who+", and run long enough to connect")
	case h.sessions == 0:
		return withHint(fmt.Errorf("no trace written: %s connected, but offered nothing to record", program), who)
	}
	return withHint(fmt.Errorf("no trace written: %s connected, but recorded nothing", program),
		"it made no recorded call, or ended before it sent one; is --category too narrow?")
}

// stop ends the session: when it returns, the file has all of it.
func (r *session) stop(ctx context.Context) (had, error) {
	defer r.close()
	// An error would only say that a program is gone, which has nothing to flush.
	_ = r.port.Invoke(ctx, "Flush", &messages.FlushRequest{TimeoutMs: proto.Uint32(2000)}, nil)
	if err := r.port.Invoke(ctx, "DisableTracing", &messages.DisableTracingRequest{}, nil); err != nil {
		return had{}, err
	}
	if err := <-r.end; err != nil {
		return had{}, err
	}
	var answer messages.GetTraceStatsResponse
	if err := r.port.Invoke(ctx, "GetTraceStats", &messages.GetTraceStatsRequest{}, &answer); err != nil {
		return had{}, err
	}
	stats := answer.GetTraceStats()
	h := had{programs: stats.GetProducersSeen(), sessions: stats.GetDataSourcesSeen()}
	for _, b := range stats.GetBufferStats() {
		h.anything = h.anything || b.GetChunksWritten() > 0
	}
	return h, nil
}
