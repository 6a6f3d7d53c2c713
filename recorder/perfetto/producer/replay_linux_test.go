package producer

import (
	"encoding/binary"
	"io"
	"net"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/perfettotest"
)

// realService replays the frames of the real service in a capture, byte by byte, and
// compares the program's frames with those of the real client library.
type realService struct {
	t       *testing.T
	sock    *net.UnixConn
	methods map[uint32]string
	frames  chan *messages.IPCFrame // from the program; closed at its end
	said    map[string]int          // requests about data, whose order is not fixed
	buffers map[uint32]bool         // used by its writers
	flushed uint64                  // the last flush that was answered
}

// aboutData are methods that are called for data: how often, and when, is up to the
// program.
var aboutData = []string{"CommitData", "RegisterTraceWriter", "UnregisterTraceWriter"}

// play replays the records of a connection. It calls started when a data source has
// started.
func (s *realService) play(records []perfettotest.Record, started func()) {
	s.t.Helper()
	starts := 0
	for _, r := range records {
		frame := decode(s.t, r.Frame)
		if !r.ToService() {
			for _, m := range frame.GetBindServiceReply().GetMethods() {
				s.methods[m.GetId()] = m.GetName()
			}
			if frame.GetRequestId() <= 5 { // later ones are about data
				s.send(&r)
			}
			continue
		}
		method := s.methods[frame.GetInvokeMethod().GetMethodId()]
		if method == "CommitData" {
			if m := s.commit(frame); m.GetFlushRequestId() != 0 {
				for s.flushed < m.GetFlushRequestId() {
					s.next()
				}
			}
			continue
		}
		if slices.Contains(aboutData, method) {
			continue
		}
		s.compare(frame, s.nextAbout())
		if method == "NotifyDataSourceStarted" {
			if starts++; starts == 1 {
				started()
			}
		}
	}
}

// next returns the next frame of the program.
func (s *realService) next() *messages.IPCFrame {
	s.t.Helper()
	f := receive(s.t, s.frames, "a request")
	if f == nil {
		s.t.Fatal("the program has gone")
	}
	method := s.methods[f.GetInvokeMethod().GetMethodId()]
	s.said[method]++
	if method == "CommitData" {
		m := s.commit(f)
		s.flushed = max(s.flushed, m.GetFlushRequestId())
		for _, c := range m.ChunksToMove {
			s.buffers[c.GetTargetBuffer()] = true
		}
	}
	return f
}

func (s *realService) commit(f *messages.IPCFrame) *messages.CommitDataRequest {
	s.t.Helper()
	m := new(messages.CommitDataRequest)
	if err := proto.Unmarshal(f.GetInvokeMethod().GetArgsProto(), m); err != nil {
		s.t.Fatal(err)
	}
	return m
}

// nextAbout is next without requests about data.
func (s *realService) nextAbout() *messages.IPCFrame {
	s.t.Helper()
	for {
		f := s.next()
		if !slices.Contains(aboutData, s.methods[f.GetInvokeMethod().GetMethodId()]) {
			return f
		}
	}
}

// compare compares two frames except for what must differ: random ids, the number of
// the request, and the library's name.
func (s *realService) compare(want, got *messages.IPCFrame) {
	s.t.Helper()
	plain := func(f *messages.IPCFrame) *messages.IPCFrame {
		f = proto.CloneOf(f)
		f.RequestId = nil
		call := f.GetInvokeMethod()
		if call == nil {
			return f
		}
		var m proto.Message
		switch s.methods[call.GetMethodId()] {
		case "InitializeConnection":
			m = new(messages.InitializeConnectionRequest)
		case "RegisterDataSource":
			m = new(messages.RegisterDataSourceRequest)
		default:
			return f
		}
		if err := proto.Unmarshal(call.ArgsProto, m); err != nil {
			s.t.Fatal(err)
		}
		switch m := m.(type) {
		case *messages.InitializeConnectionRequest:
			m.SdkVersion = nil
			if !m.GetProducerProvidedShmem() {
				m.ProducerProvidedShmem = nil
			}
		case *messages.RegisterDataSourceRequest:
			m.DataSourceDescriptor.Id = nil
		}
		call.ArgsProto, _ = proto.MarshalOptions{Deterministic: true}.Marshal(m)
		return f
	}
	if w, g := plain(want), plain(got); !proto.Equal(w, g) {
		s.t.Errorf("the program says\n%v, the real library\n%v", g, w)
	}
}

