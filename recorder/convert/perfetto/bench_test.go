package perfetto

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"tracex/format/formattest"
	"tracex/format/tracefile"
)

// benchSize returns the size of the trace to convert, in MiB:
// TRACEX_BENCH_PFTRACE=2000 selects a larger one.
func benchSize(b *testing.B) int64 {
	size := int64(64)
	if v := os.Getenv("TRACEX_BENCH_PFTRACE"); v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		size = n
	}
	return size << 20
}

// BenchmarkConvert converts a generated trace from a file to files, and to no
// output.
func BenchmarkConvert(b *testing.B) {
	path := filepath.Join(b.TempDir(), "trace.pftrace")
	g := generated{threads: 8, size: benchSize(b), turn: 20000}
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	size, err := g.writeTo(w)
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	for _, to := range []string{"files", "nowhere"} {
		b.Run(to, func(b *testing.B) {
			b.SetBytes(size)
			cpu := cpuSeconds()
			for b.Loop() {
				dir := b.TempDir()
				out := tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}
				if to == "files" {
					for _, w := range []*io.Writer{&out.Data, &out.Index, &out.Times} {
						f, err := os.CreateTemp(dir, "out")
						if err != nil {
							b.Fatal(err)
						}
						defer f.Close()
						*w = f
					}
				}
				benchOnce(b, path, dir, out, &g)
			}
			b.ReportMetric(float64(g.pairs)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpairs/s")
			if cpu > 0 {
				b.ReportMetric(float64(size)*float64(b.N)/1e6/(cpuSeconds()-cpu), "MB/cpu-s")
			}
		})
	}
}

func benchOnce(b *testing.B, path, dir string, out tracefile.Files, g *generated) {
	in, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	c := New(Options{TempDir: dir})
	defer c.Close()
	if err := c.Read(b.Context(), in); err != nil {
		b.Fatal(err)
	}
	r, err := c.Write(b.Context(), out)
	if err != nil {
		b.Fatal(err)
	}
	if r.Events < g.pairs || len(r.LeftOut) > 0 {
		b.Fatalf("%d events of %d pairs, left out: %v", r.Events, g.pairs, r.LeftOut)
	}
	b.ReportMetric(peakMiB(), "MiB-peak")
}

// BenchmarkCalls converts recorded calls: into the same version, and into the other.
func BenchmarkCalls(b *testing.B) {
	for _, from := range versions {
		data, _ := formattest.Bytes(b, formattest.Spec{Shape: formattest.Calls, N: 200_000, Options: formattest.Options{Version: from}})
		trace := wrap(b, data, 1).story.trace
		for _, to := range versions {
			b.Run(from.String()+"to"+to.String(), func(b *testing.B) {
				b.SetBytes(int64(len(trace)))
				for b.Loop() {
					c := New(Options{FormatVersion: to})
					if err := c.Read(b.Context(), bytes.NewReader(trace)); err != nil {
						b.Fatal(err)
					}
					if _, err := c.Write(b.Context(), tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}); err != nil {
						b.Fatal(err)
					}
					c.Close()
				}
			})
		}
	}
}
