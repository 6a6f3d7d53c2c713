//go:build linux

package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/eager"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
	"tracex/recorder/perfetto/perfettotest"
	"tracex/recorder/recording"
)

// bothWays is a recording of an instrumented program that also records itself.
type bothWays struct {
	raw     *rawtest.File
	packets []byte
	events  []int // of the threads in packets
}

func newBothWays(t *testing.T) *bothWays {
	t.Helper()
	f := rawtest.New(rawtest.Options{Clock: raw.ClockNanos})
	f.Now = f.Nanos
	g := f.Goroutine(1 << 7)
	g.Begin(1, 0, 0, 0)
	run := &raw.Function{ID: 1, Package: "example.com/shop", Name: "main"}
	g.Enter(run, 0)
	f.Now += 1000
	g.Exit(run)
	data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Calls, N: 60, Threads: 2, Options: formattest.Options{Version: format.V27}})
	j := &bothWays{raw: f, packets: perfettotest.Clocks(500, f.Nanos, f.Wall)} // calls are at 1000
	calls, err := perfettotest.RecordedCalls(data, 1)
	if err != nil {
		t.Fatal(err)
	}
	j.packets = append(j.packets, calls...)
	forest, err := eager.Load(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range forest.Threads {
		j.events = append(j.events, thread.Points())
	}
	return j
}

// put puts the recording into a folder.
func (j *bothWays) put(t *testing.T, folder string) {
	t.Helper()
	j.raw.Save(t, filepath.Join(folder, "4711-1"+raw.Suffix))
	if err := os.WriteFile(recording.SpoolIn(folder), j.packets, 0o600); err != nil {
		t.Fatal(err)
	}
}

// has checks that a trace has what the program recorded in both ways, with the first threads of the
// packets.
func (j *bothWays) has(t *testing.T, path string, threads int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	forest, err := eager.Load(bytes.NewReader(data))
	if err != nil || forest.Problem != nil {
		t.Fatal(err, forest.Problem)
	}
	if len(forest.Threads) != 1+threads || forest.Threads[0].Name != "main" || forest.Threads[0].Points() != 1 {
		t.Fatalf("%d threads, the first is %+v", len(forest.Threads), forest.Threads[0])
	}
	events := map[int32]bool{}
	for all := format.NewBytesScanner(data); all.Next(); {
		if o := all.Object(); o.Kind == format.KindTracePoint {
			var p format.Point
			if _, err := all.Version().DecodePoint(o.Bytes, &p); err != nil {
				t.Fatal(err)
			}
			events[p.Event] = true
		}
	}
	want := 1
	for i, thread := range forest.Threads[1:] {
		want += j.events[i]
		if thread.Name != "recording › thread" || thread.Points() != j.events[i] {
			t.Errorf("%s has %d events, want %d", thread.Name, thread.Points(), j.events[i])
		}
	}
	if len(events) != want {
		t.Errorf("%d numbers of %d events", len(events), want)
	}
}

// TestConvertJoined converts what --keep-raw keeps.
func TestConvertJoined(t *testing.T) {
	whole := newBothWays(t)
	clocks := len(perfettotest.Clocks(500, whole.raw.Nanos, whole.raw.Wall))
	for name, c := range map[string]struct {
		change  func(packets []byte) []byte
		threads int // of the packets, in the trace
		exit    int
		said    []string
	}{
		"whole":   {func(b []byte) []byte { return b }, 2, 0, []string{"recorded 1 call of 1 function, 1 goroutine, ", " of package recorder in 2 threads in "}},
		"empty":   {func(b []byte) []byte { return nil }, 0, 0, []string{"recorded 1 call of 1 function, 1 goroutine in "}},
		"cut":     {func(b []byte) []byte { return b[:len(b)-1] }, 1, 4, []string{" of package recorder in 1 thread in ", "cut short", "spool.pftrace", "everything before this offset"}},
		"damaged": {func(b []byte) []byte { return append(slices.Clone(b[:clocks]), 0xff) }, 0, 4, []string{"1 goroutine in ", "spool.pftrace"}},
		"without clocks": {func(b []byte) []byte { return b[clocks:] }, 0, 1,
			[]string{"1 goroutine in ", "package recorder is not in ", "no snapshot", "tracex convert -o OTHER "}},
	} {
		t.Run(name, func(t *testing.T) {
			j, folder := *whole, t.TempDir()
			j.packets = c.change(j.packets)
			j.put(t, folder)
			out := filepath.Join(t.TempDir(), "trace.bin")
			_, said, exit := runCommand(t, "convert", "-o", out, folder)
			if exit != c.exit {
				t.Errorf("exit code %d, want %d", exit, c.exit)
			}
			for _, text := range c.said {
				if !strings.Contains(said, text) {
					t.Errorf("%q is not in %s", text, said)
				}
			}
			j.has(t, out, c.threads)
		})
	}
}

