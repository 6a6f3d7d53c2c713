package interop

import (
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// The library's consumer records through our service the packets that its producer
// wrote, and our consumer reads the same in clones of the session, made before and
// after its end.
func TestConsumerReadsTheSame(t *testing.T) {
	s := serve(t)
	p, r := s.start("producer", sdkMemory), s.start("consumer")
	s.waitForProducers(1)
	r.do("setup", configFile(t, config(func(c *messages.TraceConfig) { c.UniqueSessionName = proto.String("interop") })))
	r.do("start")
	const threads, rounds, count, big = 3, 700, 120, 100_000
	p.do("events", threads, rounds)
	p.do("packets", threads, count, big)
	r.do("flush", patience.Milliseconds())
	during := s.clone("interop")
	r.do("stop")
	after := s.clone("interop")
	path := filepath.Join(t.TempDir(), "trace")
	r.do("read", path)
	trace, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	packets := decode(t, trace)
	checkEvents(t, packets, threads, rounds)
	checkPackets(t, packets, threads, count, big)
	checkStats(t, packets)
	sameTrace(t, trace, during)
	sameTrace(t, trace, after)

	// It can record again, and end without having read.
	r.do("setup", configFile(t, config()))
	r.do("start")
	p.do("packets", 1, 10, 0)
	r.do("free")
	r.finish()
	p.finish()
}

// clone reads a clone of a session.
func (s *service) clone(name string) []byte {
	s.t.Helper()
	c := s.consume()
	m := new(messages.CloneSessionResponse)
	c.invoke("CloneSession", &messages.CloneSessionRequest{
		Selector: &messages.CloneSessionRequest_UniqueSessionName{UniqueSessionName: name},
	}, m)
	if !m.GetSuccess() {
		s.t.Fatal(m.GetError())
	}
	return c.read()
}

// Two sessions at the same time: each has all packets written while it ran.
func TestTwoSessions(t *testing.T) {
	s := serve(t)
	p := s.start("producer", sdkMemory)
	s.waitForProducers(1)
	first, second := s.consume(), s.consume()
	first.record(config())
	p.do("packets", 2, 60, 50_000)
	second.record(config())
	p.do("events", 2, 500)
	first.stop()
	p.do("packets", 3, 100, 50_000)
	second.stop()

	packets := decode(t, first.read())
	checkPackets(t, packets, 2, 60, 50_000)
	checkEvents(t, packets, 2, 500)
	checkStats(t, packets)
	packets = decode(t, second.read())
	checkPackets(t, packets, 3, 100, 50_000)
	checkEvents(t, packets, 2, 500)
	checkStats(t, packets)
	p.finish()
}

// A trigger that the library sends starts a session.
func TestTriggerStarts(t *testing.T) {
	s := serve(t)
	p := s.start("producer", sdkMemory)
	s.waitForProducers(1)
	k := s.consume()
	k.enable(config(func(c *messages.TraceConfig) {
		c.TriggerConfig = &messages.TraceConfig_TriggerConfig{
			TriggerMode:      messages.TraceConfig_TriggerConfig_START_TRACING.Enum(),
			TriggerTimeoutMs: proto.Uint32(uint32(patience.Milliseconds())),
			Triggers:         []*messages.TraceConfig_TriggerConfig_Trigger{{Name: proto.String("go")}},
		}
	}))
	s.waitFor("there is no session", func(state *messages.TracingServiceState) bool { return state.GetNumSessions() == 1 })
	p.do("packets", 1, 20, 0) // no session records these
	p.do("trigger", "go")
	k.waitUntilStarted()
	p.do("packets", 2, 30, 0)
	k.stop()
	packets := decode(t, k.read())
	checkPackets(t, packets, 2, 30, 0)
	found := false
	for _, packet := range packets {
		found = found || packet.GetTrigger().GetTriggerName() == "go"
	}
	if !found {
		t.Error("the trace does not tell of the trigger")
	}
	p.finish()
}

// When the service has the library clear its state, the library writes it again, and
// nothing is lost.
func TestStateIsCleared(t *testing.T) {
	s := serve(t)
	p := s.start("producer", sdkMemory)
	s.waitForProducers(1)
	k := s.consume()
	k.record(config(func(c *messages.TraceConfig) {
		c.IncrementalStateConfig = &messages.TraceConfig_IncrementalStateConfig{ClearPeriodMs: proto.Uint32(1)}
	}))
	const rounds = 2000
	var trace []byte
	cleared := make(map[uint32]int)
	for again := false; !again; {
		p.do("events", 1, rounds)
		k.invoke("Flush", &messages.FlushRequest{TimeoutMs: proto.Uint32(uint32(patience.Milliseconds()))}, nil)
		more := k.read()
		for _, packet := range decode(t, more) {
			if packet.GetSequenceFlags()&uint32(messages.TracePacket_SEQ_INCREMENTAL_STATE_CLEARED) != 0 {
				seq := packet.GetTrustedPacketSequenceId()
				cleared[seq]++
				again = again || cleared[seq] > 1
			}
		}
		trace = append(trace, more...)
	}
	k.stop()
	for seq, events := range eventsOf(t, decode(t, append(trace, k.read()...))) {
		sameEvents(t, int(seq), events, expectedRounds(0, rounds))
	}
	p.finish()
}
