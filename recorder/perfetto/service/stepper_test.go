//go:build linux

package service

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

// stepper is a producer that writes the words of its memory directly.
type stepper struct {
	t      *testing.T
	s      *Service
	client *ipc.Client
	*ipc.Binding
	memory  []byte
	flushes chan *messages.GetAsyncCommandResponse_Flush
	ready   chan struct{} // closed when a data source has started
	once    sync.Once
}

func (p *stepper) sync() { p.invoke("Sync", &messages.SyncRequest{}) }

func newStepper(t *testing.T, s *Service, noFlush bool) *stepper {
	client, b := dial(t, s.config.Producers, "ProducerPort")
	return newStepperOver(t, s, client, b, noFlush)
}

func newStepperOver(t *testing.T, s *Service, client *ipc.Client, b *ipc.Binding, noFlush bool) *stepper {
	p := &stepper{
		t: t, s: s, client: client, Binding: b,
		flushes: make(chan *messages.GetAsyncCommandResponse_Flush, 100), ready: make(chan struct{}),
	}
	p.invoke("InitializeConnection", &messages.InitializeConnectionRequest{
		ProducerName: proto.String("stepper"), SmbScrapingMode: messages.InitializeConnectionRequest_SMB_SCRAPING_ENABLED.Enum(),
	})
	if err := p.Call("GetAsyncCommand", &messages.GetAsyncCommandRequest{}, p.command); err != nil {
		t.Fatal(err)
	}
	p.invoke("RegisterDataSource", &messages.RegisterDataSourceRequest{DataSourceDescriptor: &messages.DataSourceDescriptor{
		Name: proto.String("raw.ds"), NoFlush: proto.Bool(noFlush),
	}})
	return p
}

func (p *stepper) command(r ipc.Reply) {
	m := new(messages.GetAsyncCommandResponse)
	if r.Decode(m) != nil {
		return
	}
	switch {
	case m.GetSetupTracing() != nil:
		file := r.TakeFile()
		defer file.Close()
		var err error
		if p.memory, err = mapShared(file, defaultMemory); err != nil {
			p.t.Error(err)
		}
		p.t.Cleanup(func() { unmap(p.memory) })
	case m.GetStartDataSource() != nil:
		p.once.Do(func() { close(p.ready) })
	case m.GetFlush() != nil:
		p.flushes <- m.GetFlush()
	}
}

func (p *stepper) invoke(method string, m proto.Message) {
	p.t.Helper()
	if err := p.Invoke(p.t.Context(), method, m, nil); err != nil {
		p.t.Fatalf("%s: %v", method, err)
	}
}

// rawChunk is a chunk to be written into the memory.
type rawChunk struct {
	page, index int
	layout      smb.Layout // 0: Div1
	state       smb.State  // 0: Complete
	writer      uint16
	id          uint32
	count       int
	flags       smb.Flags
	payload     string
}

const div1 = 4088

// put writes a chunk into the memory, and garbage after its payload.
func (p *stepper) put(c rawChunk) {
	if c.layout == 0 {
		c.layout = smb.Div1
	}
	if c.state == 0 {
		c.state = smb.Complete
	}
	size := c.layout.ChunkSize(defaultPage)
	page := p.memory[c.page*defaultPage:][:defaultPage]
	b := page[8+c.index*size:][:size]
	for i := range b {
		b[i] = 0xee
	}
	binary.LittleEndian.PutUint32(b, c.id)
	binary.LittleEndian.PutUint16(b[4:], c.writer)
	binary.LittleEndian.PutUint16(b[6:], uint16(c.count)|uint16(c.flags)<<10)
	copy(b[8:], c.payload)
	word := binary.LittleEndian.Uint32(page)
	word = word&^(3<<(2*c.index)) | uint32(c.state)<<(2*c.index) | uint32(c.layout)<<28
	binary.LittleEndian.PutUint32(page, word)
}

func (p *stepper) word(page int) uint32 {
	return binary.LittleEndian.Uint32(p.memory[page*defaultPage:])
}

// move returns the part of a request about a chunk.
func move(page, index, buffer int) *messages.CommitDataRequest_ChunksToMove {
	return &messages.CommitDataRequest_ChunksToMove{
		Page: proto.Uint32(uint32(page)), Chunk: proto.Uint32(uint32(index)), TargetBuffer: proto.Uint32(uint32(buffer)),
	}
}

func (p *stepper) commit(moves ...*messages.CommitDataRequest_ChunksToMove) {
	p.t.Helper()
	p.invoke("CommitData", &messages.CommitDataRequest{ChunksToMove: moves})
}

