package calltrace_test

import (
	"io"
	"testing"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
)

func nowhere() tracefile.Files {
	return tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}
}

// BenchmarkThread writes calls with an argument and a result, of one thread and of many in turns.
func BenchmarkThread(b *testing.B) {
	for _, bench := range []struct {
		name    string
		threads int
	}{{"1", 1}, {"8", 8}, {"10000", 10000}} {
		b.Run(bench.name, func(b *testing.B) {
			w := calltrace.New(nowhere(), calltrace.Options{})
			defer w.Discard()
			m := w.Method("Dao", "query")
			var threads []*calltrace.Thread
			for range bench.threads {
				threads = append(threads, w.Thread("t"))
			}
			c := calltrace.Call{Method: m, Place: w.Place("dao.c", "main", 7, []string{"id"}), Args: []format.Value{calltrace.Int(7)}}
			result := calltrace.Int(8)
			end := calltrace.End{Result: &result}
			ns := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				t := threads[int(ns/64)%len(threads)]
				if ns += 32; t.Depth() > 20 {
					_ = t.End(ns, &end)
				}
				c.Args[0].Bits = ns
				if err := t.Begin(ns, &c); err != nil {
					b.Fatal(err)
				}
				if ns&64 == 0 {
					if err := t.End(ns+10, &end); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
		})
	}
}

// BenchmarkTrack adds complete calls that begin in the order of their ends, and writes them.
func BenchmarkTrack(b *testing.B) {
	const calls = 1 << 20
	for b.Loop() {
		w := calltrace.New(nowhere(), calltrace.Options{TempDir: b.TempDir()})
		k := w.Track("t")
		c := calltrace.Call{Method: w.Method("Dao", "query"), Args: []format.Value{calltrace.Int(7)}}
		for n := range int64(calls) {
			depth := n % 8
			if err := k.Complete(n/8*1000+10*(8-depth), 20*depth+5, &c, &calltrace.End{}); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := w.Finish(b.Context()); err != nil {
			b.Fatal(err)
		}
		w.Discard()
	}
	b.ReportMetric(calls*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mcalls/s")
}

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