// send sends a frame unchanged, with memory if it had any.
func (s *realService) send(r *perfettotest.Record) {
	s.t.Helper()
	var rights []byte
	if len(r.Files) > 0 {
		mem, err := newSharedMemory(int(r.Files[0].Size), 4<<10)
		if err != nil {
			s.t.Fatal(err)
		}
		defer mem.file.Close()
		defer mem.mapping.Close()
		rights = unix.UnixRights(int(mem.file.Fd()))
	}
	if _, _, err := s.sock.WriteMsgUnix(r.Frame, rights, nil); err != nil {
		s.t.Fatal(err)
	}
}

func decode(t *testing.T, b []byte) *messages.IPCFrame {
	t.Helper()
	f := new(messages.IPCFrame)
	if err := proto.Unmarshal(b[4:], f); err != nil {
		t.Fatal(err)
	}
	return f
}

// hear receives the program's frames.
func (s *realService) hear() {
	defer close(s.frames)
	for {
		var head [4]byte
		if _, err := io.ReadFull(s.sock, head[:]); err != nil {
			return
		}
		b := make([]byte, binary.LittleEndian.Uint32(head[:]))
		if _, err := io.ReadFull(s.sock, b); err != nil {
			return
		}
		f := new(messages.IPCFrame)
		if proto.Unmarshal(b, f) == nil {
			s.frames <- f
		}
	}
}

// TestRealService replays captures of the real service to a program like the
// recorded one.
func TestRealService(t *testing.T) {
	for _, c := range []struct {
		name    string
		options Options
		early   *messages.TrackEventConfig
		custom  bool
		conn    int
	}{
		{name: "01_basic", conn: 1},
		{name: "02_alive_flush_clear", conn: 1},
		{name: "03_frag_patch_direct0", conn: 1, custom: true},
		{
			name: "04_producer_smb_startup", conn: 2, options: Options{StartUp: true, MemorySize: 512 << 10, PageSize: 8 << 10},
			early: &messages.TrackEventConfig{EnabledCategories: []string{"*"}},
		},
		{
			name: "04b_producer_smb_startup_not_adopted", conn: 2,
			options: Options{StartUp: true, MemorySize: 512 << 10, PageSize: 8 << 10},
		},
		{name: "05_page32k_batch", conn: 1, options: Options{MemorySize: 1 << 20, PageSize: 32 << 10}},
		{name: "08_crash_scrape", conn: 1},
		{name: "09_tcp_shmem_emulation", conn: 1, custom: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			records, err := perfettotest.Load(c.name)
			if err != nil {
				t.Fatal(err)
			}
			records = slices.DeleteFunc(records, func(r perfettotest.Record) bool { return r.Event != "frame" || r.Conn != c.conn })
			dir := ipctest.Directory(t)
			l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: filepath.Join(dir, "p")})
			if err != nil {
				t.Fatal(err)
			}
			c.options.Name = "./prod"
			p := begin(t, dir, c.options)
			t.Cleanup(func() { _ = l.Close() })
			// The service answers only after everything is registered.
			e := newEvents(t, p, EventsOptions{Categories: []Category{
				{Name: "work", Description: "Work"}, {Name: "big", Description: "Big packets"}, {Name: "slow", Tags: []string{"slow"}},
			}})
			if c.custom {
				register(t, p, DataSourceSpec{Name: "com.example.custom"})
			}
			track, n := e.Goroutine("g"), e.Name("work", "n")
			if c.early != nil {
				if _, err := e.Source().StartUp(&messages.DataSourceConfig{TrackEventConfig: c.early}); err != nil {
					t.Fatal(err)
				}
				track.Instant(n)
			}
			sock, err := l.AcceptUnix()
			if err != nil {
				t.Fatal(err)
			}
			s := &realService{
				t: t, sock: sock, frames: make(chan *messages.IPCFrame, 1<<16), methods: map[uint32]string{},
				said: map[string]int{}, buffers: map[uint32]bool{},
			}
			t.Cleanup(func() { _ = sock.Close() })
			go s.hear()
			s.play(records, func() {
				i := awaitInstance(t, e.source)
				for range 5000 {
					track.Begin(n)
					track.End(n)
				}
				i.flush()
			})
			for s.said["RegisterTraceWriter"] == 0 || len(s.buffers) == 0 {
				s.next()
			}
			if !s.buffers[1] || len(s.buffers) > 1 {
				t.Errorf("the program wrote for the buffers %v, and not for 1 alone", s.buffers)
			}
		})
	}
}
