//go:build linux

package service

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

// TestOutputPath has the service make a file where that is allowed, and nowhere
// else.
func TestOutputPath(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "target"), link); err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 10)
	s := serve(t, Config{OnError: func(err error) { told <- err.Error() }})
	for path, want := range map[string]string{
		"":                               "When write_into_file==true either a FD needs to be passed or output_path must be populated (but not both)",
		there:                            "Failed to create the trace file " + there,
		link:                             "Failed to create the trace file " + link,
		dir:                              "Failed to create the trace file " + dir,
		filepath.Join(dir, "none", "of"): "Failed to create the trace file " + filepath.Join(dir, "none", "of"),
		there + "\x00":                   "Failed to create the trace file " + there + "\x00",
	} {
		c := consume(t, s)
		cfg := config(64)
		cfg.WriteIntoFile = proto.Bool(true)
		if path != "" {
			cfg.OutputPath = proto.String(path)
		}
		c.enable(cfg)
		if why := c.end(); why != want {
			t.Errorf("%q: refused with %q, want %q", path, why, want)
		}
		if path != "" {
			if why := <-told; !strings.Contains(why, "creating the file") {
				t.Errorf("%q: told %q", path, why)
			}
		}
	}
	if got := contents(t, there); string(got) != "precious" {
		t.Errorf("what was there is %q", got)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("left are %v, %v", list, err)
	}
	// A file that it makes belongs to the user only, and the service closes it.
	c := consume(t, s)
	cfg := config(64)
	made := filepath.Join(dir, "made")
	cfg.WriteIntoFile, cfg.OutputPath = proto.Bool(true), proto.String(made)
	c.enable(cfg)
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	if why := c.end(); why != "" {
		t.Error(why)
	}
	if info, err := os.Stat(made); err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestFileVanishes removes the file of a session while it is written: the session
// ends normally, and everything else continues.
func TestFileVanishes(t *testing.T) {
	s := serve(t, Config{OnError: func(err error) { t.Error(err) }})
	p := connect(t, s, "prog", offer("words"))
	c, other := consume(t, s), consume(t, s)
	dir := t.TempDir()
	cfg := config(64, "words")
	cfg.WriteIntoFile, cfg.OutputPath = proto.Bool(true), proto.String(filepath.Join(dir, "trace"))
	c.enable(cfg)
	p.waitFor("start 1")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	p.write(1, "one")
	c.flush()
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	if why := c.end(); why != "" {
		t.Error(why)
	}
	other.enable(config(64, "words"))
	p.waitFor("start 2")
	p.write(2, "two")
	other.flush()
	other.reads("!two")
}

// TestWriteFlush has producers asked to commit before their packets are written, at
// a period, or not at all, depending on the config.
func TestWriteFlush(t *testing.T) {
	const enabled, disabled = messages.TraceConfig_WRITE_FLUSH_ENABLED, messages.TraceConfig_WRITE_FLUSH_DISABLED
	for what, c := range map[string]struct {
		mode               messages.TraceConfig_WriteFlushMode
		write, flush, pass uint32 // periods, ms
		want               int    // flushes
	}{
		"often so every five seconds":     {0, 1000, 0, 10_000, 2},
		"whatever the config says":        {messages.TraceConfig_WRITE_FLUSH_AUTO, 1000, 100, 10_000, 2},
		"seldom so with each write":       {0, 20_000, 0, 40_000, 2},
		"with each write":                 {enabled, 1000, 100, 3000, 3},
		"never":                           {disabled, 1000, 0, 40_000, 0},
		"at the period of the config":     {disabled, 5000, 2000, 10_000, 5},
		"by default it is written so too": {disabled, 0, 0, 10_000, 0},
	} {
		t.Run(what, func(t *testing.T) {
			s, clock := serveAt(t, Config{})
			p, k := newStepper(t, s, false), consume(t, s)
			cfg := config(64, "raw.ds")
			cfg.WriteFlushMode, cfg.FflushPostWrite = c.mode.Enum(), messages.TraceConfig_FFLUSH_ENABLED.Enum()
			cfg.FileWritePeriodMs, cfg.FlushPeriodMs = proto.Uint32(c.write), proto.Uint32(c.flush)
			file := create(t)
			k.recordInto(cfg, file)
			<-p.ready
			p.add(w1(0, 1, 0, named("one")))
			for range c.pass / 1000 {
				clock.pass(time.Second)
				p.sync()
				for len(p.flushes) > 0 {
					c.want--
					m := <-p.flushes
					if m.GetFlags() != flushPeriodic {
						t.Errorf("%v", m)
					}
					p.invoke("CommitData", &messages.CommitDataRequest{FlushRequestId: m.RequestId})
				}
			}
			if c.want != 0 {
				t.Errorf("%d flushes more were wanted", c.want)
			}
			awaitFile(t, file.Name(), func(b []byte) bool { return bytes.Contains(b, []byte("one")) })
		})
	}
}

