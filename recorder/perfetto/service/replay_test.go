//go:build linux

package service

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/perfettotest"
	"tracex/recorder/perfetto/service/tracebuf"
)

// TestReplay repeats to the service what real producers and consumers sent to the
// real one, and checks that the answers are the same, except for what must differ.
// The captures have only the headers of the memory: the packets in it are empty.
func TestReplay(t *testing.T) {
	for name, phase := range map[string]time.Duration{
		"01_basic": 0, "02_alive_flush_clear": 268 * time.Millisecond, "03_frag_patch_direct0": 345 * time.Millisecond, "04_producer_smb_startup": 0,
		"04b_producer_smb_startup_not_adopted": 0, "05_page32k_batch": 0, "08_crash_scrape": 0, "09_tcp_shmem_emulation": 0, "10_consumer_ops": 0,
	} {
		t.Run(name, func(t *testing.T) {
			records, err := perfettotest.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			r := newReplay(t, strings.Contains(name, "tcp"), phase)
			for i := range records {
				r.record(&records[i])
			}
			r.compare()
		})
	}
}

// replay is a service and the connections of a capture to it.
type replay struct {
	t       *testing.T
	s       *Service
	clock   *fakeClock
	begin   time.Time
	tcp     bool
	peers   map[int]*rawPeer
	methods map[string]string // by connection and number of the method, or the request
	want    map[int][]string  // answers, by connection
	got     map[int][]string
	traces  [2][]string // the packets read: wanted, got
	slices  [2][]byte
}

// newReplay starts a service. Periodic events are at multiples of their periods: in
// the capture, at phase after its beginning.
func newReplay(t *testing.T, tcp bool, phase time.Duration) *replay {
	r := &replay{
		t: t, tcp: tcp, begin: time.UnixMilli(1_680_000_000_000).Add(-phase),
		peers: make(map[int]*rawPeer), methods: make(map[string]string),
		want: make(map[int][]string), got: make(map[int][]string),
	}
	r.clock = newFakeClock(r.begin)
	c := addressed(t, Config{})
	if tcp {
		c.Producers = "127.0.0.1:0"
	}
	r.s = serveWith(t, c, r.clock)
	return r
}

func (r *replay) record(of *perfettotest.Record) {
	r.clock.set(r.begin.Add(time.Duration(of.Seconds * float64(time.Second))))
	switch {
	case of.Event == "connect":
		producers, consumers := r.s.Addresses()
		address := producers[0]
		if of.Socket == "consumer" {
			address = consumers[0]
		}
		r.peers[of.Conn] = rawDial(r.t, address)
	case of.Event == "eof" && of.ToService():
		r.s.lock()
		before := r.s.ended.count
		r.s.unlock()
		r.peers[of.Conn].hangUp()
		waitUntil(r.t, r.s, func() bool { return r.s.ended.count > before })
	case of.Event == "frame" && of.ToService():
		r.send(of)
	case of.Event == "frame":
		r.expect(of)
	}
}

// send sends a frame of the real client, and waits until the service has handled it.
func (r *replay) send(of *perfettotest.Record) {
	p := r.peers[of.Conn]
	frame := decode(r.t, of.Frame)
	if call := frame.GetInvokeMethod(); call != nil {
		method := r.methods[fmt.Sprint(of.Conn, "method", call.GetMethodId())]
		r.methods[fmt.Sprint(of.Conn, "request", frame.GetRequestId())] = method
	}
	var file *os.File
	for _, f := range of.Files {
		file = r.file(f)
		defer file.Close()
		if f.Seals != 0 {
			p.mapFile(file)
		}
	}
	r.fill(p, of.SMB)
	p.send(of.Frame, file)
	p.settle()
	r.s.settle()
}