// add writes chunks into the memory and commits them, to buffer 1.
func (p *stepper) add(chunks ...rawChunk) {
	p.t.Helper()
	var moves []*messages.CommitDataRequest_ChunksToMove
	for _, c := range chunks {
		p.put(c)
		moves = append(moves, move(c.page, c.index, 1))
	}
	p.commit(moves...)
}

func (p *stepper) patch(writer, chunk uint32, more bool, offset uint32, data ...string) {
	p.t.Helper()
	c := &messages.CommitDataRequest_ChunkToPatch{
		TargetBuffer: proto.Uint32(1), WriterId: proto.Uint32(writer), ChunkId: proto.Uint32(chunk), HasMorePatches: proto.Bool(more),
	}
	for _, d := range data {
		c.Patches = append(c.Patches, &messages.CommitDataRequest_ChunkToPatch_Patch{Offset: proto.Uint32(offset), Data: []byte(d)})
	}
	p.invoke("CommitData", &messages.CommitDataRequest{ChunksToPatch: []*messages.CommitDataRequest_ChunkToPatch{c}})
}

// flush has a consumer flush, and answers it if answer is set.
func (p *stepper) flush(c *reader, answer bool) error {
	p.t.Helper()
	done := make(chan error, 1)
	go func() { done <- c.Invoke(p.t.Context(), "Flush", &messages.FlushRequest{}, nil) }()
	m := <-p.flushes
	if answer {
		p.invoke("CommitData", &messages.CommitDataRequest{FlushRequestId: m.RequestId})
		return wait(p.t.Context(), done)
	}
	p.s.lock() // its timer is set once the handler has returned
	p.s.unlock()
	p.s.clock.(*fakeClock).pass(defaultFlushTimeout)
	return wait(p.t.Context(), done)
}

// named returns a packet with a text; sized puts its size before it.
func named(text string) string { return sized(body(text)) }

func body(text string) string {
	b, err := proto.Marshal(&messages.TracePacket{
		Timestamp: proto.Uint64(1), Data: &messages.TracePacket_ForTesting{ForTesting: &messages.TestEvent{Str: proto.String(text)}},
	})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func sized(b string) string { return string(protowire.AppendVarint(nil, uint64(len(b)))) + b }

// padded returns a packet with its size in four bytes.
func padded(b string) string {
	n := len(b)
	return string([]byte{byte(n) | 0x80, byte(n>>7) | 0x80, byte(n>>14) | 0x80, byte(n >> 21)}) + b
}

// outcomeOf returns the packets read and the counters, in the format of the steps.
func outcomeOf(c *reader) string {
	c.t.Helper()
	var list []string
	for _, p := range c.read() {
		if e := p.GetForTesting(); e != nil {
			mark := ":"
			switch lost := p.GetPreviousPacketDropped(); lost {
			case 0:
			case 1:
				mark = "!"
			default:
				mark = fmt.Sprint("!", lost, "!")
			}
			text := strings.ReplaceAll(e.GetStr(), " ", "_")
			list = append(list, fmt.Sprint(p.GetTrustedPacketSequenceId(), mark, text[:min(40, len(text))]))
		}
	}
	var answer messages.GetTraceStatsResponse
	c.invoke("GetTraceStats", &messages.GetTraceStatsRequest{}, &answer)
	var counts []string
	m := answer.TraceStats.BufferStats[0].ProtoReflect()
	for i := range 64 {
		f := m.Descriptor().Fields().ByNumber(protoreflect.FieldNumber(i))
		if f != nil && m.Get(f).Uint() != 0 {
			counts = append(counts, fmt.Sprintf("%s: %d", f.Name(), m.Get(f).Uint()))
		}
	}
	s := answer.TraceStats
	return fmt.Sprintf("%s | %s disc=%d pdisc=%d inv=%d", strings.Join(list, " "), strings.Join(counts, " "),
		s.GetChunksDiscarded(), s.GetPatchesDiscarded(), s.GetInvalidPackets())
}

// expectations returns the lines of a file of testdata, with their first words.
func expectations(t *testing.T, name string) [][2]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var list [][2]string
	for line := range strings.Lines(string(text)) {
		if step, rest, ok := strings.Cut(strings.TrimSpace(line), " | "); ok && !strings.HasPrefix(line, "#") {
			list = append(list, [2]string{step, strings.TrimSpace(rest)})
		}
	}
	return list
}
