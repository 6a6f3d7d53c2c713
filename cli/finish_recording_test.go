package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/recorder"
	"tracex/recorder/perfetto/perfettotest"
	"tracex/recorder/recording"
	"tracex/recorder/shared"
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
	live, err := newLiveConversion(out, folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{packets[0], packets[1], packets[1]} { // the second sends all of it again
		if err := live.Take(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := live.Advance(live.Taken()); err != nil {
		t.Fatal(err)
	}
	live.close() // as when the process is killed: the trace does not end
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

// originalFile writes what the programs recorded to a file.
func originalFile(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "original.bin")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestUnreadLiveIsKept: a live file that cannot be read is kept beside the trace, and said to be there.
func TestUnreadLiveIsKept(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "t.bin")
	for n, want := range []string{trace + ".unread.live", trace + ".2.unread.live"} {
		dir := trace + recording.Suffix
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint("of another version ", n)
		for suffix, b := range map[string]string{"": text, shared.UnsentSuffix: "unsent " + text} {
			if err := os.WriteFile(filepath.Join(dir, "7"+recorder.LiveSuffix+suffix), []byte(b), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var told []string
		(&app{}).finishRecorders(dir, trace, io.Discard, func(what string, why error) { told = append(told, what+": "+why.Error()) })
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if len(told) != 1 || !strings.HasPrefix(told[0], "the last calls of a program are missing: ") || !strings.HasSuffix(told[0], "; what it left is kept in "+want) {
			t.Errorf("%q", told)
		}
		for suffix, b := range map[string]string{"": text, shared.UnsentSuffix: "unsent " + text} {
			if got, err := os.ReadFile(want + suffix); err != nil || string(got) != b {
				t.Errorf("%s: %q, %v", want+suffix, got, err)
			}
		}
	}
}
