package format_test

import (
	"bytes"
	"os"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// benchmarked returns the traces for the benchmarks, by name.
func benchmarked(b *testing.B) []struct {
	name string
	data []byte
} {
	b.Helper()
	var list []struct {
		name string
		data []byte
	}
	add := func(name string, data []byte) {
		list = append(list, struct {
			name string
			data []byte
		}{name, data})
	}
	for _, name := range []string{"flat.stream.bin", "kotlin.stream.bin"} {
		add(name, formattest.Recorded(b, name))
	}
	spec := formattest.Spec{Shape: formattest.Calls, N: 1_000_000}
	data, err := os.ReadFile(formattest.File(b, spec))
	if err != nil {
		b.Fatal(err)
	}
	add(spec.Name(), data)
	return list
}

// BenchmarkScan visits all objects of a trace, in memory and through a reader.
func BenchmarkScan(b *testing.B) {
	for _, tr := range benchmarked(b) {
		for _, way := range []struct {
			name string
			open func() *format.Scanner
		}{
			{"bytes", func() *format.Scanner { return format.NewBytesScanner(tr.data) }},
			{"reader", func() *format.Scanner { return format.NewScanner(bytes.NewReader(tr.data)) }},
		} {
			b.Run(tr.name+"/"+way.name, func(b *testing.B) {
				b.SetBytes(int64(len(tr.data)))
				b.ReportAllocs()
				for b.Loop() {
					s := way.open()
					for s.Next() {
					}
					if err := s.Err(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkDecodePoints decodes all points of a trace into one Point.
func BenchmarkDecodePoints(b *testing.B) {
	for _, tr := range benchmarked(b) {
		b.Run(tr.name, func(b *testing.B) {
			var at []int64
			size := int64(0)
			s := format.NewBytesScanner(tr.data)
			for s.Next() {
				if o := s.Object(); o.Kind == format.KindTracePoint {
					at = append(at, o.Offset)
					size += int64(len(o.Bytes))
				}
			}
			if err := s.Err(); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(size)
			b.ReportAllocs()
			var p format.Point
			for b.Loop() {
				for _, off := range at {
					if _, err := format.V22.DecodePoint(tr.data[off:], &p); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(at)), "ns/point")
		})
	}
}
