package interop

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracex/recorder/perfetto/messages"
)

// More events than fit into the shared memory: the library drops some. Each gap in
// the trace is marked, and the remaining events are in order and unique. A single
// thread has room for its first round, in which it writes the names.
//
// In memory of a single chunk some are certainly lost: the library takes the next chunk
// before it gives the full one away. The mark follows at the latest in the rounds that
// it writes once the service has emptied the memory. In more memory the library may lose
// nothing, if the service reads as fast as it writes.
func TestLossIsMarked(t *testing.T) {
	const chunk, rounds, after = 4, 5000, 1000 // a chunk is as large as a page, in KiB
	for _, kb := range []int{chunk, 4 * chunk} {
		t.Run(fmt.Sprint(kb, " KiB"), func(t *testing.T) {
			s := serve(t)
			p := s.start("producer", kb)
			s.waitForProducers(1)
			k := s.consume()
			k.record(config())
			p.do("events", 1, rounds, after)
			k.stop()
			sequences := eventsOf(t, decode(t, k.read()))
			if len(sequences) != 1 {
				t.Fatalf("%d sequences have events, want 1", len(sequences))
			}
			for _, events := range sequences {
				marks := checkGaps(t, events, expectedRounds(0, rounds+after))
				t.Logf("%d of %d events, %d marks of loss", len(events), 8*(rounds+after), marks)
				if kb == chunk && marks == 0 {
					t.Error("nothing is lost")
				}
			}
			p.finish()
		})
	}
}

// checkGaps fails unless events are the wanted ones, with gaps exactly where the
// marks are. It returns the number of marks.
func checkGaps(t *testing.T, events, want []string) (marks int) {
	t.Helper()
	// Where a unique text is; 0 if it is not unique.
	places := make(map[string]int)
	for i, text := range want {
		if _, again := places[text]; again {
			i = -1
		}
		places[text] = i + 1
	}
	next, known := 0, true
	for n, event := range events {
		text, marked := strings.CutPrefix(event, lossMark)
		if marked {
			marks, known = marks+1, false
		}
		switch place := places[text]; {
		case !known && place > 0 && place <= next:
			t.Fatalf("event %d, %q, is after a later one", n, text)
		case !known && place > 0:
			next, known = place, true
		case !known && !slices.Contains(want, text):
			t.Fatalf("event %d is %q", n, text)
		case known && (next >= len(want) || want[next] != text):
			t.Fatalf("event %d is %q, want %q: a gap without a mark", n, text, want[min(next, len(want)-1)])
		case known:
			next++
		}
	}
	if known && next < len(want) {
		t.Logf("the last %d events are missing", len(want)-next)
	}
	return marks
}

// Several programs at the same time, each with all its packets under its own process
// id. One is killed, which does not affect the others.
func TestSeveralPrograms(t *testing.T) {
	const programs, threads, count, big = 6, 2, 100, 30_000
	s := serve(t)
	var all []*program
	for range programs {
		all = append(all, s.start("producer"))
	}
	s.waitForProducers(programs)
	k := s.consume()
	k.record(config())
	late := all[0].begin("packets", threads, count, big)
	for _, p := range all[1:] {
		p.begin("packets", threads, count, big)
	}
	for _, p := range all {
		p.done(late, "packets")
	}
	all[0].kill()
	all[1].do("events", 1, 50)
	k.stop()
	packets := decode(t, k.read())
	for n, p := range all {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			own := slices.DeleteFunc(slices.Clone(packets), func(packet *messages.TracePacket) bool {
				return int(packet.GetTrustedPid()) != p.cmd.Process.Pid
			})
			checkPackets(t, own, threads, count, big)
			if n == 1 {
				checkEvents(t, own, 1, 50)
			}
		})
	}
	checkStats(t, packets)
}
