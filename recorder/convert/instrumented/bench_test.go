package instrumented_test

import (
	"io"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// scalars writes so many calls f(int, int, string) int, ten levels deep at most.
func scalars(calls int) *rawtest.File {
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter, Shift: 26})
	f.Forget = true
	for _, typ := range allTypes {
		f.Type(typ)
	}
	fn := &raw.Function{ID: 9, Line: 20, Arguments: []uint32{1, 1, 2}, Results: []uint32{1}, Package: "example.com/shop", Name: "add", File: "/src/shop/main.go", Names: "a,b,s"}
	g := f.Goroutine(0xc000)
	g.Begin(1, 0, 0, 0)
	for depth, i := 0, 0; i < calls; {
		f.Now += 50
		if down := i/10%2 == 0; depth < 10 && down || depth == 0 {
			g.Enter(fn, 5, rawtest.Int(int64(i)), rawtest.Int(3), rawtest.String("an argument"))
			depth++
			i++
			continue
		}
		g.Exit(fn, rawtest.Int(int64(i)))
		depth--
		if depth == 0 {
			i++
		}
	}
	return f
}

// BenchmarkScalars counts ns a call.
func BenchmarkScalars(b *testing.B) {
	const calls = 1_000_000
	f := scalars(calls)
	path := filepath.Join(b.TempDir(), "a"+raw.Suffix)
	f.Save(b, path)
	f = nil
	for _, v := range []format.Version{format.V27, format.V22} {
		b.Run("version"+v.String(), func(b *testing.B) {
			var n int64
			b.ReportAllocs()
			for b.Loop() {
				c, err := instrumented.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, instrumented.Options{Version: v})
				if err != nil {
					b.Fatal(err)
				}
				c.Add(path)
				s, err := c.Finish(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				n += s.Calls
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/call")
		})
	}
}

// BenchmarkMixed counts ns a call of a program with several goroutines, values of all sorts, panics
// and go statements; the trace is written to disk.
func BenchmarkMixed(b *testing.B) {
	o := rawtest.Options{Clock: raw.ClockCounter, Shift: 26}
	p := newProgram(1, o)
	p.Forget = true
	p.run(1_000_000)
	path := filepath.Join(b.TempDir(), "a"+raw.Suffix)
	p.Save(b, path)
	p = nil
	var n int64
	b.ReportAllocs()
	for b.Loop() {
		out := newOutput(b)
		c, err := instrumented.New(out.to(), instrumented.Options{})
		if err != nil {
			b.Fatal(err)
		}
		c.Add(path)
		s, err := c.Finish(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		n += s.Calls
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/call")
}
