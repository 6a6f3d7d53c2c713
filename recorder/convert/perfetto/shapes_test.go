package perfetto

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"tracex/format/tracefile"
)

// shapes are traces with a growing number of one kind of item: each function adds
// the i-th. The memory of a conversion must not grow with them.
var shapes = map[string]func(s *story, i uint64){
	"names": func(s *story, i uint64) {
		s.begin(100+i, fmt.Sprintf("request number %d", i), annotate(fmt.Sprintf("arg%d", i), intValue(i)))
		s.end(100 + i)
	},
	"tracks": func(s *story, i uint64) {
		s.track(1000+i, 10, "Async")
		s.begin(100+i, "A", onTrack(1000+i))
		s.end(105+i, onTrack(1000+i))
	},
	"threads": func(s *story, i uint64) {
		if i%20 == 0 {
			s.on(10+i, 1000+i)
			s.track(1000+i, 10, "", ofThreadOf(1, 1000+i, fmt.Sprintf("thread %d", i)))
		}
		s.instant(100+i, "A")
	},
	"interned": func(s *story, i uint64) {
		s.sequence = 2 + i%2000
		if i < 2000 {
			s.on(s.sequence, 10)
		}
		s.needing(100+i, i/2000+1, naming(i/2000+1, fmt.Sprintf("name %d of a sequence", i)))
	},
	"open slices": func(s *story, i uint64) { s.begin(100+i, "A") },
	"disorder":    func(s *story, i uint64) { s.instant(100+i*2654435761%100000007, "A") },
	"lanes":       func(s *story, i uint64) { s.begin(100+i, "A", onTrack(1000+i%5000)) },
}

// shaped is the trace of a shape with n items.
type shaped struct {
	add  func(s *story, i uint64)
	s    *story
	i, n uint64
	out  bytes.Reader
}

func (r *shaped) Read(b []byte) (int, error) {
	for r.out.Len() == 0 {
		if r.i == r.n {
			return 0, io.EOF
		}
		for len(r.s.trace) < 1<<20 && r.i < r.n {
			r.add(r.s, r.i)
			r.i++
		}
		r.out.Reset(bytes.Clone(r.s.trace))
		r.s.trace = r.s.trace[:0]
	}
	return r.out.Read(b)
}

// BenchmarkShapes converts each shape to no output. The peak memory is that of the
// process: run one shape at a time, as in -bench Shapes/names.
func BenchmarkShapes(b *testing.B) {
	for name, add := range shapes {
		b.Run(name, func(b *testing.B) {
			n := uint64(benchSize(b) / 1000)
			for b.Loop() {
				c := New(Options{TempDir: b.TempDir()})
				if err := c.Read(b.Context(), &shaped{add: add, s: simple(), n: n}); err != nil {
					b.Fatal(err)
				}
				if _, err := c.Write(b.Context(), tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}); err != nil {
					b.Fatal(err)
				}
				c.Close()
			}
			b.ReportMetric(peakMiB(), "MiB-peak")
		})
	}
}

// TestShapes converts a small trace of each shape.
func TestShapes(t *testing.T) {
	for name, add := range shapes {
		t.Run(name, func(t *testing.T) {
			trace, err := io.ReadAll(&shaped{add: add, s: simple(), n: 5000})
			if err != nil {
				t.Fatal(err)
			}
			w, err := convertBytes(t, trace, Options{Memory: 1 << 14})
			if err != nil {
				t.Fatal(err)
			}
			whole(t, w)
			if got := w.result.Events + int64(tooMany(w)); got < 5000 {
				t.Errorf("%d events", got)
			}
		})
	}
}

// tooMany returns how many slices were left out for lack of room.
func tooMany(w *written) (n int64) {
	for _, l := range w.result.LeftOut {
		if l.What == tooManyLanes.Of(l.Count) {
			n += l.Count
		}
	}
	return n
}
