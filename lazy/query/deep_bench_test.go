package query

import (
	"context"
	"os"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// BenchmarkDeep measures answers about calls within one another, a million deep, beside as many that are not.
// With TRACEX_TRACE they are about the trace that it names.
func BenchmarkDeep(b *testing.B) {
	if path := os.Getenv("TRACEX_TRACE"); path != "" {
		benchmarkAnswers(b, path)
		return
	}
	for _, shape := range []formattest.Shape{formattest.Deep, formattest.Calls} {
		b.Run(string(shape), func(b *testing.B) {
			benchmarkAnswers(b, formattest.File(b, formattest.Spec{Shape: shape, N: 1_000_000, Seed: 1, Timed: true}))
		})
	}
}

func benchmarkAnswers(b *testing.B, path string) {
	r := opened(b, path)
	size, _ := r.Size()
	pass := func(ctx context.Context, c lazy.Collector) error {
		return r.Pass(ctx, lazy.Pass{Collect: []lazy.Collector{c}})
	}
	for _, of := range []struct {
		name string
		ask  func(context.Context) error
	}{
		{"nothing", func(ctx context.Context) error { return pass(ctx, idle{}) }},
		{"top", func(ctx context.Context) error { return pass(ctx, NewTop(r, Scope{}, ByMethod)) }},
		{"throws", func(ctx context.Context) error { return pass(ctx, NewThrows(r, Scope{}, 100)) }},
		{"find-dur", found(r, "dur>1h")},
		{"find-ret", found(r, "ret=7")},
		{"find-in", found(r, "in(ret=7) kind=throw")},
		{"find-text", found(r, "method~xyzzy")},
		{"find-word", found(r, "zzqqzz")},
	} {
		b.Run(of.name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if err := of.ask(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func found(r *lazy.LazyTraceReader, text string) func(context.Context) error {
	return func(ctx context.Context) error {
		e, err := filter.Parse(text)
		if err != nil {
			return err
		}
		return NewFind(r, lazy.Pass{}, e, 0).Run(ctx, nil)
	}
}
