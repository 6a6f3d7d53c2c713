package recorder

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/clock"
	"tracex/recorder/internal/files"
)

// start begins a recording in the test's directory.
func start(tb testing.TB, c Config) *Recorder {
	tb.Helper()
	if c.Path == "" {
		c.Path = filepath.Join(tb.TempDir(), "trace.bin")
	}
	r, err := Start(c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := r.Stop(); err != nil && !tb.Failed() && c.OnError == nil {
			tb.Error(err)
		}
	})
	return r
}

// discard is an output that forgets what it is given.
type discard struct{}

func (discard) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }
func (discard) Truncate(int64) error                   { return nil }
func (discard) Close() error                           { return nil }

func toDiscard(string) (files.OutFile, error) { return discard{}, nil }

// nowhere is a sink that forgets what it is given: this leaves only the encoder.
type nowhere struct{ partSink }

func (nowhere) put(*buffer, buffers.Part, bool) {}
func (nowhere) write()                          {}

// pair is what is measured: a call with its end.
type pair struct {
	name string
	call func(t *Thread, m Method, at Location)
}

var pairs = []pair{
	{"no_arguments", func(t *Thread, m Method, at Location) {
		t.Enter(m, at, Null())
		t.Exit(Void())
	}},
	{"two_ints_and_a_string", func(t *Thread, m Method, at Location) {
		t.Enter(m, at, Null(), Int(1234), Int(56789), String("a string of some length"))
		t.Exit(Int(42))
	}},
	{"one_line_no_arguments", func(t *Thread, m Method, at Location) {
		defer t.Call(m, at, Null()).End()
	}},
	{"one_line_two_ints_and_a_string", func(t *Thread, m Method, at Location) {
		result := 42
		defer t.Call(m, at, Null(), Int(1234), Int(56789), String("a string of some length")).End(&result)
	}},
	{"deferred_exit", func(t *Thread, m Method, at Location) {
		result := 42
		t.Enter(m, at, Null(), Int(1234), Int(56789), String("a string of some length"))
		defer func() { t.Exit(Int(result)) }()
	}},
}

// BenchmarkFloor is the baseline: appending 40 bytes to a buffer that restarts when it is full.
func BenchmarkFloor(b *testing.B) {
	buf := make([]byte, 0, DefaultBlockSize)
	var forty [40]byte
	for b.Loop() {
		if cap(buf)-len(buf) < len(forty) {
			buf = buf[:0]
		}
		buf = append(buf, forty[:]...)
	}
}

// BenchmarkClock reads the clock once; a pair takes two readings.
func BenchmarkClock(b *testing.B) {
	for _, plain := range []bool{false, true} {
		var c clock.Clock
		c.Begin((&Config{plain: plain}).counter(), nil, nil)
		name := "monotonic"
		if c.HasCounter() {
			name = "counter"
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c.Read()
			}
		})
	}
}

// BenchmarkPair records calls on some goroutines; a pair is an op. cpu-ns/op is the time of all
// processors: neither other programs on the machine nor waiting for a disk make it longer.
func BenchmarkPair(b *testing.B) {
	for _, way := range []struct {
		name    string
		c       Config
		encoder bool // without a sink
	}{
		{"stream", Config{}, false},
		{"stream_without_times", Config{NoTimes: true}, false},
		{"stream_to_nowhere", Config{create: toDiscard}, false},
		{"stream_to_nowhere_without_times", Config{create: toDiscard, NoTimes: true}, false},
		{"encoder", Config{create: toDiscard}, true},
		{"encoder_without_times", Config{create: toDiscard, NoTimes: true}, true},
		{"drop", Config{OnFull: Drop}, false},
		{"collect", Config{Strategy: CollectAndDump, MaxMemory: 1 << 40}, false},
	} {
		for _, p := range pairs {
			for _, goroutines := range []int{1, 2, 16} {
				b.Run(fmt.Sprintf("%s/%s/goroutines=%d", way.name, p.name, goroutines), func(b *testing.B) {
					r := start(b, way.c)
					if way.encoder {
						r.sink = nowhere{r.sink}
					}
					benchmarkPair(b, r, p, goroutines)
				})
			}
		}
	}
}

func benchmarkPair(b *testing.B, r *Recorder, p pair, goroutines int) {
	m := r.Method(r.Class("bench.Subject"), "call", Type{})
	at := r.Caller(0)
	b.ReportAllocs()
	var group sync.WaitGroup
	before, began := processorTime(), time.Now()
	b.ResetTimer()
	for g := range goroutines {
		n := (b.N + g) / goroutines
		group.Go(func() {
			t := r.Thread("worker")
			for range n {
				p.call(t, m, at)
			}
			t.End()
		})
	}
	group.Wait()
	b.StopTimer()
	if r.config.Strategy == CollectAndDump {
		began = time.Now() // measure only the writing
		if err := r.Dump(); err != nil {
			b.Fatal(err)
		}
	}
	saved, err := r.Flush()
	if err != nil {
		b.Fatal(err)
	}
	took := time.Since(began)
	n := float64(b.N)
	b.ReportMetric(float64(processorTime()-before)/n, "cpu-ns/op")
	b.ReportMetric(float64(saved.DataBytes)/n, "B/op-data")
	b.ReportMetric(float64(saved.IndexBytes)/n, "B/op-index")
	b.ReportMetric(float64(saved.TimeBytes)/n, "B/op-times")
	b.ReportMetric(float64(saved.DataBytes+saved.IndexBytes+saved.TimeBytes)/took.Seconds()/1e6, "MB/s")
	b.ReportMetric(float64(saved.Dropped)/n, "dropped/op")
}
