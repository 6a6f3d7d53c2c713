package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// session is a session of the private service.
type session struct {
	port  *ipc.Binding
	end   chan error
	close func()
}

// startRecording starts a session that is written into a file.
func startRecording(ctx context.Context, address string, to *os.File, f recordFlags) (*session, error) {
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
func recordConfig(f recordFlags) *messages.TraceConfig {
	// Perfetto's library begins to trace before it is connected if a session's
	// categories will be those that it was told: "*" says what none would.
	events := &messages.DataSourceConfig{
		Name:             proto.String("track_event"),
		TrackEventConfig: &messages.TrackEventConfig{EnabledCategories: []string{"*"}},
	}
	if len(f.categories) > 0 {
		events.TrackEventConfig = &messages.TrackEventConfig{EnabledCategories: f.categories, DisabledCategories: []string{"*"}}
	}
	// Clearing has Perfetto's library say names and tracks again, which all that
	// follows upon a loss would lack else.
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

// had is what a session got.
type had struct {
	anything           bool   // packets of a program, or what one left behind
	programs, sessions uint64 // programs that connected, and what they began to record
}

// nothing is the error for a session that got nothing.
func (h had) nothing(program string) error {
	const who = "a program records if it has Perfetto's client library or tracex's recorder"
	switch {
	case h.programs == 0:
		return withHint(fmt.Errorf("%s recorded nothing, and did not connect: there is no trace", program), who+", and runs until it is connected")
	case h.sessions == 0:
		return withHint(fmt.Errorf("%s was connected, but offered nothing that is recorded: there is no trace", program), who)
	}
	return withHint(fmt.Errorf("%s was connected, but recorded nothing: there is no trace", program),
		"it made no call that is recorded, or ended before it sent one; with --category, none of these categories")
}

// stop ends the session: when it returns, the file has all of it.
func (r *session) stop(ctx context.Context) (had, error) {
	defer r.close()
	// A program that is gone has nothing to flush: an error says no more.
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
