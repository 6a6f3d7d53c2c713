package perfetto

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/pbfield"
	"tracex/format/tracefile"
)

// whole fails the test unless the trace can be read, as far as it was written.
func whole(t testing.TB, w *written) {
	t.Helper()
	s := format.NewBytesScanner(w.data)
	ctx := format.NewContext(versionIn(t, w.data))
	var p format.Point
	for s.Next() {
		o := s.Object()
		if o.Kind.Reference() {
			if _, _, err := ctx.Add(o.Bytes); err != nil {
				t.Fatal(err)
			}
		}
		if o.Kind != format.KindTracePoint {
			continue
		}
		if _, err := s.Version().DecodePoint(o.Bytes, &p); err != nil {
			t.Fatal(err)
		}
		if p.Class == format.ClassCall && (ctx.Method(p.Ref) == nil || p.Location >= 0 && ctx.Location(p.Location) == nil) {
			t.Fatalf("call %d is of method %d at %d, which did not come before it", p.Event, p.Ref, p.Location)
		}
	}
	readable(t, w, s.Version())
}

// readable fails the test unless the trace has the version and can be read, except
// for the contents of recorded calls, which are copied.
func readable(t testing.TB, w *written, v format.Version) {
	t.Helper()
	s := format.NewBytesScanner(w.data)
	for s.Next() {
	}
	if err := s.Err(); err != nil || versionIn(t, w.data) != v {
		t.Fatalf("version %d, want %d: %v", versionIn(t, w.data), v, err)
	}
	for _, id := range s.Threads() {
		if n := len(s.Open(id)); n > 0 {
			t.Fatalf("thread %d has %d calls without an end", id, n)
		}
	}
}

// small returns a captured trace that the tests cut and damage.
func small(t testing.TB) []byte {
	return captured(t, "testdata/04_producer_smb_startup.pftrace.gz")
}

// TestCut converts a trace that is cut anywhere: the whole packets are converted,
// and the error has the offset of the end.
func TestCut(t *testing.T) {
	trace := small(t)
	borders := map[int64]bool{0: true}
	for at := 0; at < len(trace); {
		_, _, n := protowire.ConsumeField(trace[at:])
		at += n
		borders[int64(at)] = true
	}
	slicesBefore := 0
	for cut := 1; cut <= len(trace); cut++ {
		w, err := convertBytes(t, trace[:cut], Options{})
		var fault *format.Error
		switch {
		case borders[int64(cut)]:
			if err != nil {
				t.Fatalf("cut at the border %d: %v", cut, err)
			}
		case !errors.As(err, &fault) || fault.Err != format.ErrTruncated || !borders[fault.Offset] || fault.Offset >= int64(cut):
			t.Fatalf("cut at %d: %v", cut, err)
		}
		whole(t, w)
		if n := len(slicesIn(t, w)); n < slicesBefore {
			t.Fatalf("cut at %d: %d slices, before it was %d", cut, n, slicesBefore)
		} else {
			slicesBefore = n
		}
	}
}

// TestFlipped converts a trace in which one byte is changed.
func TestFlipped(t *testing.T) {
	trace := small(t)
	r := rand.New(rand.NewPCG(1, 2))
	for at := range trace {
		damaged := bytes.Clone(trace)
		damaged[at] ^= byte(1 + r.IntN(255))
		w, err := convertBytes(t, damaged, Options{})
		var fault *format.Error
		if err != nil && !errors.As(err, &fault) {
			t.Fatalf("byte %d: %v", at, err)
		}
		whole(t, w)
	}
}