// file makes a file like that of the capture.
func (r *replay) file(of perfettotest.File) *os.File {
	if of.Seals == 0 {
		file, err := os.Create(filepath.Join(r.t.TempDir(), "trace"))
		if err != nil {
			r.t.Fatal(err)
		}
		return file
	}
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		r.t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), "test")
	if err := file.Truncate(of.Size); err != nil {
		r.t.Fatal(err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, of.Seals); err != nil {
		r.t.Fatal(err)
	}
	return file
}

// fill writes pages into the memory as captured, but with empty packets.
func (r *replay) fill(p *rawPeer, pages json.RawMessage) {
	var list []struct {
		Page   int
		Bitmap string
		Chunks []struct {
			I, Size, Writer, Count, Flags int
			ID                            uint32 `json:"chunk_id"`
		}
	}
	if len(pages) == 0 || p.memory == nil {
		return
	}
	if err := json.Unmarshal(pages, &list); err != nil {
		r.t.Fatal(err)
	}
	for _, page := range list {
		size := defaultPage
		if len(page.Chunks) == 1 {
			size = page.Chunks[0].Size + 8
		}
		b := p.memory[page.Page*size:][:size]
		for _, c := range page.Chunks {
			chunk := b[8+c.I*c.Size:][:c.Size]
			clear(chunk)
			binary.LittleEndian.PutUint32(chunk, c.ID)
			binary.LittleEndian.PutUint16(chunk[4:], uint16(c.Writer))
			binary.LittleEndian.PutUint16(chunk[6:], uint16(c.Count|c.Flags<<10))
		}
		bitmap, err := strconv.ParseUint(page.Bitmap, 0, 32)
		if err != nil {
			r.t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(b, uint32(bitmap))
	}
}

// expect records the service's next frame to that client, and the real one.
func (r *replay) expect(of *perfettotest.Record) {
	p := r.peers[of.Conn]
	want := decode(r.t, of.Frame)
	for _, m := range want.GetBindServiceReply().GetMethods() {
		r.methods[fmt.Sprint(of.Conn, "method", m.GetId())] = m.GetName()
	}
	method := r.methods[fmt.Sprint(of.Conn, "request", want.GetRequestId())]
	if method == "ReadBuffers" {
		r.read(0, want)
		for more := !want.GetInvokeMethodReply().GetHasMore(); more; {
			got := p.next()
			r.read(1, got)
			more = got.GetInvokeMethodReply().GetHasMore()
		}
		return
	}
	got := p.next()
	r.want[of.Conn] = append(r.want[of.Conn], r.text(want, method))
	r.got[of.Conn] = append(r.got[of.Conn], r.text(got, method))
	if setup := of.Files; len(setup) > 0 {
		p.mapMemory()
	}
}

// text describes a frame, without what differs between runs.
func (r *replay) text(f *messages.IPCFrame, method string) string {
	reply := f.GetInvokeMethodReply()
	if reply == nil || !reply.GetSuccess() {
		return fmt.Sprint(f)
	}
	m := r.message(method+"Response", reply.ReplyProto)
	switch m := m.(type) {
	case *messages.QueryServiceStateResponse:
		m.ServiceState.TracingServiceVersion = nil
		for _, p := range m.ServiceState.Producers {
			p.Pid, p.Uid = nil, nil
		}
		for _, n := range m.ServiceState.TracingSessions {
			n.StartRealtimeNs, n.ConsumerUid = nil, nil
		}
	case *messages.GetTraceStatsResponse:
		m.TraceStats.WriterStats, m.TraceStats.ChunkPayloadHistogramDef = nil, nil // left out
	case *messages.CloneSessionResponse:
		m.UuidMsb = nil
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		r.t.Fatal(err)
	}
	return fmt.Sprintf("%d %s more=%t %v %x", f.GetRequestId(), method, reply.GetHasMore(), strings.ReplaceAll(fmt.Sprint(m), "  ", " "), b)
}

func (r *replay) message(name string, b []byte) proto.Message {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("tracex.perfetto." + name))
	if err != nil {
		r.t.Fatal(err)
	}
	m := kind.New().Interface()
	if err := proto.Unmarshal(b, m); err != nil {
		r.t.Fatal(err)
	}
	return m
}

