package gotrace

import (
	"bytes"
	"context"
	"io"
	rtrace "runtime/trace"
	"sync"
	"testing"

	"golang.org/x/exp/trace"

	"tracex/recorder/convert/sources"
)

// passed is a trace of goroutines that wait for each other, in regions.
func passed(b *testing.B, rounds int) []byte {
	return recorded(b, func() {
		var wg sync.WaitGroup
		for range 8 {
			ping, pong := make(chan int), make(chan int)
			wg.Go(func() {
				for n := range ping {
					pong <- n
				}
			})
			wg.Go(func() {
				defer close(ping)
				for n := range rounds {
					rtrace.WithRegion(context.Background(), "round", func() {
						ping <- n
						<-pong
					})
				}
			})
		}
		wg.Wait()
	})
}

// BenchmarkConvert tells how many events are converted in a second, beside what package trace takes
// to read them.
func BenchmarkConvert(b *testing.B) {
	data := passed(b, 20_000)
	events := 0
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			r, err := trace.NewReader(bytes.NewReader(data))
			if err != nil {
				b.Fatal(err)
			}
			events = 0
			for _, err = r.ReadEvent(); err == nil; _, err = r.ReadEvent() {
				events++
			}
			if err != io.EOF {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	})
	b.Run("convert", func(b *testing.B) {
		for b.Loop() {
			w := discarding()
			if err := Source.Convert(b.Context(), sources.Input{Reader: bytes.NewReader(data)}, "", w); err != nil {
				b.Fatal(err)
			}
			if _, err := w.Finish(b.Context()); err != nil {
				b.Fatal(err)
			}
			w.Discard()
		}
		b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	})
}
