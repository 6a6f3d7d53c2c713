//go:build linux

package service

import (
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/smb"
)

// TestBufferGone has a producer die at all the moments at which what it wrote is
// not whole: before, its sequence waits; then, what follows is read, with a mark
// of the loss. In a buffer of the second kind less has to wait.
func TestBufferGone(t *testing.T) {
	const next, prev, patched = smb.ContinuesOnNext, smb.ContinuesFromPrev, smb.NeedsPatching
	// H0 and the like are good messages. A message of which the length has not come, and the rest of its packet.
	const open, rest = "\xa2\x38\x00\x00\x00\x00\x0a\x09", "F"
	for what, c := range map[string]struct {
		chunks                      []*smb.Chunk
		waiting, behind             string
		secondWaiting, secondBehind string
	}{
		"a length is missing": {
			[]*smb.Chunk{chunk(1, 0, next|patched, "H0", open), chunk(1, 1, prev, rest, "H1")},
			"", "!H0 !H1", "H0", "!5!H1",
		},
		"one in the middle": {
			[]*smb.Chunk{chunk(1, 0, next, "H0", open), chunk(1, 1, prev|next|patched, rest), chunk(1, 2, prev, rest, "H1")},
			"!H0", "!H1", "H0", "!5!H1",
		},
		"none is missing": { // the last patch said that others come, and there were none
			[]*smb.Chunk{chunk(1, 0, next|patched, "H0", named("who")[1:5]), chunk(1, 1, prev, named("who")[5:], "H1")},
			"", "!H0 " + named("who")[1:] + " H1", "H0", named("who")[1:] + " H1",
		},
		"the packet goes on nowhere": {
			[]*smb.Chunk{chunk(1, 0, patched, "H0", open), chunk(1, 1, 0, "H1")},
			"", "!H0 !H1", "H0 " + open + " H1", "",
		},
		"a hole": {
			[]*smb.Chunk{chunk(1, 0, 0, "H0"), chunk(1, 2, 0, "two"), chunk(1, 4, prev, rest, "four"), chunk(1, 5, 0, "five")},
			"!H0", "!two !four five", "H0 !3!two !11!four five", "",
		},
		"a hole in a packet": {
			[]*smb.Chunk{chunk(1, 0, next, "H0", open), chunk(1, 2, prev|next, rest), chunk(1, 3, prev, rest, "three")},
			"!H0", "!three", "H0 !27!three", "",
		},
		"a packet without an end": {
			[]*smb.Chunk{chunk(1, 0, next, "H0", open), chunk(1, 1, 0, "H1")},
			"!H0", "!H1", "H0 !33!H1", "",
		},
		"a chunk that was never complete": {
			[]*smb.Chunk{scraped(chunk(1, 0, 0, "H0")), chunk(1, 1, prev, rest, "H1")},
			"!H0", "!H1", "H0", "!9!H1",
		},
	} {
		for kind, b := range []buffer{newTraceBuffer(1<<16, false), newSecondBuffer(1<<16, false)} {
			t.Run(fmt.Sprint(what, ", kind ", kind+1), func(t *testing.T) {
				waiting, behind := c.waiting, c.behind
				if kind == 1 {
					waiting, behind = c.secondWaiting, c.secondBehind
				}
				from := &source{producer: 3}
				for _, c := range c.chunks {
					b.write(from, c)
				}
				if got := all(b); got != waiting {
					t.Errorf("while it lives: %q, want %q", got, waiting)
				}
				clone := b.clone()
				b.leave(4) // somebody else
				if got := all(b); got != "" {
					t.Errorf("when another is gone: %q", got)
				}
				b.leave(from.producer)
				if got := all(b); got != behind {
					t.Errorf("when it is gone: %q, want %q", got, behind)
				}
				if got := all(b); got != "" {
					t.Errorf("again: %q", got)
				}
				if got := all(clone); got != "" {
					t.Errorf("the clone has %q, as if it had gone", got)
				}
			})
		}
	}
}

// TestProducerGone has a program die when a length that it wanted to send is
// missing, and when a chunk that waited for one is not committed: what it
// committed behind them is read.
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
	// The other chunk is held back until its length is there, while the next one is
	// complete.
	p.put(rawChunk{page: 2, state: smb.BeingWritten, writer: 2, count: 2, flags: next | smb.NeedsPatching, payload: named("B0") + padded(open)})
	p.put(rawChunk{page: 3, writer: 2, id: 1, count: 3, flags: prev, payload: padded("ched") + named("B1") + "\x00"})
	c.reads()
	p.client.Close()
	waitUntil(t, s, func() bool { return len(s.connected) == 0 })
	c.reads("!A0", "!A1", "!B0", "!B1")
	c.reads()
}

// TestProducerGoneEarly has a program die before it could say which writer it has:
// where there is one buffer that it may write into, that is the writer's. With two
// nobody can tell, and memory that the program made may have been written before.
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
			of.provided = c.provided
			s.unlock()
			if c.buffers > 1 {
				another := consume(t, s)
				another.enable(config(64, "raw.ds"))
				another.invoke("QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil) // the session is there
			}
			p.put(w1(0, 1, 0, named("early")))
			k.flush() // while it lives it can still say
			k.reads()
			p.client.Close()
			waitUntil(t, s, func() bool { return len(s.connected) == 0 })
			k.reads(c.want...)
		})
	}
}
