package format_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"tracex/format"
	"tracex/format/formattest"
)

// visit scans everything and returns the objects as text, with the error at the end.
func visit(s *format.Scanner) (objects []string, err error) {
	for s.Next() {
		o := s.Object()
		objects = append(objects, fmt.Sprintf("%v %v thread %d at %d/%d depth %d: %x", o.Kind, o.Class, o.Thread, o.Offset, o.Logical, o.Depth, o.Bytes))
	}
	return objects, s.Err()
}

// A Scanner sees the same however its reader splits the bytes.
func TestScannerReaders(t *testing.T) {
	for _, name := range []string{"roots.dump.bin", "shapes.stream.bin", "threads.stream.bin"} {
		whole := formattest.Recorded(t, name)
		for _, data := range [][]byte{whole, whole[:len(whole)-1], whole[:len(whole)*2/3], append(bytes.Clone(whole[:len(whole)-1]), 0xee)} {
			want, wantErr := visit(format.NewBytesScanner(data))
			for way, wrap := range map[string]func(io.Reader) io.Reader{
				"plain": func(r io.Reader) io.Reader { return r }, "one byte": iotest.OneByteReader,
				"half": iotest.HalfReader, "data with error": iotest.DataErrReader,
			} {
				got, err := visit(format.NewScanner(wrap(bytes.NewReader(data))))
				if fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("%s, %s: error %v, want %v", name, way, err, wantErr)
				}
				if len(got) != len(want) {
					t.Fatalf("%s, %s: %d objects, want %d", name, way, len(got), len(want))
				}
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("%s, %s: %s, want %s", name, way, got[i], want[i])
					}
				}
			}
		}
	}
}

