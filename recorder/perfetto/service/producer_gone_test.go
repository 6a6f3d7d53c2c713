//go:build linux

package service

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

// TestProducerGone has a program die when a length that it was going to send is
// missing, and when a chunk that waited for one is not committed: the chunks that it
// committed after them are read.
func TestProducerGone(t *testing.T) {
	const open = "\x40\x05\xa2\x38\x00\x00\x00\x00\x0a\x09F-pat"
	s := serve(t, Config{})
	p, c := newStepper(t, s, false), consume(t, s)
	c.enable(config(1024, "raw.ds"))
	<-p.ready
	for writer := range uint32(2) {
		p.invoke("RegisterTraceWriter", &messages.RegisterTraceWriterRequest{TraceWriterId: proto.Uint32(writer + 1), TargetBuffer: proto.Uint32(1)})
	}
	p.put(rawChunk{page: 0, writer: 1, count: 2, flags: next | smb.NeedsPatching, payload: named("A0") + padded(open)})
	p.put(rawChunk{page: 1, writer: 1, id: 1, count: 2, flags: prev, payload: padded("ched") + named("A1")})
	p.commit(move(0, 0, 1), move(1, 0, 1))
	// The other chunk is held back until its length is known, while the next one is
	// complete.
	p.put(rawChunk{page: 2, state: smb.BeingWritten, writer: 2, count: 2, flags: next | smb.NeedsPatching, payload: named("B0") + padded(open)})
	p.put(rawChunk{page: 3, writer: 2, id: 1, count: 3, flags: prev, payload: padded("ched") + named("B1") + "\x00"})
	c.reads()
	p.client.Close()
	waitUntil(t, s, func() bool { return len(s.connected) == 0 })
	c.reads("!A0", "!A1", "!B0", "!B1")
	c.reads()
}

// TestProducerGoneEarly has a program die before it could register its writer: if
// there is only one buffer that it may write into, that is the writer's. With two it
// is unknown, and memory made by the program may have been written before.
func TestProducerGoneEarly(t *testing.T) {
	for _, c := range []struct {
		name     string
		buffers  int
		provided bool
		want     []string
	}{
		{"one buffer", 1, false, []string{"!early"}},
		{"two buffers", 2, false, nil},
		{"its own memory", 1, true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, Config{})
			p, k := newStepper(t, s, true), consume(t, s)
			k.enable(config(64, "raw.ds"))
			<-p.ready
			s.lock()
			of := s.producersInOrder()[0]
			of.memory.provided = c.provided
			s.unlock()
			if c.buffers > 1 {
				another := consume(t, s)
				another.enable(config(64, "raw.ds"))
				another.invoke("QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil) // the session exists now
			}
			p.put(w1(0, 1, 0, named("early")))
			k.flush() // while it lives it can still register
			k.reads()
			p.client.Close()
			waitUntil(t, s, func() bool { return len(s.connected) == 0 })
			k.reads(c.want...)
		})
	}
}
