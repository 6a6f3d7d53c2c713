//go:build linux

package service

import (
	"errors"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

// steps is a producer, a consumer, and the real service's results for the same
// steps.
type steps struct {
	*testing.T
	s        *Service
	p        *stepper
	c        *reader
	expected [][2]string
}

// check compares the packets read since the last step, and the counters, with those
// of the real service.
func (t *steps) check(step string) {
	t.Helper()
	want := t.expected[0]
	t.expected = t.expected[1:]
	if want[0] != step {
		t.Fatalf("step %s, want %s", step, want[0])
	}
	if got := strings.TrimPrefix(outcomeOf(t.c), " "); got != want[1] {
		t.Errorf("step %s came to\n%s\nwant\n%s", step, got, want[1])
	}
}

// page checks the word of a page.
func (t *steps) page(page int, want uint32) {
	t.Helper()
	if got := t.p.word(page); got != want {
		t.Errorf("page %d is %#x, want %#x", page, got, want)
	}
}

// flush makes a flush that the producer answers.
func (t *steps) flush() {
	t.Helper()
	if err := t.p.flush(t.c, true); err != nil {
		t.Fatal(err)
	}
}

const next, prev = smb.ContinuesOnNext, smb.ContinuesFromPrev

// w1 returns a chunk of writer 1, in page 0.
func w1(id uint32, count int, flags smb.Flags, payload string) rawChunk {
	return rawChunk{writer: 1, id: id, count: count, flags: flags, payload: payload}
}

// TestSteps has a producer do all kinds of things with its memory, step by step, as
// was once done with the real service: the packets and the counters are the same.
func TestSteps(t *testing.T) {
	s, _ := serveAt(t, Config{})
	r := &steps{T: t, s: s, p: newStepper(t, s, false), c: consume(t, s), expected: expectations(t, "steps.txt")}
	r.c.enable(config(1024, "raw.ds"))
	<-r.p.ready
	r.packets()
	r.order()
	r.nonsense()
	r.scraped()
	r.patches()
	r.end()
	if len(r.expected) > 0 {
		t.Errorf("%d steps are left", len(r.expected))
	}
}

// packets has packets of all sizes, including some in several chunks.
func (t *steps) packets() {
	p := t.p
	p.add(w1(0, 2, 0, named("A1")+named("A2")))
	t.check("A")
	t.page(0, 0)
	p.add(w1(1, 2, 0, padded(body("B1"))+padded(body("B2"))))
	t.check("B")
	p.add(w1(2, 5, 0, "\x00"+named("C1")+"\x00"+named("C2")+"\x80\x80\x80\x00"))
	t.check("C")
	for i, text := range []string{"D0", "D1", "D2"} {
		p.put(rawChunk{page: 1, index: i, layout: smb.Div14, writer: 1, id: uint32(3 + i), count: 1, payload: named(text)})
	}
	p.commit(move(1, 0, 1), move(1, 1, 1))
	t.page(1, 0x50000030)
	p.commit(move(1, 2, 1))
	t.check("D")
	t.page(1, 0)

	long := body(strings.Repeat("E", 3000))
	parts := []string{long[:1000], long[1000:2000], long[2000:]}
	p.put(rawChunk{page: 2, writer: 1, id: 6, count: 1, flags: next, payload: padded(parts[0])})
	p.put(rawChunk{page: 3, writer: 1, id: 7, count: 1, flags: prev | next, payload: padded(parts[1])})
	p.put(rawChunk{page: 4, writer: 1, id: 8, count: 2, flags: prev, payload: padded(parts[2]) + named("E2")})
	p.commit(move(2, 0, 1), move(3, 0, 1), move(4, 0, 1))
	t.check("E")
	// The length of a message in F-patched is missing.
	p.put(rawChunk{page: 2, writer: 1, id: 9, count: 2, flags: next | smb.NeedsPatching,
		payload: named("F0") + padded("\x40\x05\xa2\x38\x00\x00\x00\x00\x0a\x09F-pat")})
	p.put(rawChunk{page: 3, writer: 1, id: 10, count: 2, flags: prev, payload: padded("ched") + named("F2")})
	p.commit(move(2, 0, 1), move(3, 0, 1))
	t.check("F")
	p.patch(1, 9, false, 18, "\x8b\x80\x80\x00")
	t.check("F")
}

// order commits chunks out of order, twice, and gives packets up.
func (t *steps) order() {
	p := t.p
	p.add(w1(12, 1, 0, named("G12")))
	t.check("G")
	p.add(w1(11, 1, 0, named("G11")))
	t.check("G2")
	p.add(w1(14, 1, 0, named("H14")))
	p.add(w1(13, 1, 0, named("H13")))
	t.check("H")
	p.add(w1(14, 2, 0, named("I14dup")+named("I14b")))
	t.check("I")
	p.add(w1(15, 2, 0, named("J0")+"\xff\xff\xff\x7f"))
	p.add(w1(16, 1, 0, named("J1")))
	t.check("J")
}

// nonsense has invalid fields, buffers, pages and counts.
func (t *steps) nonsense() {
	p := t.p
	p.add(w1(17, 2, 0, sized("\x18\xd2\x09\xa2\x38\x03\x0a\x01K")+named("K2")))
	t.check("K")
	p.put(w1(18, 1, 0, named("L")))
	p.commit(move(0, 0, 999))
	t.page(0, 0)
	t.check("L")
	written := w1(18, 1, 0, named("M"))
	written.state = smb.BeingWritten
	p.add(written)
	t.page(0, 0x10000001)
	t.check("M")
	p.add(w1(18, 1, 0, named("M18")))
	p.commit(move(1000, 0, 1), move(0, 13, 1), move(0, 77, 1), move(math.MinInt32, math.MinInt32, 1)) // 1<<31 on the wire
	t.check("N")
	p.add(w1(19, 5, 0, named("O1")+named("O2")))
	t.check("O")
	p.add(w1(20, 1, 0, named("P1")+named("P2")))
	t.check("P")
}

// scraped leaves chunks for the service to scrape.
func (t *steps) scraped() {
	p, c := t.p, t.c
	q := rawChunk{page: 5, state: smb.BeingWritten, writer: 2, count: 3, payload: named("Q1") + named("Q2") + named("Q3")}
	p.put(q)
	t.flush()
	t.check("Q")
	p.invoke("RegisterTraceWriter", &messages.RegisterTraceWriterRequest{TraceWriterId: proto.Uint32(2), TargetBuffer: proto.Uint32(1)})
	t.flush()
	t.check("Q2")
	t.flush()
	t.check("Q3")
	q.count, q.payload = 5, q.payload+named("Q4")+named("Q5")
	p.put(q)
	t.flush()
	t.check("Q3")
	q.count, q.payload, q.state = 6, q.payload+named("Q6"), smb.Complete
	p.add(q)
	t.check("Q4")
	if err := p.flush(c, false); !errors.Is(err, ipc.ErrRejected) {
		t.Errorf("a flush without an answer: %v", err)
	}
}

// patches patches chunks that exist, and some that do not.
func (t *steps) patches() {
	p := t.p
	p.put(rawChunk{page: 0, writer: 9, count: 2, flags: smb.NeedsPatching, payload: named("T0a") + padded(body("T0b"))})
	p.put(rawChunk{page: 1, writer: 9, id: 1, count: 1, payload: named("T1")})
	p.commit(move(0, 0, 1), move(1, 0, 1))
	t.check("T")
	p.patch(9, 55, false, 0, "abcd")
	t.check("T2")
	p.patch(9, 0, false, 0, "abc")
	t.check("T3")
	p.patch(9, 0, false, div1-3, "abcd")
	t.check("T4")
	p.patch(9, 0, true, 11, "\x8a\x80\x80\x00")
	t.check("T5")
	p.patch(9, 0, false, 0)
	t.check("T5")
}

// end reuses a writer's number, and disconnects.
func (t *steps) end() {
	p, c := t.p, t.c
	p.put(rawChunk{page: 0, writer: 3, count: 1, payload: named("U w3")})
	p.put(rawChunk{page: 1, writer: 4, count: 1, payload: named("U w4")})
	p.commit(move(0, 0, 1), move(1, 0, 1))
	t.check("U")
	p.add(rawChunk{writer: 3, count: 1, payload: named("V again")})
	t.check("V")
	p.put(rawChunk{page: 7, state: smb.BeingWritten, writer: 2, id: 1, count: 3, payload: named("W1") + named("W2") + named("W3")})
	p.client.Close()
	waitUntil(t.T, t.s, func() bool { return len(t.s.connected) == 0 })
	t.check("W")
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	if why := c.end(); why != "" {
		t.Error(why)
	}
}