// FuzzConvert converts arbitrary input: the conversion may refuse it, but must not
// fail otherwise or make an unreadable trace.
func FuzzConvert(f *testing.F) {
	f.Add(small(f))
	f.Add(captured(f, "testdata/01_basic.pftrace.gz"))
	f.Add(captured(f, "testdata/03_frag_patch_direct0.pftrace.gz")[:4000])
	f.Add(captured(f, "testdata/15_deflate.pftrace.gz")[:3000])
	f.Add(motley())
	for _, v := range versions { // recorded calls of either version, and of both
		data, _ := formattest.Bytes(f, formattest.Spec{Shape: formattest.Random, N: 20, Seed: 1, Options: formattest.Options{Version: v}})
		f.Add(wrap(f, data, 1).story.trace)
		f.Add(slices.Concat(motley(), wrap(f, data, 1).story.trace, wrap(f, data, 2).story.trace))
	}
	f.Fuzz(func(t *testing.T, trace []byte) {
		for _, v := range versions {
			w, err := convertBytes(t, trace, Options{Memory: 1 << 10, FormatVersion: v})
			var fault *format.Error
			if err != nil && !errors.As(err, &fault) {
				t.Fatal(err)
			}
			readable(t, w, v)
		}
	})
}

// motley returns a trace with features that the captured ones lack.
func motley() []byte {
	s := simple()
	s.at(clockMonotonic, 120, "early")
	s.time = 50
	s.add(func(p *message) { p.bytes(pbfield.TracePacket_InternedData, allInterned()) })
	s.clocksAt(0, clockBoottime, 1000, clockMonotonic, 100, 65, 0)
	s.at(65, 3, "difference")
	s.track(30, 10, "async")
	s.begin(100, "A", onTrack(30), func(e *message) { e.number(pbfield.TrackEvent_SourceLocationIid, 8) })
	s.end(110, onTrack(30), annotate("n", intValue(3)))
	s.track(31, 0, "size", func(d *message) { d.bytes(pbfield.TrackDescriptor_Counter, message{5 << 3, 1}) })
	s.event(105, pbfield.TrackEvent_TYPE_COUNTER, "", onTrack(31), func(e *message) { e.number(pbfield.TrackEvent_CounterValue, 5) })
	s.phased(107, 'b', "legacy", id(5))
	s.onMachine(3, func(s *story) {
		s.clocksAt(0, clockBoottime, 1, clockRealtime, 2)
		s.on(9, 10)
		s.track(10, 0, "", ofThreadOf(1, 5, "remote"))
		s.instant(130, "B")
	})
	return s.trace
}

// TestMotley converts the motley trace, whole and cut anywhere.
func TestMotley(t *testing.T) {
	trace := motley()
	for cut := 1; cut <= len(trace); cut++ {
		w, err := convertBytes(t, trace[:cut], Options{Memory: 1 << 10})
		var fault *format.Error
		if err != nil && !errors.As(err, &fault) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if cut == len(trace) && (err != nil || w.result.Events != 6 || len(w.result.LeftOut) > 0) {
			t.Errorf("%d events, left out: %v, %v", w.result.Events, w.result.LeftOut, err)
		}
	}
}

