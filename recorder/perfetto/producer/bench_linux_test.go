package producer_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder"
	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/shared"
)

// ran returns the processor time used by a process, or by its children.
func ran(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkEndToEnd records pairs of begin and end until a service in another
// process has them all: nothing is lost. cpu-ns/pair is the processor time of the
// program, service-ns/event that of the service: other programs do not increase
// these.
func BenchmarkEndToEnd(b *testing.B) {
	for _, source := range []string{calls.Source, "track_event"} {
		for _, goroutines := range []int{1, 2, 16} {
			b.Run(fmt.Sprintf("%s/goroutines=%d", source, goroutines), func(b *testing.B) {
				benchmarkEndToEnd(b, source, goroutines)
			})
		}
	}
}

func benchmarkEndToEnd(b *testing.B, source string, goroutines int) {
	dir := ipctest.Directory(b)
	service := producer.ServiceProcess(b, dir)
	children := ran(syscall.RUSAGE_CHILDREN)
	enable(b, dir, source)
	p, err := producer.Start(producer.Options{Address: filepath.Join(dir, "p"), MemorySize: 4 << 20, PageSize: 32 << 10})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	pairs, flush := callPairs, func() {}
	if source == calls.Source {
		r, err := recorder.Start(recorder.Config{Strategy: recorder.SharedMemory, Service: shared.Via(p)})
		if err != nil {
			b.Fatal(err)
		}
		m := r.Method(r.Class("bench.Subject"), "call", recorder.Type{})
		pairs = func(_ *producer.Events, n int) {
			t := r.Thread("worker")
			for range n {
				t.Enter(m, 0, recorder.Null())
				t.Exit(recorder.Void())
			}
			t.End()
		}
		flush = func() {
			if saved, err := r.Flush(); err != nil || saved.Dropped != 0 || saved.Blocks == 0 {
				b.Errorf("%+v: %v", saved, err)
			}
		}
	}
	e, err := p.Events(producer.EventsOptions{Policy: smb.Stall})
	if err == nil {
		err = p.Settle(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	before := ran(syscall.RUSAGE_SELF)
	b.ResetTimer()
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() { pairs(e, (b.N+g)/goroutines) })
	}
	group.Wait()
	flush()
	if err := p.Flush(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpairs/s")
	b.ReportMetric(float64(ran(syscall.RUSAGE_SELF)-before)/float64(b.N), "cpu-ns/pair")
	_ = service.Process.Kill()
	_ = service.Wait() // killed, hence the error
	b.ReportMetric(float64(ran(syscall.RUSAGE_CHILDREN)-children)/float64(2*b.N), "service-ns/event")
}

// callPairs records pairs with track events.
func callPairs(e *producer.Events, n int) {
	name, track := e.Name("bench", "call"), e.Goroutine("worker")
	for range n {
		track.Begin(name)
		track.End(name)
	}
}

// enable begins a session with a ring of 64 MiB.
func enable(b *testing.B, dir, source string) {
	client, err := ipc.Dial(context.Background(), filepath.Join(dir, "c"), ipc.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(client.Close)
	port, err := client.Bind(b.Context(), "ConsumerPort")
	if err == nil {
		err = port.Call("EnableTracing", &messages.EnableTracingRequest{TraceConfig: &messages.TraceConfig{
			Buffers:     []*messages.TraceConfig_BufferConfig{{SizeKb: proto.Uint32(64 << 10)}},
			DataSources: []*messages.TraceConfig_DataSource{{Config: &messages.DataSourceConfig{Name: proto.String(source)}}},
		}}, func(ipc.Reply) {})
	}
	if err == nil {
		err = port.Invoke(b.Context(), "QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
	}
	if err != nil {
		b.Fatal(err)
	}
}