// read records the packets of a reply to ReadBuffers.
func (r *replay) read(which int, f *messages.IPCFrame) {
	m := r.message("ReadBuffersResponse", f.GetInvokeMethodReply().GetReplyProto()).(*messages.ReadBuffersResponse)
	for _, s := range m.Slices {
		r.slices[which] = append(r.slices[which], s.Data...)
		if s.GetLastSliceForPacket() {
			if text := packetText(r.t, r.slices[which]); text != "" {
				r.traces[which] = append(r.traces[which], text)
			}
			r.slices[which] = nil
		}
	}
}

// packetText describes a packet: which one of the service's it is, or the bytes of a
// producer's with the number of its sequence. It is empty for packets that this
// service does not have.
func packetText(t *testing.T, b []byte) string {
	t.Helper()
	p := new(messages.TracePacket)
	if err := proto.Unmarshal(b, p); err != nil {
		t.Fatal(err)
	}
	if p.GetTrustedPacketSequenceId() == ownSequence {
		switch d := p.Data.(type) {
		case *messages.TracePacket_ServiceEvent:
			return ""
		case *messages.TracePacket_TraceConfig:
			return fmt.Sprintf("config %v", d.TraceConfig)
		case *messages.TracePacket_SynchronizationMarker:
			return fmt.Sprintf("marker %x", b[len(b)-len(syncMarker)-3:])
		}
		return fmt.Sprintf("%T clock %d", p.Data, p.GetTimestampClockId())
	}
	bare := slices.Clone(b)[:0]
	for len(b) > 0 {
		number, _, n := protowire.ConsumeField(b)
		switch number {
		case tracebuf.FieldTrustedUID, tracebuf.FieldTrustedPID, tracebuf.FieldSequenceID, tracebuf.FieldMachineID:
		default:
			bare = append(bare, b[:n]...)
		}
		b = b[n:]
	}
	return fmt.Sprintf("of %d: %x", p.GetTrustedPacketSequenceId(), bare)
}

// compare checks that the answers were the same, and the traces too as far as
// possible.
func (r *replay) compare() {
	for conn, want := range r.want {
		got := r.got[conn]
		for i := range want {
			if got[i] != want[i] {
				r.t.Errorf("connection %d, answer %d is\n%s\nwant\n%s", conn, i, got[i], want[i])
			}
		}
	}
	for conn, p := range r.peers {
		if p.settle(); len(p.inbox) > 0 && !(p.gone && len(r.want[conn]) == 0) {
			r.t.Errorf("connection %d: %d frames more than there should be: %v", conn, len(p.inbox), p.inbox)
		}
	}
	for which, list := range r.traces {
		r.traces[which] = slices.Compact(slices.DeleteFunc(list, func(s string) bool {
			// the number of clock snapshots depends on drift; packets are from the memory
			return strings.Contains(s, "ClockSnapshot") || !r.tcp && strings.HasPrefix(s, "of ")
		}))
	}
	if want, got := r.traces[0], r.traces[1]; !slices.Equal(got, want) {
		for i := range max(len(want), len(got)) {
			if i >= len(want) || i >= len(got) || got[i] != want[i] {
				r.t.Fatalf("packet %d of %d, want %d: got\n%.300q\nwant\n%.300q", i, len(got), len(want), got[min(i, len(got)):min(i+5, len(got))], want[min(i, len(want)):min(i+5, len(want))])
			}
		}
	}
}

func decode(t *testing.T, frame []byte) *messages.IPCFrame {
	t.Helper()
	f := new(messages.IPCFrame)
	if err := proto.Unmarshal(frame[4:], f); err != nil {
		t.Fatal(err)
	}
	return f
}
