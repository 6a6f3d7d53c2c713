package interop

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
)

// consumer is a consumer of ours.
type consumer struct {
	t testing.TB
	*ipc.Binding
	started chan struct{}
	ended   chan *messages.EnableTracingResponse
}

// consume connects to the service.
func (s *service) consume() *consumer {
	s.t.Helper()
	client, err := ipc.Dial(context.Background(), s.consumers, ipc.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(client.Close)
	b, err := client.Bind(context.Background(), "ConsumerPort")
	if err != nil {
		s.t.Fatal(err)
	}
	return &consumer{s.t, b, make(chan struct{}, 8), make(chan *messages.EnableTracingResponse, 8)}
}

func (c *consumer) invoke(method string, request, response proto.Message) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := c.Invoke(ctx, method, request, response); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// record starts a session and waits until all programs have started.
func (c *consumer) record(config *messages.TraceConfig) {
	c.t.Helper()
	c.enable(config)
	c.waitUntilStarted()
}

// enable starts a session.
func (c *consumer) enable(config *messages.TraceConfig) {
	c.t.Helper()
	err := c.Call("ObserveEvents", &messages.ObserveEventsRequest{
		EventsToObserve: []messages.ObservableEvents_Type{messages.ObservableEvents_TYPE_ALL_DATA_SOURCES_STARTED},
	}, func(r ipc.Reply) {
		m := new(messages.ObserveEventsResponse)
		if r.Decode(m) == nil && m.Events.GetAllDataSourcesStarted() {
			c.started <- struct{}{}
		}
	})
	if err == nil {
		err = c.Call("EnableTracing", &messages.EnableTracingRequest{TraceConfig: config}, func(r ipc.Reply) {
			m := new(messages.EnableTracingResponse)
			if r.Decode(m) == nil {
				c.ended <- m
			}
		})
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *consumer) waitUntilStarted() {
	c.t.Helper()
	select {
	case <-c.started:
	case m := <-c.ended:
		c.t.Fatalf("the session ended: %v", m)
	case <-time.After(patience):
		c.t.Fatal("the session does not start")
	}
}

// stop ends the session and waits until it has ended.
func (c *consumer) stop() {
	c.t.Helper()
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	select {
	case m := <-c.ended:
		if m.GetError() != "" {
			c.t.Fatal(m)
		}
	case <-time.After(patience):
		c.t.Fatal("the session does not end")
	}
}

// read reads all available packets, in the format of a file.
func (c *consumer) read() (trace []byte) {
	c.t.Helper()
	for _, packet := range ipctest.ReadEncoded(c.t, c.Binding) {
		trace = protowire.AppendBytes(protowire.AppendTag(trace, 1, protowire.BytesType), packet)
	}
	return trace
}

// decode returns the packets of a trace.
func decode(t testing.TB, trace []byte) []*messages.TracePacket {
	t.Helper()
	m := new(messages.Trace)
	if err := proto.Unmarshal(trace, m); err != nil {
		t.Fatal(err)
	}
	return m.Packet
}

// ofService is the sequence of the service's own packets.
const ofService = 1

// written returns the packets, encoded, that programs wrote, without those of the
// service.
func written(t testing.TB, trace []byte) (list [][]byte) {
	t.Helper()
	eachPacket(t, trace, func(packet []byte) {
		m := new(messages.TracePacket)
		if err := proto.Unmarshal(packet, m); err != nil {
			t.Fatal(err)
		}
		if m.GetTrustedPacketSequenceId() != ofService {
			list = append(list, packet)
		}
	})
	return list
}

// eachPacket calls f with each packet of a trace, encoded.
func eachPacket(t testing.TB, trace []byte, f func(packet []byte)) {
	t.Helper()
	for len(trace) > 0 {
		_, _, tag := protowire.ConsumeTag(trace)
		packet, n := protowire.ConsumeBytes(trace[max(tag, 0):])
		if tag < 0 || n < 0 {
			t.Fatal("the trace is no list of packets")
		}
		f(packet)
		trace = trace[tag+n:]
	}
}

// sameTrace fails unless two readings of a session have the same packets of
// programs, byte by byte and in the same order.
func sameTrace(t testing.TB, a, b []byte) {
	t.Helper()
	if !slices.EqualFunc(written(t, a), written(t, b), bytes.Equal) {
		t.Error("the packets differ")
	}
}
