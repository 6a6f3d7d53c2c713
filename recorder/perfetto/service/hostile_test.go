//go:build linux

package service

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

// TestHostileProducer has a producer whose memory changes all the time, and that
// commits, patches and registers at random: another producer's packets are read
// unchanged.
func TestHostileProducer(t *testing.T) {
	s := serve(t, Config{OnError: func(error) {}})
	p := newStepper(t, s, true)
	good := connect(t, s, "good", offer("words"))
	c, own := consume(t, s), consume(t, s)
	c.enable(config(256, "raw.ds"))
	<-p.ready
	own.enable(config(256, "words"))
	good.waitFor("start 2")

	var stop atomic.Bool
	var group sync.WaitGroup
	defer group.Wait()
	defer stop.Store(true)
	group.Go(func() {
		rng := rand.New(rand.NewPCG(1, 1))
		for !stop.Load() {
			scribble(rng, p.memory)
		}
	})
	rng := rand.New(rand.NewPCG(2, 2))
	rounds := 30
	if testing.Short() {
		rounds = 5
	}
	var want []string
	for i := range rounds {
		for range 50 {
			if err := p.Send("CommitData", randomCommit(rng)); err != nil {
				t.Fatal(err)
			}
		}
		_ = p.Send("RegisterTraceWriter", &messages.RegisterTraceWriterRequest{
			TraceWriterId: proto.Uint32(rng.Uint32N(1 << 16)), TargetBuffer: proto.Uint32(rng.Uint32N(4)),
		})
		p.invoke("Sync", &messages.SyncRequest{})
		text := fmt.Sprint("good ", i)
		good.write(2, text)
		own.flush()
		if i == 0 {
			text = "!" + text
		}
		want = append(want, text)
		c.flush() // which includes scraping
		// The fields of its packets need not be messages.
		for _, b := range ipctest.ReadEncoded(t, c.Binding) {
			if len(b) == 0 {
				t.Error("a packet without what the service adds")
			}
		}
	}
	own.reads(want...)
	var stats messages.GetTraceStatsResponse
	c.invoke("GetTraceStats", &messages.GetTraceStatsRequest{}, &stats)
	if stats.TraceStats.BufferStats[0].GetChunksWritten() == 0 {
		t.Error("not one chunk of the hostile producer was taken: it was not hostile enough")
	}
}

// scribble changes some words of a memory, mainly headers of pages.
func scribble(rng *rand.Rand, memory []byte) {
	for range 100 {
		page := rng.IntN(16) * defaultPage
		at, word := page+8+4*rng.IntN(1000), rng.Uint32()
		switch rng.IntN(4) {
		case 0:
			at, word = page, rng.Uint32N(8)<<28|rng.Uint32()>>4
		case 1:
			at, word = page, 0x10000003
		case 2:
			at, word = page+12, rng.Uint32N(4)|rng.Uint32()<<16
		}
		atomic.StoreUint32(wordAt(memory, at), word)
	}
}

func randomCommit(rng *rand.Rand) *messages.CommitDataRequest {
	small := func() uint32 {
		if rng.IntN(10) == 0 {
			return rng.Uint32()
		}
		return rng.Uint32N(4)
	}
	m := &messages.CommitDataRequest{}
	for range rng.IntN(20) {
		v := move(int(rng.Uint32N(17)), int(small()), int(small()))
		if rng.IntN(5) == 0 {
			v.Data = make([]byte, rng.IntN(5000))
			for i := range v.Data {
				v.Data[i] = byte(rng.Uint32())
			}
			if len(v.Data) > 8 {
				binary.LittleEndian.PutUint16(v.Data[4:], uint16(small()))
			}
			v.ChunkIncomplete = proto.Bool(rng.IntN(2) == 0)
		}
		m.ChunksToMove = append(m.ChunksToMove, v)
	}
	for range rng.IntN(5) {
		c := &messages.CommitDataRequest_ChunkToPatch{
			TargetBuffer: proto.Uint32(small()), WriterId: proto.Uint32(small()), ChunkId: proto.Uint32(small()), HasMorePatches: proto.Bool(rng.IntN(2) == 0),
		}
		for range rng.IntN(3) {
			c.Patches = append(c.Patches, &messages.CommitDataRequest_ChunkToPatch_Patch{Offset: proto.Uint32(small()), Data: make([]byte, 3+rng.IntN(2))})
		}
		m.ChunksToPatch = append(m.ChunksToPatch, c)
	}
	if rng.IntN(10) == 0 {
		m.FlushRequestId = proto.Uint64(rng.Uint64())
	}
	return m
}

