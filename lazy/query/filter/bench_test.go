package filter

import (
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// benchFilters are the filters of the benchmarks, by what decides them.
var benchFilters = []struct{ name, text string }{
	{"name", "method=withdraw"},
	{"class", "class~^java -kind=write"},
	{"duration", "dur>10ms"},
	{"number", "arg>100000"},
	{"string", `arg="hello"`},
	{"object", "obj=@129378"},
	{"result", "ret=null"},
	{"contains", "ret:abc"},
	{"regexp", "ret~a+b$"},
	{"text", "withdraw"},
}

// BenchmarkMatch is a match of a point that is decoded already.
func BenchmarkMatch(b *testing.B) {
	c, list := samples(b, formattest.Recorded(b, "blocks.stream.bin"))
	for _, bench := range benchFilters {
		b.Run(bench.name, func(b *testing.B) {
			f := bound(b, parse(b, bench.text), c)
			var x [1024]*Facts
			for i := range x {
				x[i] = list[i%len(list)].facts()
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				f.Match(x[i%len(x)])
			}
		})
	}
}

// head is what Quick is told about a point.
type head struct {
	class       format.Class
	ref, thread int32
}

// BenchmarkQuick is the verdict on a point that is not decoded.
func BenchmarkQuick(b *testing.B) {
	c, list := samples(b, formattest.Recorded(b, "blocks.stream.bin"))
	var heads [4096]head
	for i := range heads {
		s := list[i%len(list)]
		heads[i] = head{s.point.Class, s.point.Ref, s.thread}
	}
	for _, bench := range benchFilters {
		b.Run(bench.name, func(b *testing.B) {
			f := bound(b, parse(b, bench.text), c)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				h := &heads[i%len(heads)]
				f.Quick(h.class, h.ref, h.thread)
			}
		})
	}
}
