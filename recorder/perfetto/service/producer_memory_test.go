//go:build linux

package service

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// sealed returns memory made by a producer, with some seals.
func sealed(t *testing.T, size int64, seals int) *os.File {
	t.Helper()
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), "test")
	t.Cleanup(func() { _ = file.Close() })
	err = file.Truncate(size)
	if err == nil {
		_, err = unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, seals)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestMemoryOfProducer sends memory made by the producer: it is accepted only if it
// can never shrink and has valid sizes.
func TestMemoryOfProducer(t *testing.T) {
	s := serve(t, Config{})
	plain, err := os.CreateTemp(t.TempDir(), "")
	if err == nil {
		err = plain.Truncate(256 << 10)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for what, c := range map[string]struct {
		file *os.File
		page uint32
		want bool
	}{
		"good":            {sealed(t, 256<<10, seals), 4096, true},
		"large pages":     {sealed(t, 256<<10, seals), 32 << 10, true},
		"no page size":    {sealed(t, 256<<10, seals), 0, false},
		"too large pages": {sealed(t, 256<<10, seals), 64 << 10, false},
		"not whole pages": {sealed(t, 256<<10-4096, seals), 8192, false},
		"too large":       {sealed(t, 32<<20+4096, seals), 4096, false},
		"empty":           {sealed(t, 0, seals), 4096, false},
		"may shrink":      {sealed(t, 256<<10, unix.F_SEAL_SEAL|unix.F_SEAL_GROW), 4096, false},
		"may grow":        {sealed(t, 256<<10, unix.F_SEAL_SEAL|unix.F_SEAL_SHRINK), 4096, false},
		"may be unsealed": {sealed(t, 256<<10, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW), 4096, false},
		"no memory":       {plain, 4096, false},
	} {
		t.Run(what, func(t *testing.T) {
			_, b := dial(t, s.config.Producers, "ProducerPort")
			var answer messages.InitializeConnectionResponse
			done, setUp := make(chan error, 1), make(chan uint32, 2)
			err := b.CallFile("InitializeConnection", &messages.InitializeConnectionRequest{
				ProducerProvidedShmem: proto.Bool(true), SharedMemoryPageSizeHintBytes: proto.Uint32(c.page),
			}, c.file, func(r ipc.Reply) { done <- r.Decode(&answer) })
			if err := errors.Join(err, wait(t.Context(), done)); err != nil {
				t.Fatal(err)
			}
			if answer.GetUsingShmemProvidedByProducer() != c.want {
				t.Errorf("%v", &answer)
			}
			err = b.Call("GetAsyncCommand", &messages.GetAsyncCommandRequest{}, func(r ipc.Reply) {
				m := new(messages.GetAsyncCommandResponse)
				if r.Decode(m) == nil && m.GetSetupTracing() != nil {
					setUp <- m.GetSetupTracing().GetSharedBufferPageSizeKb()
				}
			})
			if err == nil {
				err = b.Invoke(t.Context(), "Sync", &messages.SyncRequest{}, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			// An empty command means that the producer's memory is used.
			if told := len(setUp) == 1; told != c.want || told && <-setUp != 0 {
				t.Errorf("set up: %v", told)
			}
		})
	}
}

// TestMemoryOfService checks the memory that a producer gets.
func TestMemoryOfService(t *testing.T) {
	s := serve(t, Config{})
	_, b := dial(t, s.config.Producers, "ProducerPort")
	files := make(chan *os.File, 1)
	for method, m := range map[string]proto.Message{"InitializeConnection": &messages.InitializeConnectionRequest{}} {
		if err := b.Invoke(t.Context(), method, m, nil); err != nil {
			t.Fatal(err)
		}
	}
	err := b.Call("GetAsyncCommand", &messages.GetAsyncCommandRequest{}, func(r ipc.Reply) {
		if f := r.TakeFile(); f != nil {
			files <- f
		}
	})
	if err == nil {
		err = b.Invoke(t.Context(), "RegisterDataSource", &messages.RegisterDataSourceRequest{DataSourceDescriptor: offer("words")}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	consume(t, s).enable(config(64, "words"))
	file := <-files
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() != defaultMemory {
		t.Errorf("%d bytes, %v", info.Size(), err)
	}
	if got, err := unix.FcntlInt(file.Fd(), unix.F_GET_SEALS, 0); got != seals {
		t.Errorf("seals %#x, %v", got, err)
	}
	if err := file.Truncate(0); err == nil {
		t.Error("it can shrink")
	}
}

// TestFreed commits to a session that was freed: the chunk becomes free again, and
// is counted.
func TestFreed(t *testing.T) {
	s := serve(t, Config{})
	p, c := newStepper(t, s, true), consume(t, s)
	c.enable(config(64, "raw.ds"))
	<-p.ready
	c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	p.put(w1(0, 1, 0, named("late")))
	p.commit(move(0, 0, 1))
	if got := p.word(0); got != 0 {
		t.Errorf("the page is %#x", got)
	}
	p.patch(1, 0, false, 0, "abcd")
	s.lock()
	defer s.unlock()
	if s.lost.chunks != 1 || s.lost.patches != 1 {
		t.Errorf("%d chunks, %d patches", s.lost.chunks, s.lost.patches)
	}
}

// TestWrongBuffer commits to a buffer of a session that does not want the producer,
// and to another buffer than the writer's registered one.
func TestWrongBuffer(t *testing.T) {
	s := serve(t, Config{})
	p, c, k := newStepper(t, s, true), consume(t, s), consume(t, s)
	cfg := config(64, "raw.ds")
	cfg.Buffers = append(cfg.Buffers, cfg.Buffers[0])
	c.enable(cfg)
	<-p.ready
	k.enable(config(64)) // has buffer 3
	k.sync()
	p.invoke("RegisterTraceWriter", &messages.RegisterTraceWriterRequest{TraceWriterId: proto.Uint32(2), TargetBuffer: proto.Uint32(2)})
	for i, c := range []struct {
		writer uint16
		buffer int
		lost   uint64
	}{{1, 3, 1}, {2, 1, 2}, {1, 2, 3}, {0, 1, 4}, {1, 1, 4}} {
		p.put(rawChunk{page: i, writer: c.writer, count: 1, payload: named("x")})
		p.commit(move(i, 0, c.buffer))
		s.lock()
		if s.lost.chunks != c.lost || p.word(i) != 0 {
			t.Errorf("writer %d to buffer %d: %d are lost, the page is %#x", c.writer, c.buffer, s.lost.chunks, p.word(i))
		}
		s.unlock()
	}
	k.reads()
	c.reads("!x")
}

// TestNotScraped has a producer that forbids scraping.
func TestNotScraped(t *testing.T) {
	s := serve(t, Config{})
	p, c := newStepper(t, s, true), consume(t, s)
	s.lock()
	for _, of := range s.connected {
		of.scraped = false
	}
	s.unlock()
	c.enable(config(64, "raw.ds"))
	<-p.ready
	p.invoke("RegisterTraceWriter", &messages.RegisterTraceWriterRequest{TraceWriterId: proto.Uint32(1), TargetBuffer: proto.Uint32(1)})
	p.put(w1(0, 1, 0, named("whole")))
	c.flush()
	c.reads()
	p.commit(move(0, 0, 1))
	c.reads("!whole")
}

// TestFlushAnswers has several flushes that one answer to the last completes, and
// checks what the producer is sent for each.
func TestFlushAnswers(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p, c := newStepper(t, s, false), consume(t, s)
	cfg := config(64, "raw.ds")
	cfg.FlushPeriodMs, cfg.DurationMs = proto.Uint32(700), proto.Uint32(1000)
	c.enable(cfg)
	<-p.ready
	done := make(chan error, 2)
	for _, flags := range []uint64{0x22, 0} {
		if err := c.Call("Flush", &messages.FlushRequest{Flags: proto.Uint64(flags)}, func(r ipc.Reply) { done <- r.Err }); err != nil {
			t.Fatal(err)
		}
		if m := <-p.flushes; m.GetFlags() != flags || len(m.DataSourceIds) != 1 {
			t.Errorf("%v, want flags %#x", m, flags)
		}
	}
	p.invoke("CommitData", &messages.CommitDataRequest{FlushRequestId: proto.Uint64(2)})
	for range 2 {
		if err := wait(t.Context(), done); err != nil {
			t.Error(err)
		}
	}
	clock.pass(700 * time.Millisecond)
	if m := <-p.flushes; m.GetFlags() != flushPeriodic {
		t.Errorf("periodic: %v", m)
	}
	clock.pass(300 * time.Millisecond)
	m := <-p.flushes
	if m.GetFlags() != flushStop {
		t.Errorf("the last: %v", m)
	}
	p.invoke("CommitData", &messages.CommitDataRequest{FlushRequestId: m.RequestId})
	if why := c.end(); why != "" {
		t.Error(why)
	}
	var answer messages.GetTraceStatsResponse
	c.invoke("GetTraceStats", &messages.GetTraceStatsRequest{}, &answer)
	if got := answer.TraceStats; got.GetFinalFlushOutcome() != messages.TraceStats_FINAL_FLUSH_SUCCEEDED || got.GetFlushesSucceeded() != 4 {
		t.Errorf("%v", got)
	}
}

// TestCloneFlushes checks the flushes when a session is cloned: in two groups, so
// that sources whose buffer moves do not delay the others.
func TestCloneFlushes(t *testing.T) {
	for flags, m := range map[uint64]*messages.CloneSessionRequest{
		0x013: {Selector: &messages.CloneSessionRequest_SessionId{SessionId: 1}},
		0x113: {Selector: &messages.CloneSessionRequest_SessionId{SessionId: 1}, ForBugreport: proto.Bool(true)},
	} {
		s := serve(t, Config{})
		p, c, k := newStepper(t, s, false), consume(t, s), consume(t, s)
		c.enable(config(64, "raw.ds"))
		<-p.ready
		p.add(w1(0, 1, 0, named("x")))
		done := make(chan error, 1)
		if err := k.Call("CloneSession", m, func(r ipc.Reply) { done <- r.Err }); err != nil {
			t.Fatal(err)
		}
		f := <-p.flushes
		if f.GetFlags() != flags {
			t.Errorf("%v, want flags %#x", f, flags)
		}
		p.invoke("CommitData", &messages.CommitDataRequest{FlushRequestId: f.RequestId})
		if err := wait(t.Context(), done); err != nil {
			t.Error(err)
		}
		k.reads("!x")
	}
}
