package ipc

import (
	"context"
	"testing"

	"tracex/recorder/perfetto/messages"
)

// benched starts a host and a client that is bound to it.
func benched(b *testing.B, methods ...Method) *Binding {
	b.Helper()
	h := NewHost(HostOptions{}, Service{"Port", methods})
	if err := h.Listen(folder(b) + "/s"); err != nil {
		b.Fatal(err)
	}
	c, err := Dial(context.Background(), h.Addresses()[0], Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		c.Close()
		_ = h.Close()
	})
	port, err := c.Bind(context.Background(), "Port")
	if err != nil {
		b.Fatal(err)
	}
	return port
}

// BenchmarkInvoke sends a call and receives its answer.
func BenchmarkInvoke(b *testing.B) {
	port := benched(b, Method{"Echo", echo})
	b.ReportAllocs()
	for b.Loop() {
		if err := port.Invoke(context.Background(), "Echo", number(1), nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSend sends calls of the size of a commit, without an answer.
func BenchmarkSend(b *testing.B) {
	port := benched(b, Method{"Take", func(*Request) {}}, Method{"Echo", echo})
	b.ReportAllocs()
	for b.Loop() {
		if err := port.client.Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
		if err := port.Send("Take", number(1)); err != nil {
			b.Fatal(err)
		}
	}
	if err := port.Invoke(context.Background(), "Echo", nil, nil); err != nil { // all are handled
		b.Fatal(err)
	}
}

// BenchmarkStream sends trace data to a consumer, 32 KiB a reply.
func BenchmarkStream(b *testing.B) {
	body := &messages.ReadBuffersResponse{Slices: []*messages.ReadBuffersResponse_Slice{{Data: make([]byte, 32<<10)}}}
	port := benched(b, Method{"Read", func(r *Request) {
		for r.Conn.Wait(context.Background()) == nil && r.Stream(body) == nil {
		}
	}})
	chunks := make(chan int, 1)
	over := make(chan struct{})
	if err := port.Call("Read", nil, func(r Reply) {
		var m messages.ReadBuffersResponse
		if r.Decode(&m) != nil {
			return
		}
		select {
		case chunks <- 1:
		case <-over:
		}
	}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { close(over) })
	b.SetBytes(32 << 10)
	b.ReportAllocs()
	for b.Loop() {
		<-chunks
	}
}