// TestNotTrace has inputs of other kinds, each with its own error message.
func TestNotTrace(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "the file is empty",
		"\x1f\x8b\x08":            "gzip",
		"\x28\xb5\x2f\xfd":        "zstd",
		"PK\x03\x04":              "ZIP",
		"  {\"traceEvents\":[]}":  "JSON",
		"[{}]":                    "JSON",
		"\x00\x00\x00\x00":        "bytes 00000000",
		"text of some kind, long": "text (\"text of some kind, long\"…)",
		"\xfd7zXZ\x00\x00\x04":    "xz-compressed",
		// The key of field 34,082, with too few bytes.
		"\x92\xaa\x12\x99\x42\x05\xf9\xb2":               "bytes 92aa12994205f9b2",
		string(format.AppendDataHeader(nil, format.V22)): "needs no conversion",
	} {
		c := New(Options{})
		err := c.Read(t.Context(), strings.NewReader(text))
		if !errors.Is(err, format.ErrNotTrace) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestLargePackets has packets and fields that are too large and are skipped.
func TestLargePackets(t *testing.T) {
	s := simple()
	s.begin(100, "A")
	s.trace = protowire.AppendTag(s.trace, 7, protowire.BytesType)
	s.trace = protowire.AppendBytes(s.trace, make([]byte, 3<<20))
	s.trace = protowire.AppendTag(s.trace, 1, protowire.BytesType)
	s.trace = protowire.AppendVarint(s.trace, maxPacket+1)
	rest := simple()
	rest.instant(110, "B")
	in := io.MultiReader(bytes.NewReader(s.trace), io.LimitReader(zeros{}, maxPacket+1), iotest.OneByteReader(bytes.NewReader(rest.trace)))
	c := New(Options{})
	defer c.Close()
	if err := c.Read(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	r, err := c.Write(t.Context(), tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard})
	if err != nil || r.Events != 2 || len(r.LeftOut) != 1 || r.LeftOut[0].What != largePackets.Of(r.LeftOut[0].Count) {
		t.Errorf("%+v, %v", r, err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// TestSize has a packet that claims to be large but is not: no memory is allocated
// for the missing bytes.
func TestSize(t *testing.T) {
	trace := protowire.AppendVarint([]byte{1<<3 | bytesKey}, maxPacket-1)
	n := testing.AllocsPerRun(1, func() {
		f := framer{r: bytes.NewReader(trace)}
		if _, _, err := f.next(); !errors.Is(err, format.ErrTruncated) {
			t.Error(err)
		}
		if cap(f.buf) > framerBuffer {
			t.Errorf("a buffer of %d bytes", cap(f.buf))
		}
	})
	if n > 20 {
		t.Errorf("%v allocations", n)
	}
}

var errBroken = errors.New("broken")

// TestReadFails has a reader that fails within the trace.
func TestReadFails(t *testing.T) {
	c := New(Options{})
	defer c.Close()
	in := io.MultiReader(bytes.NewReader(small(t)[:300]), iotest.ErrReader(errBroken))
	if err := c.Read(t.Context(), in); err != errBroken {
		t.Error(err)
	}
}

// TestWriteFails has writers that fail at each of the first bytes: the conversion
// returns the error.
func TestWriteFails(t *testing.T) {
	for which := range 3 {
		for limit := range 4 {
			c := New(Options{})
			if err := c.Read(t.Context(), bytes.NewReader(captured(t, "testdata/15_deflate.pftrace.gz"))); err != nil {
				t.Fatal(err)
			}
			out := []io.Writer{io.Discard, io.Discard, io.Discard}
			out[which] = &full{left: limit << 13}
			if _, err := c.Write(t.Context(), tracefile.Files{Data: out[0], Index: out[1], Times: out[2]}); err != errBroken {
				t.Errorf("writer %d with room for %d bytes: %v", which, limit<<13, err)
			}
			c.Close()
		}
	}
}

// full is a writer that accepts a limited number of bytes.
type full struct{ left int }

func (f *full) Write(b []byte) (int, error) {
	if n := f.left; n < len(b) {
		f.left = 0
		return n, errBroken
	}
	f.left -= len(b)
	return len(b), nil
}

// TestStopped cancels a conversion in each stage: it ends soon, and leaves no file.
func TestStopped(t *testing.T) {
	dir := t.TempDir()
	var trace bytes.Buffer
	g := generated{threads: 2, size: 4 << 20, turn: 1000}
	if _, err := g.writeTo(&trace); err != nil {
		t.Fatal(err)
	}
	for _, stage := range []Stage{Reading, Writing} {
		ctx, cancel := context.WithCancel(t.Context())
		c := New(Options{TempDir: dir, Memory: 1 << 16, Progress: func(now Stage, done int64) {
			if now == stage && done > 1<<20 {
				cancel()
			}
		}})
		err := c.Read(ctx, bytes.NewReader(trace.Bytes()))
		if stage == Writing {
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Write(ctx, tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard})
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stage %d: %v", stage, err)
		}
		c.Close()
		cancel()
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("files stay: %v", left)
	}
}

// TestNoTempDir has no directory for temporary files.
func TestNoTempDir(t *testing.T) {
	var trace bytes.Buffer
	g := generated{threads: 2, size: 1 << 20, turn: 1000}
	if _, err := g.writeTo(&trace); err != nil {
		t.Fatal(err)
	}
	c := New(Options{TempDir: "no/such/folder", Memory: 1 << 16})
	defer c.Close()
	if err := c.Read(t.Context(), &trace); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
