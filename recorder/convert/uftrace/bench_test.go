package uftrace

import (
	"context"
	"io"
	"os"
	"testing"

	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/sources"
)

// recordedVariable has data directories to convert in a benchmark, separated like paths of commands.
const recordedVariable = "TRACEX_UFTRACE"

// BenchmarkRecorded converts data directories that were recorded.
func BenchmarkRecorded(b *testing.B) {
	dir := os.Getenv(recordedVariable)
	if dir == "" {
		b.Skipf("set %s to a data directory", recordedVariable)
	}
	var read int64
	var events int64
	for b.Loop() {
		w := calltrace.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, calltrace.Options{})
		in := sources.Input{Path: dir, Size: -1, Progress: func(n int64) { read = n }}
		if err := Source.Convert(context.Background(), in, "", w); err != nil {
			b.Fatal(err)
		}
		sum, err := w.Finish(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		events = sum.Events
		w.Discard()
	}
	b.SetBytes(read)
	b.ReportMetric(float64(events)*2*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
}
