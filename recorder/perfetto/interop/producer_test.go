package interop

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// sdkMemory is a size of shared memory, in KiB, for all packets of a test: the
// library drops track events when none is left.
const sdkMemory = 16 << 10

// All packets of the library arrive, once and in order: events of several threads,
// and packets from a few bytes to more than the shared memory holds.
func TestProducerArrives(t *testing.T) {
	for _, c := range []struct {
		name    string
		kb      int
		rounds  int
		packets int
		big     int
	}{
		{name: "its own memory", kb: 0, packets: 150, big: 400_000},
		{name: "large memory", kb: sdkMemory, rounds: 1500, packets: 150, big: 100_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t)
			p := s.start("producer", c.kb)
			s.waitForProducers(1)
			k := s.consume()
			k.record(config())
			const threads = 3
			if c.rounds > 0 {
				p.do("events", threads, c.rounds)
			}
			p.do("packets", threads, c.packets, c.big)
			k.stop()
			packets := decode(t, k.read())
			if c.rounds > 0 {
				checkEvents(t, packets, threads, c.rounds)
			}
			checkPackets(t, packets, threads, c.packets, c.big)
			checkStats(t, packets)
			p.finish()
		})
	}
}

// Over TCP there is no shared memory: the library sends the chunks itself.
func TestProducerOverTCP(t *testing.T) {
	s := serveAt(t, "127.0.0.1:0")
	p := s.start("producer", sdkMemory)
	s.waitForProducers(1)
	k := s.consume()
	k.record(config(func(c *messages.TraceConfig) { c.TraceAllMachines = proto.Bool(true) }))
	const threads, rounds, count, big = 2, 300, 100, 200_000
	p.do("packets", threads, count, big)
	p.do("events", threads, rounds)
	k.stop()
	packets := decode(t, k.read())
	checkEvents(t, packets, threads, rounds)
	checkPackets(t, packets, threads, count, big)
	checkStats(t, packets)
	p.finish()
}
