package interop

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// bigEvery is how often a packet of the program is big.
const bigEvery = 50

// expectedPacket returns a packet that the program's packets.rs writes.
func expectedPacket(thread, seq, big int) *messages.TestEvent {
	size := seq * 37 % 300
	if seq%bigEvery == bigEvery-1 {
		size = big
	}
	return &messages.TestEvent{
		Counter: proto.Uint64(uint64(thread)), SeqValue: proto.Uint32(uint32(seq)),
		Payload: nested(seq % 5), Str: proto.String(letters(thread+seq, size)),
	}
}

func nested(depth int) *messages.TestEvent_TestPayload {
	p := &messages.TestEvent_TestPayload{
		RemainingNestingDepth: proto.Uint32(uint32(depth)), Str: []string{letters(depth, depth*301)},
	}
	if depth > 0 {
		p.Nested = []*messages.TestEvent_TestPayload{nested(depth - 1)}
		p.SingleInt = proto.Int32(int32(-depth))
	}
	return p
}

func letters(first, size int) string {
	b := make([]byte, size)
	for i := range b {
		b[i] = byte('a' + (first+i)%26)
	}
	return string(b)
}

// testEventsOf returns the packets of the program's own data source, by the
// thread that wrote them. A loss within them fails the test.
func testEventsOf(t testing.TB, packets []*messages.TracePacket) map[int][]*messages.TestEvent {
	t.Helper()
	threads := make(map[int][]*messages.TestEvent)
	for thread, packets := range testPacketsOf(t, packets) {
		for i, p := range packets {
			if i > 0 && p.GetPreviousPacketDropped() != 0 {
				t.Fatalf("thread %d has a loss after packet %d", thread, i)
			}
			threads[thread] = append(threads[thread], p.GetForTesting())
		}
	}
	return threads
}

// testPacketsOf returns the same packets with the fields that the service added.
func testPacketsOf(t testing.TB, packets []*messages.TracePacket) map[int][]*messages.TracePacket {
	t.Helper()
	threads := make(map[int][]*messages.TracePacket)
	sequences := make(map[uint32]int)
	for _, p := range packets {
		e := p.GetForTesting()
		if e == nil {
			continue
		}
		thread, seq := int(e.GetCounter()), p.GetTrustedPacketSequenceId()
		if known, ok := sequences[seq]; ok && known != thread {
			t.Fatalf("sequence %d has packets of threads %d and %d", seq, known, thread)
		}
		sequences[seq] = thread
		threads[thread] = append(threads[thread], p)
	}
	return threads
}

// checkPackets fails unless the trace has the packets of threads 0 to threads-1
// and no others.
func checkPackets(t testing.TB, packets []*messages.TracePacket, threads, count, big int) {
	t.Helper()
	found := testEventsOf(t, packets)
	if len(found) != threads {
		t.Fatalf("%d threads have packets, want %d", len(found), threads)
	}
	for thread := range threads {
		if n := len(found[thread]); n != count {
			t.Fatalf("thread %d has %d packets, want %d", thread, n, count)
		}
		for seq, e := range found[thread] {
			if want := expectedPacket(thread, seq, big); !proto.Equal(e, want) {
				t.Fatalf("thread %d, packet %d is\n%.300v, want\n%.300v", thread, seq, e, want)
			}
		}
	}
}

// checkStats fails if the service counted any loss or protocol violation.
func checkStats(t testing.TB, packets []*messages.TracePacket) {
	t.Helper()
	var stats *messages.TraceStats
	for _, p := range packets {
		if s := p.GetTraceStats(); s != nil {
			stats = s
		}
	}
	if stats == nil {
		t.Fatal("the trace has no stats")
	}
	if n := stats.GetChunksDiscarded() + stats.GetPatchesDiscarded() + stats.GetInvalidPackets() + stats.GetFlushesFailed(); n != 0 {
		t.Errorf("chunks or patches discarded, packets invalid, flushes failed: %v", stats)
	}
	for i, b := range stats.BufferStats {
		if n := b.GetChunksDiscarded() + b.GetChunksOverwritten() + b.GetPatchesFailed() + b.GetAbiViolations() + b.GetTraceWriterPacketLoss(); n != 0 {
			t.Errorf("buffer %d: %v", i, b)
		}
	}
}
