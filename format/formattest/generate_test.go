package formattest_test

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

var small = formattest.Options{BlockSize: 4 << 10}

func specs() []formattest.Spec {
	list := []formattest.Spec{
		{Shape: formattest.Calls, N: 5000, Seed: 1},
		{Shape: formattest.Calls, N: 5000, Seed: 2, Threads: 4, Options: small},
		{Shape: formattest.Calls, N: 3000, Seed: 2, Threads: 4, Options: formattest.Options{Dump: true}},
		{Shape: formattest.Deep, N: 3000, Options: small},
		{Shape: formattest.Deep, N: 3000, Options: formattest.Options{BlockSize: 4 << 10, SplitAfterHeader: true}},
		{Shape: formattest.Threads, N: 100, Seed: 3},
		{Shape: formattest.Goroutines, N: 100, Seed: 3},
		{Shape: formattest.Threads, N: 30, Options: formattest.Options{Dump: true}},
		{Shape: formattest.Random, N: 3000, Seed: 8, Options: formattest.Options{Dump: true}},
		{Shape: formattest.Random, N: 5000, Seed: 9, Threads: 5, Wild: true, Options: small},
		{Shape: formattest.Random, N: 2000, Seed: 9, Plain: true},
		{Shape: formattest.Random, N: 3000, Seed: 4, Own: true, Options: small},
	}
	for _, shape := range []formattest.Shape{formattest.Wide, formattest.WideEmpty, formattest.WideCalls, formattest.WideLeaves} {
		list = append(list, formattest.Spec{Shape: shape, N: 2000, Options: small})
	}
	for seed := range uint64(8) {
		list = append(list, formattest.Spec{Shape: formattest.Random, N: 4000, Seed: seed, Options: formattest.Options{BlockSize: 1000 << seed}})
	}
	for _, spec := range list {
		spec.Version = format.V27
		list = append(list, spec)
	}
	return list
}

// Reading a generated trace yields its forest.
func TestGenerateRoundTrip(t *testing.T) {
	for _, spec := range specs() {
		t.Run(spec.Name(), func(t *testing.T) {
			var data, index bytes.Buffer
			stats, want, err := formattest.GenerateForest(&data, &index, spec)
			if err != nil {
				t.Fatal(err)
			}
			got := scanForest(t, data.Bytes())
			if got.stats.DataBytes = int64(data.Len()); got.stats.DataBytes == 0 {
				t.Fatal("nothing written")
			}
			got.stats.IndexBytes = int64(index.Len())
			if got.stats != stats {
				t.Errorf("counted %+v, read %+v", stats, got.stats)
			}
			for _, tree := range want.Trees {
				sameNodes(t, fmt.Sprintf("thread %d", tree.Thread), got.roots[tree.Thread], tree.Roots)
				if n := got.ctx.Thread(tree.Thread); n == nil || n.Name != tree.Name {
					t.Errorf("thread %d is called %v, want %q", tree.Thread, n, tree.Name)
				}
				delete(got.roots, tree.Thread)
			}
			if len(got.roots) > 0 {
				t.Errorf("%d threads too many", len(got.roots))
			}
			for kind, byID := range want.Written {
				for id, o := range byID {
					if r := formattest.ReferenceOf(got.ctx, kind, id); !reflect.DeepEqual(r, o) {
						t.Errorf("%v %d: read %+v, want %+v", kind, id, r, o)
					}
				}
				if n := got.ctx.Counts()[kind]; n != len(byID) {
					t.Errorf("%v: %d objects, want %d", kind, n, len(byID))
				}
			}
		})
	}
}

type scanned struct {
	roots map[int32][]*formattest.Node
	ctx   *format.Context
	stats formattest.Stats
}

func scanForest(t *testing.T, data []byte) scanned {
	t.Helper()
	v, err := format.CheckDataHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	got := scanned{roots: make(map[int32][]*formattest.Node), ctx: format.NewContext(v)}
	open := make(map[int32][]*formattest.Node)
	s := format.NewBytesScanner(data)
	for s.Next() {
		o := s.Object()
		d := decode(t, s.Version(), o)
		stack := open[o.Thread]
		switch {
		case o.Kind == format.KindBlockStart:
			got.stats.Blocks++
			got.roots[o.Thread] = append(got.roots[o.Thread], nil)[:len(got.roots[o.Thread])]
		case o.Kind == format.KindTracePoint:
			got.stats.Points++
			n := &formattest.Node{Point: d.point}
			if len(stack) == 0 {
				got.roots[o.Thread] = append(got.roots[o.Thread], n)
			} else {
				in := stack[len(stack)-1]
				in.Children = append(in.Children, n)
			}
			if o.Class.Container() {
				open[o.Thread] = append(stack, n)
			}
		case o.Kind == format.KindFooter:
			got.stats.Containers++
			if o.Class == format.ClassCall {
				got.stats.Calls++
			}
			stack[len(stack)-1].Footer = d.footer
			open[o.Thread] = stack[:len(stack)-1]
		case o.Kind.Reference():
			got.stats.References++
			if _, _, err := got.ctx.Add(o.Bytes); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return got
}

func sameNodes(t *testing.T, at string, got, want []*formattest.Node) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d children, want %d", at, len(got), len(want))
	}
	for i := range want {
		g, w := got[i], want[i]
		if !formattest.SamePoint(&g.Point, &w.Point) {
			t.Fatalf("%s, child %d: %+v, want %+v", at, i, g.Point, w.Point)
		}
		if !formattest.SameFooter(&g.Footer, &w.Footer) {
			t.Fatalf("%s, child %d: footer %+v, want %+v", at, i, g.Footer, w.Footer)
		}
		sameNodes(t, fmt.Sprintf("%s.%d", at, i), g.Children, w.Children)
	}
}

