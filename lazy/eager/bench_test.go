package eager

import (
	"bytes"
	"io"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// benchTrace is the recorded trace that the benchmarks here read: 1.8 MB, three
// threads, mostly calls.
const benchTrace = "blocks.stream.bin"

func BenchmarkEagerLoad1_8MB(b *testing.B) {
	data := formattest.RecordedData(b, benchTrace)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}

// Both count bytes of text.
func BenchmarkPrintForest1_3MB(b *testing.B) {
	b.Run("raw", func(b *testing.B) { printForest(b, PrintOptions{}) })
	b.Run("folded", func(b *testing.B) { printForest(b, PrintOptions{Folded: true}) })
	b.Run("verbose", func(b *testing.B) { printForest(b, PrintOptions{Verbose: true}) })
	b.Run("escaped", func(b *testing.B) { printForest(b, PrintOptions{Escape: true}) })
}

func printForest(b *testing.B, o PrintOptions) {
	f := loadRecorded(b, benchTrace)
	var out bytes.Buffer
	if err := f.Print(&out, o); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(out.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if err := f.Print(io.Discard, o); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkText counts bytes of text, for points that are decoded already.
func BenchmarkText(b *testing.B) {
	for _, name := range []string{benchTrace, "kotlin.stream.bin"} {
		for _, verbose := range []bool{false, true} {
			sub := name
			if verbose {
				sub += "/verbose"
			}
			b.Run(sub, func(b *testing.B) { textOf(b, name, verbose) })
		}
	}
}

type textCase struct {
	point  format.Point
	footer format.Footer
	parent format.Parent
}

func textOf(b *testing.B, name string, verbose bool) {
	f := loadRecorded(b, name)
	var cases []textCase
	for _, t := range f.Threads {
		for i := range min(t.nodes.n, 2000) {
			var c textCase
			n := Node{thread: t, index: i}
			if err := n.Point(&c.point); err != nil {
				b.Fatal(err)
			}
			if err := n.Footer(&c.footer); err != nil {
				b.Fatal(err)
			}
			cases = append(cases, c)
		}
	}
	var text []byte
	all := func() {
		text = text[:0]
		for i := range cases {
			c := &cases[i]
			text = f.Context.AppendText(text, &c.point, &c.footer, c.parent, verbose)
		}
	}
	all()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		all()
	}
}
