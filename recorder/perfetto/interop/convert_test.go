package interop

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/recorder/convert/perfetto"
)

// A converted recording of the library opens with its index, and shows the program's
// events.
func TestConverted(t *testing.T) {
	s := serve(t)
	p := s.start("producer", sdkMemory)
	s.waitForProducers(1)
	k := s.consume()
	k.record(config())
	const threads, rounds = 2, 200
	p.do("events", threads, rounds)
	k.stop()
	data := convertTrace(t, k.read())
	p.finish()

	r, err := lazy.Open(data, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if status := r.Status(); status.Problem != nil {
		t.Fatal(status.Problem)
	}
	var text strings.Builder
	if err := r.Print(t.Context(), &text, lazy.PrintOptions{Verbose: true}, lazy.PrintRange{}); err != nil {
		t.Fatal(err)
	}
	// Most events have no location.
	shown := strings.ReplaceAll(text.String(), " at :0\n", "\n")
	waiting, seen := 0, make(map[string]bool)
	for block := range strings.SplitSeq(shown, "# Thread ") {
		head, lines, _ := strings.Cut(block, "\n")
		if strings.Contains(head, "queue") {
			waiting += strings.Count(lines, "work.waiting()\n")
			continue
		}
		for thread := range threads {
			if strings.Contains(head, fmt.Sprintf("worker %d ", thread)) {
				seen[head] = true
				if want := convertedRounds(thread, rounds); lines != want {
					t.Errorf("%s shows\n%.1000s\nwant\n%.1000s", head, lines, want)
				}
			}
		}
	}
	if len(seen) != threads || waiting != threads*rounds {
		t.Errorf("%d threads and %d slices of the queue, want %d and %d:\n%.2000s",
			len(seen), waiting, threads, threads*rounds, shown)
	}
}

// convertedRounds returns a thread's rounds as the explorer shows them.
func convertedRounds(thread, rounds int) string {
	var b strings.Builder
	for n := range rounds {
		half, count := fmt.Sprint(float64(n)/2), fmt.Sprint(n)
		if n%2 == 0 {
			half += ".0"
		}
		if thread%2 != 0 {
			count += ".5"
		}
		flow := uint64(thread)<<32 | uint64(n)
		fmt.Fprintf(&b, "work.outer(thread ➜ %d, round ➜ %d, text ➜ \"round %d\", even ➜ %v, half ➜ %s, place ➜ %#x, flow ➜ %#x): left ➜ %d\n",
			thread, -n, n, n%2 == 0, half, 4096+n, flow, n)
		fmt.Fprintf(&b, "  mark(flow end ➜ %#x) at src/events.rs:%d\n  done by %d = %s\n  inner()\n", flow, n, thread, count)
	}
	return b.String()
}

// convertTrace converts a trace and returns the path of its data.
func convertTrace(t *testing.T, trace []byte) string {
	t.Helper()
	c := perfetto.New(perfetto.Options{TempDir: t.TempDir()})
	defer c.Close()
	if err := c.Read(t.Context(), bytes.NewReader(trace)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.bin")
	var files []*os.File
	for _, suffix := range []string{"", ".idx", ".tim"} {
		f, err := os.Create(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files = append(files, f)
	}
	result, err := c.Write(t.Context(), tracefile.Files{Data: files[0], Index: files[1], Times: files[2]})
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range result.LeftOut {
		t.Logf("left out: %+v", left)
	}
	return path
}