// FuzzCommit handles arbitrary requests and memory, in a service without sockets.
func FuzzCommit(f *testing.F) {
	seed, err := proto.Marshal(&messages.CommitDataRequest{ChunksToMove: []*messages.CommitDataRequest_ChunksToMove{move(0, 0, 1)}})
	if err != nil {
		f.Fatal(err)
	}
	page := append([]byte{3, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0}, named("A")+named("B")...)
	f.Add(seed, page)
	f.Add(seed, page[:20])
	f.Fuzz(func(t *testing.T, request, content []byte) {
		m := new(messages.CommitDataRequest)
		if proto.Unmarshal(request, m) != nil {
			return
		}
		memory := make([]byte, 4*defaultPage)
		copy(memory, content)
		r, err := smb.NewReader(memory, defaultPage)
		if err != nil {
			t.Fatal(err)
		}
		s := &Service{clock: newFakeClock(time.Unix(1, 0)), buffers: newBufferTable(1 << 30), connected: make(map[uint32]*producer)}
		s.config.Limits = Limits{}.withDefaults()
		n := &session{s: s, config: new(messages.TraceConfig), packets: newServicePackets(new(messages.TraceConfig), 0, new(messages.TraceUuid))}
		s.addBuffer(n, tracebuf.New(8<<10, false))
		s.addBuffer(n, tracebuf.New(8<<10, true))
		p := &producer{
			s: s, from: &tracebuf.Origin{Producer: 1}, scraped: true, memory: producerMemory{told: true, reader: r},
			writers: map[uint16]uint32{1: 1, 2: 2}, targets: map[uint32]bool{1: true, 2: true},
		}
		for range 2 {
			for _, c := range m.ChunksToMove {
				p.move(c)
			}
			for _, c := range m.ChunksToPatch {
				p.patch(c)
			}
			s.scrape(n, p)
			for d := (&drain{n: n}); !d.done; {
				stamped(t, d.read(1000))
			}
			for _, b := range n.buffers.all {
				b.ProducerGone(1)
			}
		}
	})
}

// stamped fails unless b has only whole packets, each with the stamp of its
// producer, or of the service. It does not check other fields.
func stamped(t *testing.T, b []byte) {
	t.Helper()
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		packet, m := protowire.ConsumeBytes(b[max(n, 0):])
		if number != fieldPacket || kind != protowire.BytesType || m < 0 {
			t.Fatalf("no packet at %d bytes before the end", len(b))
		}
		b = b[n+m:]
		stamps := 0
		for len(packet) > 0 {
			number, _, n := protowire.ConsumeField(packet)
			if n < 0 {
				t.Fatalf("a packet is not whole: %x", packet)
			}
			if number == tracebuf.FieldSequenceID {
				stamps++
			}
			packet = packet[n:]
		}
		if stamps != 1 {
			t.Fatalf("a packet has %d stamps", stamps)
		}
	}
}

// TestLimits has one producer exceed every limit.
func TestLimits(t *testing.T) {
	s, clock := serveAt(t, Config{Limits: Limits{Memory: 64 << 10, DataSources: 2, Writers: 1, ChunksASecond: 3}})
	p := connect(t, s, "prog", offer("words"), offer("more"))
	var answer messages.RegisterDataSourceResponse
	p.invoke("RegisterDataSource", &messages.RegisterDataSourceRequest{DataSourceDescriptor: offer("third")}, &answer)
	if answer.GetError() == "" {
		t.Error("a third data source was taken")
	}
	c := consume(t, s)
	cfg := config(1024, "words")
	cfg.Producers = []*messages.TraceConfig_ProducerConfig{{ProducerName: proto.String("prog"), ShmSizeKb: proto.Uint32(128), PageSizeKb: proto.Uint32(8)}}
	c.enable(cfg)
	p.waitFor("start 1")
	if pages := p.reader.Pages(); pages != 8 {
		t.Errorf("%d pages of 8 KiB", pages)
	}
	for i := range 10 {
		p.write(1, fmt.Sprint(i))
		c.flush()
	}
	clock.pass(time.Second)
	var stats messages.GetTraceStatsResponse
	c.invoke("GetTraceStats", &messages.GetTraceStatsRequest{}, &stats)
	if got := stats.TraceStats.GetChunksDiscarded(); got != 7 {
		t.Errorf("%d chunks of 10 were discarded", got)
	}
	c.reads("!0", "1", "2")
	// Below the limit, packets are read again.
	p.write(1, "less", "and less")
	c.flush()
	c.reads("!less", "and less")
}