func TestScannerReaderFails(t *testing.T) {
	data := formattest.Recorded(t, "roots.dump.bin")
	broken := errors.New("cable pulled")
	for cut := range len(data) {
		s := format.NewScanner(io.MultiReader(bytes.NewReader(data[:cut]), iotest.ErrReader(broken)))
		for s.Next() {
		}
		if s.Err() != broken {
			t.Fatalf("behind %d bytes: %v", cut, s.Err())
		}
	}
	s := format.NewScanner(stuck{})
	if s.Next() || s.Err() != io.ErrNoProgress {
		t.Errorf("a reader that gives nothing: %v", s.Err())
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// part is a part of a small trace, and build joins parts after a header.
func build(parts ...[]byte) []byte {
	return append(format.AppendDataHeader(nil, format.V22), bytes.Join(parts, nil)...)
}

func start(thread byte) []byte { return []byte{byte(format.KindBlockStart), 0, 0, 0, thread} }

var (
	end  = []byte{byte(format.KindBlockEnd)}
	eof  = []byte{byte(format.KindEOF)}
	foot = []byte{byte(format.KindFooter)}
)

func object(t *testing.T, v appender) []byte {
	t.Helper()
	b, err := v.Append(nil, format.V22)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Bad traces, with their errors.
func TestScannerRefuses(t *testing.T) {
	iteration := func(thread int32) []byte {
		return object(t, &format.Point{Class: format.ClassIteration, Thread: thread})
	}
	class := object(t, &format.ClassDescriptor{ID: 1, Name: "C"})
	for _, c := range []struct {
		story string
		data  []byte
		is    error
		text  string
		hint  string
	}{
		{"nothing behind the header", build(), format.ErrTruncated,
			"offset 16: cut short: expected another block or the end mark (EOF), found the end of the file", "recorder was stopped"},
		{"whole blocks, no end mark", build(start(0), class, end), format.ErrTruncated,
			"offset 30: cut short: expected another block or the end mark (EOF), found the end of the file", "recorder was stopped"},
		{"half a block", build(start(7), class), format.ErrTruncated,
			"offset 29: cut short: expected the rest of a block of thread 7, found the end of the file", "recorder was stopped"},
		{"half an object", build(start(7), class[:6]), format.ErrTruncated, "offset 26: cut short: expected 2 bytes of a 16-bit integer, found 1", "recorder was stopped"},
		{"half a block start", build(start(7)[:3]), format.ErrTruncated, "offset 17: cut short: expected 4 bytes of a thread id, found 2", "recorder was stopped"},
		{"an object outside of blocks", build(class), format.ErrCorrupt, "offset 16: damaged: expected a block or the end of the file, found CLASS_DESCRIPTOR", ""},
		{"a block in a block", build(start(0), start(1)), format.ErrCorrupt, "offset 21: damaged: expected the end of the block, found BLOCK_START", ""},
		{"the end in a block", build(start(0), eof), format.ErrCorrupt, "offset 21: damaged: expected the end of the block, found EOF", ""},
		{"the end of no block", build(end), format.ErrCorrupt, "found BLOCK_END", ""},
		{"a footer without header", build(start(0), foot), format.ErrCorrupt, "offset 21: damaged: expected an object of the top level, found TRACEPOINT_FOOTER", ""},
		{"a footer too many", build(start(0), iteration(0), foot, foot), format.ErrCorrupt, "found TRACEPOINT_FOOTER", ""},
		{"a footer in another thread", build(start(0), iteration(0), end, start(1), foot), format.ErrCorrupt, "found TRACEPOINT_FOOTER", ""},
		{"a point of another thread", build(start(0), iteration(3)), format.ErrCorrupt, "expected a trace point of thread 0, whose block this is, found one of thread 3", ""},
		{"an unknown kind", build(start(0), []byte{13}), format.ErrCorrupt, "offset 21: damaged: expected the kind of an object, 0 to 12, found 13", ""},
		{"an unknown class", build(start(0), []byte{8, 12}, make([]byte, 20)), format.ErrCorrupt, "expected a class of trace point, 0 to 11, found 12", ""},
		{"a wrong diff status", build(start(0), []byte{8, 7, 14: 5}), format.ErrCorrupt, "offset 35: damaged: expected a diff status, -1 to 4, found 5", ""},
	} {
		for way, s := range map[string]*format.Scanner{"bytes": format.NewBytesScanner(c.data), "reader": format.NewScanner(bytes.NewReader(c.data))} {
			_, err := visit(s)
			if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.text) {
				t.Errorf("%s, %s: %v, want %s", c.story, way, err, c.text)
			}
			if hint := format.Hint(err); !strings.Contains(hint, c.hint) || (hint == "") != (c.hint == "") {
				t.Errorf("%s, %s: hint %q", c.story, way, hint)
			}
		}
	}
}

func TestScannerStopsAtEOF(t *testing.T) {
	data := append(build(start(0), end, eof), "anything may follow"...)
	objects, err := visit(format.NewScanner(bytes.NewReader(data)))
	if err != nil || len(objects) != 3 {
		t.Errorf("%d objects, %v", len(objects), err)
	}
}

// What is still open when a recording ends, thread by thread.
func TestScannerOpen(t *testing.T) {
	loop := object(t, &format.Point{Class: format.ClassLoop})
	iteration := object(t, &format.Point{Class: format.ClassIteration})
	s := format.NewBytesScanner(build(start(0), loop, iteration, foot, iteration, end, start(1), end))
	for s.Next() {
	}
	if got := fmt.Sprint(s.Open(0), s.Open(1), s.Open(2), len(s.Threads())); got != "[loop loop iteration] [] [] 2" {
		t.Error(got)
	}
	if want := int64(16 + 5 + len(loop) + 2*len(iteration) + 1 + 1 + 6); s.Offset() != want {
		t.Errorf("offset %d, want %d", s.Offset(), want)
	}
}

// A Scanner that forgets threads, and is told where they were, sees the same, and keeps only
// threads with something open.
func TestScannerForgets(t *testing.T) {
	for _, spec := range []formattest.Spec{
		{Shape: formattest.Random, N: 3000, Seed: 4, Threads: 3, Options: formattest.Options{BlockSize: 500}},
		{Shape: formattest.Goroutines, N: 100, Seed: 1},
	} {
		data, _ := formattest.Bytes(t, spec)
		for _, n := range []int{len(data), len(data) - 1, len(data) * 2 / 3, len(data) / 2} {
			plain, forgets := format.NewBytesScanner(data[:n]), format.NewBytesScanner(data[:n])
			forgets.Forget()
			for plain.Next() {
				if !forgets.Next() {
					t.Fatalf("%s: ends before %v", spec.Name(), plain.Object())
				}
				want, got := plain.Object(), forgets.Object()
				if want.Kind == format.KindBlockStart {
					forgets.Resume(want.Logical)
					got.Logical = want.Logical
				}
				if fmt.Sprint(want) != fmt.Sprint(got) {
					t.Fatalf("%s: %v, want %v", spec.Name(), got, want)
				}
			}
			if forgets.Next() || fmt.Sprint(forgets.Err()) != fmt.Sprint(plain.Err()) {
				t.Fatalf("%s: %v, want %v", spec.Name(), forgets.Err(), plain.Err())
			}
			most := 1 // the thread of the block that is cut
			for _, id := range plain.Threads() {
				if fmt.Sprint(forgets.Open(id)) != fmt.Sprint(plain.Open(id)) {
					t.Errorf("%s: thread %d: %v open, want %v", spec.Name(), id, forgets.Open(id), plain.Open(id))
				}
				if len(plain.Open(id)) > 0 {
					most++
				}
			}
			if kept := len(forgets.Threads()); kept > most {
				t.Errorf("%s: keeps %d threads, want at most %d", spec.Name(), kept, most)
			}
		}
	}
}

// endless yields a beginning, then endless zeros, and counts bytes.
type endless struct {
	head []byte
	n    int64
}

func (e *endless) Read(b []byte) (int, error) {
	b = b[:min(len(b), 4096)] // as a pipe does
	n := copy(b, e.head)
	e.head = e.head[n:]
	clear(b[n:])
	e.n += int64(len(b))
	return len(b), nil
}

// Objects that claim to be huge are refused: at once if a count shows it, otherwise after
// MaxObject bytes.
func TestScannerHugeObjects(t *testing.T) {
	call := object(t, &format.Point{Class: format.ClassCall})
	args := len(call) - 6 // offset of the number of arguments
	claim := func(n ...byte) []byte { return append(bytes.Clone(call[:args]), n...) }
	object := []byte{0, 0, 0, 1, 0, 0, 0, 0} // class, hash; then the captured
	for name, c := range map[string]struct {
		head []byte
		most int64 // bytes to be read
	}{
		"arguments at once": {claim(0x7f, 0xff, 0xff, 0xff), 1 << 20},
		"captured fields":   {append(claim(0, 0, 0, 1), append(object, 0x7f, 0xff, 0xff, 0xff)...), 1 << 20},
		"captured elements": {append(claim(0, 0, 0, 1), append(object, 0x80, 0, 0, 0)...), 1 << 20},
		// 12 bytes each: only reading them shows that there are too many. Trying again for each
		// chunk of input would take minutes.
		"arguments that are": {claim(0, 0x58, 0, 0), format.MaxObject * 3 / 2},
	} {
		r := &endless{head: build(start(0), c.head)}
		s := format.NewScanner(r)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := visit(s)
		runtime.ReadMemStats(&after)
		want := fmt.Sprintf("offset 21: damaged: expected an object of at most %d bytes, found a TRACEPOINT of more", format.MaxObject)
		if err == nil || err.Error() != want || !errors.Is(err, format.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
		if r.n > c.most {
			t.Errorf("%s: %d bytes read", name, r.n)
		}
		if took := int64(after.TotalAlloc - before.TotalAlloc); took > 4*c.most {
			t.Errorf("%s: %d bytes of memory for %d read", name, took, r.n)
		}
	}
}

// Values nest as deep as the limit, not deeper, however they are read.
func TestValueDepth(t *testing.T) {
	nest := func(n int) []byte {
		b := object(t, &format.Point{Class: format.ClassThrow, Value: format.Value{}})
		b = b[:len(b)-12]
		for range n {
			b = append(b, 0, 0, 0, 1, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xfe) // an array with one element
		}
		b = append(b, 0xff, 0xff, 0xff, 0xff) // null
		return append(b, make([]byte, 4*n)...)
	}
	var p format.Point
	for _, c := range []struct {
		n  int
		ok bool
	}{{1, true}, {200, true}, {201, false}, {100_000, false}} {
		b := nest(c.n)
		n, err := format.V22.DecodePoint(b, &p)
		m, err2 := format.V22.Size(b, 0)
		if (err == nil) != c.ok || (err2 == nil) != c.ok || c.ok && (n != len(b) || m != len(b)) {
			t.Errorf("%d deep: %d, %v; %d, %v", c.n, n, err, m, err2)
		}
		if !c.ok && (!errors.Is(err, format.ErrCorrupt) || !strings.Contains(err.Error(), "200 deep")) {
			t.Errorf("%d deep: %v", c.n, err)
		}
	}
}