// The same Spec gives the same bytes, another seed gives others.
func TestGenerateRepeats(t *testing.T) {
	for _, spec := range specs() {
		data, index := formattest.Bytes(t, spec)
		data2, index2 := formattest.Bytes(t, spec)
		same(t, spec.Name(), data2, data)
		same(t, spec.Name()+" index", index2, index)
		spec.Seed += 100
		if other, _ := formattest.Bytes(t, spec); bytes.Equal(other, data) {
			t.Errorf("%s: another seed gives the same bytes", spec.Name())
		}
	}
}

// Random contains each class of point, kind of value and kind of object.
func TestGenerateRandomHasAll(t *testing.T) {
	for version, kindsOfValues := range map[format.Version]int{format.V22: 18, format.V27: 23} {
		randomHasAll(t, version, kindsOfValues)
	}
}

func randomHasAll(t *testing.T, version format.Version, kindsOfValues int) {
	data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Random, N: 5000, Options: formattest.Options{Version: version}})
	classes, kinds, values := make(map[format.Class]int), make(map[format.Kind]int), make(map[format.ValueKind]int)
	s := format.NewBytesScanner(data)
	for s.Next() {
		o := s.Object()
		kinds[o.Kind]++
		if o.Kind != format.KindTracePoint {
			continue
		}
		p := decode(t, s.Version(), o).point
		classes[p.Class]++
		values[p.Value.Kind]++
	}
	if s.Err() != nil || len(classes) != 12 || len(kinds) != 13 || len(values) != kindsOfValues {
		t.Errorf("%v: %d classes of points, %d kinds of objects, %d kinds of values", s.Err(), len(classes), len(kinds), len(values))
	}
}

// A block ends right after a header only if that was requested.
func TestGenerateSplitAfterHeader(t *testing.T) {
	for _, spec := range specs() {
		data, _ := formattest.Bytes(t, spec)
		s := format.NewBytesScanner(data)
		var before format.Object
		splits := 0
		for s.Next() {
			o := s.Object()
			if o.Kind == format.KindBlockEnd && before.Kind == format.KindTracePoint && before.Class.Container() {
				splits++
			}
			before = o
		}
		if spec.SplitAfterHeader != (splits > 0) {
			t.Errorf("%s: %d blocks end behind a header", spec.Name(), splits)
		}
	}
}

func TestGenerateCrash(t *testing.T) {
	whole := formattest.Spec{Shape: formattest.Calls, N: 5000, Threads: 3, Options: small}
	data, index := formattest.Bytes(t, whole)
	for _, crash := range []formattest.Crash{formattest.CrashLost, formattest.CrashPartial} {
		spec := whole
		spec.Crash = crash
		d, x := formattest.Bytes(t, spec)
		if len(d) >= len(data) || len(x) >= len(index) || !bytes.HasPrefix(index, x) {
			t.Errorf("%s: %d + %d bytes of %d + %d", spec.Name(), len(d), len(x), len(data), len(index))
		}
		s := format.NewBytesScanner(d)
		blocks, depth := 0, 0
		for s.Next() {
			if s.Object().Kind == format.KindBlockEnd {
				blocks++
			}
		}
		for _, id := range s.Threads() {
			depth += len(s.Open(id))
		}
		if s.Err() == nil || depth == 0 || blocks*format.CellSize >= len(x) {
			t.Errorf("%s: error %v, %d containers open, %d blocks", spec.Name(), s.Err(), depth, blocks)
		}
	}
}

func TestFile(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Threads, N: 20}
	path := formattest.File(t, spec)
	data, index := formattest.Bytes(t, spec)
	for name, want := range map[string][]byte{path: data, path + ".idx": index} {
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		same(t, name, got, want)
	}
}

func BenchmarkGenerate(b *testing.B) {
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Calls, N: 1_000_000},
		{Shape: formattest.Deep, N: 100_000},
		{Shape: formattest.Wide, N: 1_000_000},
		{Shape: formattest.Random, N: 100_000},
	} {
		b.Run(spec.Name(), func(b *testing.B) {
			for b.Loop() {
				stats := formattest.Discard(b, spec)
				b.SetBytes(stats.DataBytes + stats.IndexBytes)
				b.ReportMetric(float64(stats.DataBytes)/float64(spec.N), "data-B/item")
				b.ReportMetric(float64(stats.IndexBytes)/float64(spec.N), "index-B/item")
			}
		})
	}
}
