package calltrace_test

import (
	"testing"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
)

// BenchmarkManyTracks adds calls to many tracks in turns: more than have a batch in memory.
func BenchmarkManyTracks(b *testing.B) {
	const tracks, turns = 100_000, 30
	for b.Loop() {
		w := calltrace.New(nowhere(), calltrace.Options{TempDir: b.TempDir()})
		var list []*calltrace.Track
		for range tracks {
			list = append(list, w.Track("t"))
		}
		c := calltrace.Call{Method: w.Method("Dao", "query"), Args: []format.Value{calltrace.Int(7)}}
		for turn := range int64(turns) {
			for _, k := range list {
				if err := k.Complete(turn*1000, 20, &c, &calltrace.End{}); err != nil {
					b.Fatal(err)
				}
			}
		}
		if _, err := w.Finish(b.Context()); err != nil {
			b.Fatal(err)
		}
		w.Discard()
	}
	b.ReportMetric(tracks*turns*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
}