// packetsOf decodes a trace, including the compressed packets.
func packetsOf(t *testing.T, b []byte) (list []*messages.TracePacket) {
	t.Helper()
	for len(b) > 0 {
		number, _, n := protowire.ConsumeTag(b)
		data, m := protowire.ConsumeBytes(b[max(n, 0):])
		if number != fieldPacket || m < 0 {
			t.Fatalf("no packet at %d bytes before the end", len(b))
		}
		b = b[n+m:]
		p := new(messages.TracePacket)
		if err := proto.Unmarshal(data, p); err != nil {
			t.Fatal(err)
		}
		whole := unpacked(t, p)
		if whole == nil {
			list = append(list, p)
			continue
		}
		list = append(list, packetsOf(t, whole)...)
	}
	return list
}

// unpacked returns the packets in a compressed packet, or nil for another one.
func unpacked(t *testing.T, p *messages.TracePacket) (whole []byte) {
	t.Helper()
	var from io.Reader
	var err error
	switch {
	case p.GetCompressedPackets() != nil:
		from, err = zlib.NewReader(bytes.NewReader(p.GetCompressedPackets()))
	case p.GetZstdCompressedPackets() != nil:
		from, err = zstd.NewReader(bytes.NewReader(p.GetZstdCompressedPackets()))
	default:
		return nil
	}
	if err == nil {
		whole, err = io.ReadAll(from)
	}
	if err != nil {
		t.Fatal(err)
	}
	if p.TrustedPid != nil || p.GetTrustedPacketSequenceId() != 0 {
		t.Errorf("there are stamps outside: %v", p)
	}
	return whole
}

// packing returns how all packets of a trace are compressed; "" if they are not.
func packing(t *testing.T, b []byte) (how string) {
	t.Helper()
	var trace messages.Trace
	if err := proto.Unmarshal(b, &trace); err != nil {
		t.Fatal(err)
	}
	for i, p := range trace.Packet {
		of := ""
		switch {
		case p.GetCompressedPackets() != nil:
			of = "deflate"
		case p.GetZstdCompressedPackets() != nil:
			of = "zstd"
		}
		if i > 0 && of != how {
			t.Errorf("packet %d is compressed by %q, the ones before by %q", i, of, how)
		}
		how = of
	}
	return how
}

// recordInto starts a session that is written into a file, which may be nil.
func (c *reader) recordInto(config *messages.TraceConfig, file *os.File) {
	c.t.Helper()
	config.WriteIntoFile = proto.Bool(true)
	err := c.CallFile("EnableTracing", &messages.EnableTracingRequest{TraceConfig: config}, file, c.onEnd)
	if err != nil {
		c.t.Fatal(err)
	}
}

func create(t *testing.T) *os.File {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "trace"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFile has the service write a session into a file: the consumer's, one that it
// makes, compressed ones. When EnableTracing is answered, the file is complete.
func TestFile(t *testing.T) {
	for _, kind := range []string{"given", "made", "deflate", "old deflate", "zstd", "zstd rather than deflate"} {
		t.Run(kind, func(t *testing.T) {
			s := serve(t, Config{})
			p := connect(t, s, "prog", offer("words"))
			c := consume(t, s)
			cfg := config(1024, "words")
			file := create(t)
			path := file.Name()
			switch kind {
			case "made":
				path += ".made"
				cfg.OutputPath = proto.String(path)
			case "deflate":
				cfg.Compression = &messages.TraceConfig_CompressionConfig{Deflate: new(messages.TraceConfig_CompressionConfig_Deflate)}
			case "zstd":
				cfg.Compression = &messages.TraceConfig_CompressionConfig{Zstd: new(messages.TraceConfig_CompressionConfig_Zstd)}
			case "zstd rather than deflate":
				cfg.Compression = &messages.TraceConfig_CompressionConfig{
					Deflate: new(messages.TraceConfig_CompressionConfig_Deflate), Zstd: &messages.TraceConfig_CompressionConfig_Zstd{Level: proto.Int32(9)},
				}
			case "old deflate":
				cfg.CompressionType = messages.TraceConfig_COMPRESSION_TYPE_DEFLATE.Enum()
			}
			c.recordInto(cfg, file)
			p.waitFor("start 1")
			p.write(1, "one", "two")
			if got := c.read(); len(got) != 0 {
				t.Errorf("read %d packets of a session that is written into a file", len(got))
			}
			c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
			if why := c.end(); why != "" {
				t.Fatal(why)
			}
			b := contents(t, path)
			packets := packetsOf(t, b)
			if got, want := texts(packets), []string{"!one", "two"}; !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			marker := append(append([]byte{fieldPacket<<3 | 2, 0}, appendVarint(nil, tracebuf.FieldTrustedUID, uint64(os.Getuid()))...), "\x50\x01\xa2\x02\x10"...)
			marker = append(marker, syncMarker...)
			marker[1] = byte(len(marker) - 2)
			if kind == "given" && !bytes.Contains(b, marker) {
				t.Errorf("there is no marker %x", marker)
			}
			if packets[len(packets)-1].GetTraceStats() == nil {
				t.Error("no stats at the end")
			}
			want := strings.TrimPrefix(kind, "old ")
			if want, _, _ = strings.Cut(want, " "); want == "given" || want == "made" {
				want = ""
			}
			if got := packing(t, b); got != want {
				t.Errorf("compressed by %q, want %q", got, want)
			}
		})
	}
}

// TestFilePeriods reads the file while the session is running.
func TestFilePeriods(t *testing.T) {
	clock := newFakeClock(time.UnixMilli(10_000_000))
	s := serveWith(t, addressed(t, Config{}), clock)
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	cfg := config(1024, "words")
	cfg.FileWritePeriodMs = proto.Uint32(1) // the minimum is 100
	cfg.MaxFileSizeBytes = proto.Uint64(10_000)
	file := create(t)
	c.recordInto(cfg, file)
	p.waitFor("start 1")
	p.write(1, "one")
	c.invoke("Flush", &messages.FlushRequest{}, nil)
	clock.pass(99 * time.Millisecond)
	n := s.session(1)
	if taken := n.out.takenSoFar(s); taken != 0 {
		t.Errorf("%d bytes were taken before the period was over", taken)
	}
	clock.pass(time.Millisecond)
	awaitFile(t, file.Name(), func(b []byte) bool { return bytes.Contains(b, []byte("one")) })
	// There is a flush every five seconds, regardless of the config.
	clock.pass(5 * time.Second)
	p.waitForAll("flush [1]", 2)
	// Until the file is full.
	for range 40 {
		p.write(1, strings.Repeat("x", 1000))
	}
	// The file may be full already: earlier writes may have included these packets.
	if err := c.Invoke(t.Context(), "Flush", &messages.FlushRequest{}, nil); err != nil && !errors.Is(err, ipc.ErrRejected) {
		t.Error(err)
	}
	clock.pass(100 * time.Millisecond)
	if why := c.end(); why != "" {
		t.Error(why)
	}
	b := contents(t, file.Name())
	packetsOf(t, b)
	if len(b) >= 10_000 || len(b) < 8_000 {
		t.Errorf("the file has %d bytes", len(b))
	}
}

func (o *output) takenSoFar(s *Service) int64 {
	s.lock()
	defer s.unlock()
	return o.taken
}

// awaitFile waits until a file that is being written satisfies a condition.
func awaitFile(t *testing.T, path string, is func([]byte) bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); !is(contents(t, path)); <-tick.C {
		if time.Since(begin) > time.Minute {
			t.Fatalf("%s is not as it should be within a minute", path)
		}
	}
}

