package interop

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// BenchmarkLibrary measures track events of the library and of our producer,
// alternating. Service, program and consumer are separate processes, and so is each
// writer. The program has 32 MiB of shared memory in pages of 32 KiB, the maximum,
// since the library drops events when none is left, where ours waits. The metrics,
// each the median of all rounds:
//
//	…-ns      time of a thread for a begin and an end
//	…-kp/s    thousands of pairs a second, of all threads, until all is in the
//	          buffer of the service
//	…-lost    events that are not in the trace, of all rounds
//
// A burst has as many pairs as fit into the shared memory, a flood ten times as
// many. plain has no arguments, args has two. The writers are the Rust crate, the C
// library that it uses without the crate's lock and allocations, and ours.
func BenchmarkLibrary(b *testing.B) {
	needInterop(b)
	if _, err := theFastProgram(); err != nil {
		b.Fatal(err)
	}
	for _, load := range []struct {
		name  string
		pairs int // per thread
	}{{"burst", 100_000}, {"flood", 1_000_000}} {
		for _, kind := range []string{"plain", "args"} {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/threads=%d", load.name, kind, threads), func(b *testing.B) {
					benchmarkWriters(b, kind, threads, load.pairs)
				})
			}
		}
	}
}

// writer is a measured writer.
type writer struct {
	name      string // in the metrics
	kind      string // in the program's commands
	s         *service
	p         *program
	each      []float64 // ns a pair, of each round
	thousands []float64 // of pairs a second, of each round
	lost      int
}

func benchmarkWriters(b *testing.B, kind string, threads, pairs int) {
	var writers []*writer
	for _, w := range []*writer{{name: "crate", kind: kind}, {name: "c", kind: "c-" + kind}, {name: "ours", kind: kind}} {
		w.start(b)
		writers = append(writers, w)
	}
	for b.Loop() {
		for _, w := range writers {
			w.round(b, threads, pairs)
		}
	}
	b.ReportMetric(0, "ns/op") // of all writers together, so meaningless
	for _, w := range writers {
		b.ReportMetric(median(w.each), w.name+"-ns")
		b.ReportMetric(median(w.thousands), w.name+"-kp/s")
		b.ReportMetric(float64(w.lost), w.name+"-lost")
	}
}

func (w *writer) start(b *testing.B) {
	w.s = newService(b)
	w.s.run()
	if w.name == "ours" {
		w.p = w.s.startOurs()
	} else {
		path, err := theFastProgram()
		if err != nil {
			b.Fatal(err)
		}
		w.p = w.s.startProgram(path, "producer")
	}
	w.s.waitForSource("track_event", 1)
}

// round records once.
func (w *writer) round(b *testing.B, threads, pairs int) {
	name := w.p.cmd.Path
	if w.name == "ours" {
		name = oursName
	}
	k := w.s.consume()
	k.record(config(func(c *messages.TraceConfig) {
		c.Buffers[0].SizeKb = proto.Uint32(1 << 20)
		c.Producers = []*messages.TraceConfig_ProducerConfig{{
			ProducerName: proto.String(name), ShmSizeKb: proto.Uint32(32 << 10), PageSizeKb: proto.Uint32(32),
		}}
	}))
	begin := time.Now()
	fields := w.p.do("bench", w.kind, threads, pairs)
	k.invoke("Flush", &messages.FlushRequest{TimeoutMs: proto.Uint32(uint32(patience.Milliseconds()))}, nil)
	took := time.Since(begin)
	k.stop()
	w.each = append(w.each, float64(field(b, fields, "thread-ns"))/float64(pairs))
	w.thousands = append(w.thousands, float64(pairs*threads)/1e3/took.Seconds())
	// Each thread writes a pair before the measurement.
	w.lost += threads*(pairs+1)*2 - countEvents(b, k.read())
	k.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// fieldTrackEvent is the number of a packet's field.
const fieldTrackEvent = 11

// countEvents counts the track events of a trace.
func countEvents(t testing.TB, trace []byte) (count int) {
	t.Helper()
	eachPacket(t, trace, func(packet []byte) {
		for len(packet) > 0 {
			number, kind, tag := protowire.ConsumeTag(packet)
			n := protowire.ConsumeFieldValue(number, kind, packet[max(tag, 0):])
			if tag < 0 || n < 0 {
				t.Fatal("a packet is damaged")
			}
			if number == fieldTrackEvent {
				count++
			}
			packet = packet[tag+n:]
		}
	})
	return count
}