// TestFinishJoined completes the trace of a killed tracex record: with the packets, or it says where
// they are kept.
func TestFinishJoined(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(j *bothWays)
		threads int
		kept    bool
		said    []string
	}{
		"whole":    {func(j *bothWays) {}, 2, false, []string{"completed the trace (1 call, ", " of package recorder)"}},
		"cut":      {func(j *bothWays) { j.packets = j.packets[:len(j.packets)-1] }, 1, false, []string{"completed the trace (1 call, ", " of package recorder)"}},
		"no clock": {func(j *bothWays) { j.packets = j.packets[len(perfettotest.Clocks(500, j.raw.Nanos, j.raw.Wall)):] }, 0, true, []string{"completed the trace (1 call, 0 events of package recorder)", "kept in "}},
	} {
		t.Run(name, func(t *testing.T) {
			j := newBothWays(t)
			c.change(j)
			out := filepath.Join(t.TempDir(), "trace.bin")
			folder, err := recording.Create(out, recording.About{PID: os.Getpid()})
			if err != nil {
				t.Fatal(err)
			}
			j.put(t, folder.Path())
			if err := folder.Close(); err != nil {
				t.Fatal(err)
			}
			a, said := silent(t)
			a.finishRecording(context.Background(), out, true)
			for _, text := range c.said {
				if !strings.Contains(said(), text) {
					t.Errorf("%q is not in %s", text, said())
				}
			}
			j.has(t, out, c.threads)
			want := []string{"trace.bin", "trace.bin.idx", "trace.bin.tim"}
			if c.kept {
				want = slices.Insert(want, 2, "trace.bin.pftrace")
				if b, err := os.ReadFile(out + ".pftrace"); err != nil || !bytes.Equal(b, j.packets) {
					t.Errorf("%d bytes of packets are kept, %v", len(b), err)
				}
			}
			if left := formattest.Names(t, filepath.Dir(out)); !slices.Equal(left, want) {
				t.Errorf("there are %q, want %q", left, want)
			}
		})
	}
}

// TestFinishLater completes a trace that was begun with packets, when there are raw files: these are added, or
// kept beside if their clock is unknown.
func TestFinishLater(t *testing.T) {
	for _, clocks := range []bool{true, false} {
		j := newBothWays(t)
		if !clocks {
			j.packets = j.packets[len(perfettotest.Clocks(500, j.raw.Nanos, j.raw.Wall)):]
		}
		out := filepath.Join(t.TempDir(), "trace.bin")
		folder, err := recording.Create(out, recording.About{PID: os.Getpid()})
		if err != nil {
			t.Fatal(err)
		}
		leaveLive(t, out, folder, j.packets)
		j.raw.Save(t, filepath.Join(folder.Path(), "4711-1"+raw.Suffix))
		if err := folder.Close(); err != nil {
			t.Fatal(err)
		}
		a, said := silent(t)
		a.finishRecording(context.Background(), out, true)
		want, names := "completed the trace (1 call, ", []string{"trace.bin", "trace.bin.idx", "trace.bin.tim"}
		if !clocks {
			want, names = "what instrumented programs recorded is kept in "+out+recording.RawFolder, []string{"trace.bin", "trace.bin.idx", "trace.bin" + recording.RawFolder} // nothing has a time
		}
		if !strings.Contains(said(), want) {
			t.Errorf("it says %s", said())
		}
		if left := formattest.Names(t, filepath.Dir(out)); !slices.Equal(left, names) {
			t.Errorf("there are %q", left)
		}
		forest, err := eager.Load(bytes.NewReader(readFile(t, out)))
		if err != nil || forest.Problem != nil {
			t.Fatal(err, forest.Problem)
		}
		threads := len(j.events)
		if clocks {
			threads++
		}
		if len(forest.Threads) != threads || clocks && forest.Threads[threads-1].Name != "shop.test › main" {
			t.Errorf("%d threads, the last is %+v", len(forest.Threads), forest.Threads[len(forest.Threads)-1])
		}
	}
}