// TestFileFails has a file that cannot be written: the consumer is told why, and
// others continue.
func TestFileFails(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	s := serve(t, Config{OnError: func(error) {}})
	p := connect(t, s, "prog", offer("words"))
	other, c := consume(t, s), consume(t, s)
	other.enable(config(64, "words"))
	p.waitFor("start 1")
	c.recordInto(config(1024, "words"), full)
	p.waitFor("start 2")
	p.write(1, "one")
	p.write(2, "two")
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	if why := c.end(); !strings.Contains(why, "no space left") {
		t.Errorf("it ended with %q", why)
	}
	other.invoke("Flush", &messages.FlushRequest{}, nil)
	if got := texts(other.read()); !slices.Equal(got, []string{"!one"}) {
		t.Errorf("%q", got)
	}
}

// TestPipeNotRead writes a session into a pipe that is not read: only that session
// has to wait, and the bytes finally read are complete.
func TestPipeNotRead(t *testing.T) {
	s := serve(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c.recordInto(config(4096, "words"), w)
	p.waitFor("start 1")
	for range 400 {
		p.write(1, strings.Repeat("y", 1000))
	}
	c.invoke("Flush", &messages.FlushRequest{}, nil)
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	// The pipe is full now, or will be soon.
	other := consume(t, s)
	other.enable(config(64, "words"))
	p.waitFor("start 2")
	p.write(2, "two")
	other.invoke("Flush", &messages.FlushRequest{}, nil)
	if got := texts(other.read()); !slices.Equal(got, []string{"!two"}) {
		t.Errorf("%q", got)
	}
	_ = w.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if why := c.end(); why != "" {
		t.Error(why)
	}
	if got := texts(packetsOf(t, b)); len(got) != 400 {
		t.Errorf("%d packets arrived", len(got))
	}
}

// TestCloneFile asks for a clone of a session that is written into a file, which is
// refused, with a file and without.
func TestCloneFile(t *testing.T) {
	s := serve(t, Config{})
	c, k := consume(t, s), consume(t, s)
	file := create(t)
	c.recordInto(config(64), file)
	c.sync()
	request := &messages.CloneSessionRequest{Selector: &messages.CloneSessionRequest_SessionId{SessionId: 1}}
	for _, to := range []*os.File{nil, create(t)} {
		var answer messages.CloneSessionResponse
		done := make(chan error, 1)
		err := k.CallFile("CloneSession", request, to, func(r ipc.Reply) { done <- r.Decode(&answer) })
		if err := errors.Join(err, wait(t.Context(), done)); err != nil {
			t.Fatal(err)
		}
		if answer.GetSuccess() || !strings.Contains(answer.GetError(), "not supported by this tracing service") {
			t.Errorf("%v", &answer)
		}
	}
}
