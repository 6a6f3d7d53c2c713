package interop

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tracex/recorder/perfetto/messages"
)

// A program is killed while it writes: all packets that it had finished are in the
// trace, in order and once. That holds for packets that are complete with their last
// byte. Of packets with a length in another chunk, which the program sends
// afterwards, some of the last may be missing: the packet after them is marked as
// following a loss, and no other packet is.
func TestKilledProducer(t *testing.T) {
	s := serve(t)
	for _, kind := range []string{"plain", "nested"} {
		for n := range 4 {
			t.Run(fmt.Sprintf("%s/%d", kind, n), func(t *testing.T) { killOnce(t, s, kind) })
		}
	}
}

func killOnce(t *testing.T, s *service, kind string) {
	const threads, most = 3, 100_000
	s = &service{t, s.producers, s.consumers}
	p := s.start("producer")
	s.waitForProducers(1)
	k := s.consume()
	k.record(config())
	progress := filepath.Join(t.TempDir(), "progress")
	if err := os.WriteFile(progress, make([]byte, 8*threads), 0o600); err != nil {
		t.Fatal(err)
	}
	p.do("endless", kind, threads, most, progress)
	waitForProgress(t, progress, 1+rand.IntN(most/10))
	p.kill()
	s.waitUntilAlone()
	k.stop()
	found := testPacketsOf(t, decode(t, k.read()))
	k.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil) // a user has only a few sessions at once
	for thread, finished := range readProgress(t, progress) {
		next := 0
		for _, p := range found[thread] {
			e := p.GetForTesting()
			seq := int(e.GetSeqValue())
			if e.GetStr() != strings.Repeat(fmt.Sprint(seq%10), seq%97) {
				t.Fatalf("thread %d: packet %d is %v", thread, seq, e)
			}
			lost := next > 0 && p.GetPreviousPacketDropped() != 0
			if seq < next || lost != (seq > next) || lost && kind == "plain" {
				t.Fatalf("thread %d: packet %d is there where %d should be, a loss before it: %v", thread, seq, next, lost)
			}
			next = seq + 1
		}
		t.Logf("thread %d had finished %d packets, the trace has %d of the first %d", thread, finished, len(found[thread]), next)
		// One packet may be written but not counted yet.
		if kind == "plain" && next < finished || next > finished+1 && finished > 0 {
			t.Errorf("thread %d had finished %d packets, the trace has the first %d", thread, finished, next)
		}
	}
}

// readProgress returns how many packets each thread has finished.
func readProgress(t *testing.T, path string) (finished []int) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(b, 8) {
		finished = append(finished, int(binary.LittleEndian.Uint64(part)))
	}
	return finished
}

// waitForProgress waits until the threads together have finished count packets, and
// each at least one.
func waitForProgress(t *testing.T, path string, count int) {
	t.Helper()
	late := time.After(patience)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		sum, each := 0, true
		for _, n := range readProgress(t, path) {
			sum, each = sum+n, each && n > 0
		}
		if sum >= count && each {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("the program has written %d packets, not %d", sum, count)
		}
	}
}

// waitUntilAlone waits until no program is connected.
func (s *service) waitUntilAlone() {
	s.waitFor("the program is still there", func(state *messages.TracingServiceState) bool {
		return len(state.Producers) == 0
	})
}