// TestProducerDoesNotRead has a producer that does not read its commands: it is cut
// off, and another continues.
func TestProducerDoesNotRead(t *testing.T) {
	told := make(chan error, 100)
	s := serve(t, Config{OnError: func(err error) { told <- err }})
	good := connect(t, s, "good", offer("words"))
	bad, err := ipc.Dial(t.Context(), s.config.Producers, ipc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer bad.Close()
	b, err := bad.Bind(t.Context(), "ProducerPort")
	if err != nil {
		t.Fatal(err)
	}
	blocked := make(chan struct{})
	defer close(blocked)
	if err := b.Invoke(t.Context(), "InitializeConnection", &messages.InitializeConnectionRequest{ProducerName: proto.String("bad")}, nil); err != nil {
		t.Fatal(err)
	}
	// Its callback never returns, so nothing more is read.
	if err := b.Call("GetAsyncCommand", &messages.GetAsyncCommandRequest{}, func(ipc.Reply) { <-blocked }); err != nil {
		t.Fatal(err)
	}
	d := offer("big")
	if err := b.Invoke(t.Context(), "RegisterDataSource", &messages.RegisterDataSourceRequest{DataSourceDescriptor: d}, nil); err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		s.lock()
		left := len(s.connected) == 1
		s.unlock()
		if left {
			break
		}
		if i > 10_000 {
			t.Fatal("it is still there")
		}
		c := consume(t, s)
		cfg := config(4, "big")
		cfg.DataSources[0].Config.LegacyConfig = proto.String(strings.Repeat("x", 50_000))
		c.enable(cfg)
		c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	}
	c := consume(t, s)
	c.enable(config(64, "words"))
	c.invoke("QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
	s.lock()
	id := s.last.instance
	s.unlock()
	good.waitFor(fmt.Sprint("start ", id))
	good.write(id, "one")
	c.flush()
	c.reads("!one")
	if err := <-told; !errors.Is(err, ipc.ErrSendTimeout) || !strings.Contains(err.Error(), `producer "bad"`) {
		t.Errorf("told %v", err)
	}
}

// blockedConsumer starts a session, asks for more of its packets than a socket
// takes, and reads only the first answer, until the test ends. It returns the
// program that was recorded.
func blockedConsumer(t *testing.T, s *Service) *program {
	t.Helper()
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	c.enable(config(16<<10, "words"))
	p.waitFor("start 1")
	for range 3000 {
		p.write(1, strings.Repeat("z", 2000))
	}
	c.flush()
	blocked := make(chan struct{})
	t.Cleanup(func() { close(blocked) })
	if err := c.Call("ReadBuffers", &messages.ReadBuffersRequest{}, func(ipc.Reply) { <-blocked }); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestConsumerDoesNotRead has a consumer that does not read what it asked for:
// another's session continues.
func TestConsumerDoesNotRead(t *testing.T) {
	s := serve(t, Config{OnError: func(error) {}})
	p := blockedConsumer(t, s)
	other := consume(t, s)
	other.enable(config(64, "words"))
	p.waitFor("start 2")
	p.write(2, "one")
	other.flush()
	other.reads("!one")
}

// TestConsumerCutOff has a consumer that reads nothing for longer than allowed: it
// is cut off, and its session ends.
func TestConsumerCutOff(t *testing.T) {
	told := make(chan error, 10)
	s := serve(t, Config{readTimeout: 50 * time.Millisecond, OnError: func(err error) { told <- err }})
	p := blockedConsumer(t, s)
	if err := <-told; !errors.Is(err, ipc.ErrSendTimeout) || !strings.Contains(err.Error(), "a consumer (process ") {
		t.Errorf("told %v", err)
	}
	waitUntil(t, s, func() bool { return len(s.sessions) == 0 && s.buffers.bytes == 0 })
	p.waitFor("stop 1")
}

// TestManyProducers has 64 producers write at once: nothing is lost or mixed up.
func TestManyProducers(t *testing.T) {
	const producers, packets = 64, 100
	s := serve(t, Config{})
	c := consume(t, s)
	c.enable(config(32<<10, "words"))
	c.invoke("QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
	var group sync.WaitGroup
	for i := range producers {
		p := connect(t, s, fmt.Sprint("prog ", i), offer("words"))
		group.Go(func() {
			p.waitFor(fmt.Sprint("start ", i+1))
			for j := range packets {
				p.write(uint64(i+1), fmt.Sprint(i, " ", j, strings.Repeat(".", 100)))
			}
		})
	}
	group.Wait()
	c.flush()
	next := make(map[uint32]int)
	of := make(map[uint32]string)
	for _, p := range c.read() {
		e := p.GetForTesting()
		if e == nil {
			continue
		}
		id := p.GetTrustedPacketSequenceId()
		who, rest, _ := strings.Cut(e.GetStr(), " ")
		if of[id] == "" {
			of[id] = who
		}
		if of[id] != who || strings.TrimRight(rest, ".") != fmt.Sprint(next[id]) || p.GetTrustedPid() != int32(os.Getpid()) {
			t.Fatalf("sequence %d, packet %d is %.20q", id, next[id], e.GetStr())
		}
		next[id]++
	}
	if len(next) != producers || slices.ContainsFunc(slices.Collect(maps.Values(next)), func(n int) bool { return n != packets }) {
		t.Errorf("%d sequences, %v", len(next), next)
	}
}

func wordAt(memory []byte, at int) *uint32 { return (*uint32)(unsafe.Pointer(&memory[at])) }
