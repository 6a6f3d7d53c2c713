package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/lazy/eager"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/perfetto/perfettotest"
	"tracex/recorder/recording"
)

// TestFinishTwoRecorders has two programs in a recording whose process is killed: the calls of
// the first are in the trace, those of the second are packets. Both are in the completed trace,
// and messages say what it lacks.
func TestFinishTwoRecorders(t *testing.T) {
	data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Calls, N: 300, Options: formattest.Options{Version: format.V27}})
	var packets [2][]byte
	for i := range packets {
		var err error
		if packets[i], err = perfettotest.RecordedCalls(data, uint64(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "trace.bin")
	folder, err := recording.Create(out, recording.About{PID: os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	leaveLive(t, out, folder, packets[0], packets[1], packets[1]) // the second sends all of it again
	if err := folder.Close(); err != nil {
		t.Fatal(err)
	}

	a, said := silent(t)
	a.finishRecording(context.Background(), out, true)
	var points [2]int
	for i, path := range []string{out, originalFile(t, data)} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatalf("%v: %s", err, said())
		}
		defer f.Close()
		forest, err := eager.Load(f)
		if err != nil || forest.Problem != nil {
			t.Fatalf("%s: %v, %v", path, err, forest.Problem)
		}
		for _, thread := range forest.Threads {
			points[i] += thread.Points()
		}
	}
	if points[0] != 2*points[1] {
		t.Errorf("the trace has %d trace points, want %d of each program", points[0], points[1])
	}
	if text := said(); !strings.Contains(text, "completed the trace") || !strings.Contains(text, "left out: 1 duplicate packet of recorded calls") {
		t.Errorf("it says %q", text)
	}
}

// leaveLive leaves what a recording has when its process is killed: a trace of packets that does not end.
func leaveLive(t *testing.T, out string, folder *recording.Directory, packets ...[]byte) {
	t.Helper()
	create := func(path string) *os.File {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	live := perfetto.NewLive(perfetto.LiveOptions{
		Options: perfetto.Options{TempDir: filepath.Dir(out)}, Rest: create(folder.Spool()), Progress: create(folder.Progress()),
		Create: func() (tracefile.Files, error) {
			return tracefile.Files{Times: create(out + format.TimesSuffix), Index: create(out + format.IndexSuffix), Data: create(out)}, nil
		},
	})
	for _, b := range packets {
		if err := live.Take(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := live.Advance(live.Taken()); err != nil {
		t.Fatal(err)
	}
	live.Close()
}

// originalFile writes what the programs recorded to a file.
func originalFile(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "original.bin")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
