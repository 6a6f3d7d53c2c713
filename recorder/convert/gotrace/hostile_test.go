package gotrace

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/sources"
)

// twoGenerations is a trace in which a region lasts from one generation to the next.
func twoGenerations(minor int) []byte {
	m := newMaker(minor)
	m.begin(1)
	m.add(8, evRegionBegin, 0, m.s("long"), m.mainAt(1))
	m.add(10, evLog, 0, m.s("first"), m.s("generation"), m.mainAt(1))
	m.end()
	m.begin(1)
	m.add(8, evLog, 0, m.s("second"), m.s("generation"), m.mainAt(1))
	m.add(10, evRegionEnd, 0, m.s("long"), m.mainAt(1))
	m.end()
	return m.out
}

// TestCut converts a trace that is cut anywhere: what the whole generations have is there, and the
// fault tells that it is cut.
func TestCut(t *testing.T) {
	for _, minor := range []int{22, 25, 26} {
		whole := twoGenerations(minor)
		first, borders := len(oneOf(minor)), bordersOf(whole)
		for cut := headSize; cut < len(whole); cut++ {
			got, _, fault := converted(t, whole[:cut])
			logs, want := strings.Count(told(got), "log("), 0
			if cut >= first {
				want = 1
			}
			if minor >= explicit && logs != want || logs < want {
				t.Fatalf("Go 1.%d: cut at %d of %d, %d in the first generation: %d logs", minor, cut, len(whole), first, logs)
			}
			// Where a generation ends, and in old versions a batch, nothing may tell that there was more.
			complete := cut == first || minor < explicit && fault == nil && borders[cut]
			if errors.Is(fault, format.ErrTruncated) != !complete && !errors.Is(fault, format.ErrCorrupt) {
				t.Fatalf("Go 1.%d: cut at %d of %d: %v", minor, cut, len(whole), fault)
			}
			var e *format.Error
			if !complete && (!errors.As(fault, &e) || e.Hint == "" || e.Offset < 0 || e.Offset > int64(cut)) {
				t.Fatalf("Go 1.%d: cut at %d: %#v", minor, cut, fault)
			}
		}
	}
}

// bordersOf returns where batches of a trace end.
func bordersOf(trace []byte) map[int]bool {
	borders := map[int]bool{}
	for at := headSize; at < len(trace); borders[at] = true {
		if trace[at] == eventEnd {
			at++
			continue
		}
		at++
		var size uint64
		for range 4 {
			n, width := binary.Uvarint(trace[at:])
			at, size = at+width, n
		}
		at += int(size)
	}
	return borders
}

// oneOf is the first generation of twoGenerations.
func oneOf(minor int) []byte {
	m := newMaker(minor)
	m.begin(1)
	m.add(8, evRegionBegin, 0, m.s("long"), m.mainAt(1))
	m.add(10, evLog, 0, m.s("first"), m.s("generation"), m.mainAt(1))
	m.end()
	return m.out
}

// TestFlipped converts traces in which a byte is another: what becomes of it can be read, and no fault
// is anything but one of the input.
func TestFlipped(t *testing.T) {
	step := 7
	if formattest.Exhaustive() {
		step = 1
	}
	for _, minor := range []int{23, 26} {
		whole := shopTrace(minor)
		for at := headSize; at < len(whole); at += step {
			for _, flip := range []byte{1, 0x80, 0xff} {
				b := bytes.Clone(whole)
				b[at] ^= flip
				_, _, fault := converted(t, b)
				var e *format.Error
				if fault != nil && !errors.As(fault, &e) {
					t.Fatalf("byte %d ^ %#x: %v", at, flip, fault)
				}
				if e != nil && len(e.Error()) > 500 {
					t.Fatalf("byte %d ^ %#x: an error of %d bytes", at, flip, len(e.Error()))
				}
			}
		}
	}
}

// TestVersions has traces that cannot be read.
func TestVersions(t *testing.T) {
	for head, want := range map[string]string{
		"":                             "found \"\"",
		"go 1.26 tr":                   "found \"go 1.26 tr\"",
		"go 1.xx trace\x00\x00\x00":    "not a trace",
		"go 1.5 trace\x00\x00\x00\x00": "found \"go 1.5 trace",
		"go 1.11 trace\x00\x00\x00":    "unsupported version: a trace of Go 1.11",
		"go 1.21 trace\x00\x00\x00":    "unsupported version: a trace of Go 1.21",
		"go 1.27 trace\x00\x00\x00":    "unsupported version: a trace in the form of Go 1.27",
		"{\"traceEvents\":[]}       ":  "found \"{",
	} {
		_, _, fault := converted(t, []byte(head))
		if fault == nil || !strings.Contains(fault.Error(), want) || format.Hint(fault) == "" || !errors.Is(fault, format.ErrNotTrace) {
			t.Errorf("%q: %v, want %s", head, fault, want)
		}
		if is := Source.Is([]byte(head)); is != strings.Contains(want, "unsupported") {
			t.Errorf("%q is a trace: %v", head, is)
		}
	}
	if !Source.Is(shopTrace(26)) {
		t.Error("a trace is none")
	}
}

// TestFaults has traces that are damaged in a way that has its own words.
func TestFaults(t *testing.T) {
	misuse := newMaker(26)
	misuse.begin(1)
	misuse.add(8, evRegionBegin, 0, misuse.s("a"), misuse.mainAt(1))
	misuse.add(8, evRegionEnd, 0, misuse.s("b"), misuse.mainAt(1))
	misuse.end()
	many := newMaker(26)
	many.begin(1)
	for n := range uint64(mostThreads) {
		many.batch(2+n, nil)
	}
	many.end()
	for _, c := range []struct {
		name        string
		trace       []byte
		found, hint string
	}{
		{"region", misuse.out, "misuse of region", "StartRegion"},
		{"threads", many.out, "16,384 threads", "record less"},
	} {
		_, _, fault := converted(t, c.trace)
		if fault == nil || !strings.Contains(fault.Error(), c.found) || !strings.Contains(format.Hint(fault), c.hint) {
			t.Errorf("%s: %v: %s", c.name, fault, format.Hint(fault))
		}
	}
}

// endless is a generation that never ends: a batch again and again.
type endless struct {
	head, batch []byte
	read        int64
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		from := e.head
		if at := e.read; at >= int64(len(e.head)) {
			from = e.batch[(at-int64(len(e.head)))%int64(len(e.batch)):]
		} else {
			from = from[at:]
		}
		k := copy(p[n:], from)
		n, e.read = n+k, e.read+int64(k)
	}
	return n, nil
}

// TestLargeGeneration has one that would take too much memory: only so much is read. The framer is
// tested alone, as package trace would need the memory.
func TestLargeGeneration(t *testing.T) {
	m := newMaker(26)
	head := len(m.out)
	m.batch(noThread, append([]byte{eventStrings}, make([]byte, 60<<10)...))
	in := &endless{batch: m.out[head:]}
	f := newFramer(in)
	n, err := io.Copy(io.Discard, f)
	if err != errLarge || n > mostMemory/tableWeight || n < mostMemory/tableWeight/2 {
		t.Errorf("%d bytes, then %v", n, err)
	}
}

// discarding writes a trace nowhere.
func discarding() *calltrace.Writer {
	return calltrace.New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, calltrace.Options{})
}

// TestUnreadable has an input that fails: its error is returned.
func TestUnreadable(t *testing.T) {
	broken := errors.New("broken disk")
	whole := shopTrace(26)
	for _, n := range []int{0, 10, headSize, headSize + 1, 100} {
		in := io.MultiReader(bytes.NewReader(whole[:n]), iotest.ErrReader(broken))
		w := discarding()
		err := Source.Convert(t.Context(), sources.Input{Reader: in}, "", w)
		if w.Discard(); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

// TestSlow reads a trace byte by byte.
func TestSlow(t *testing.T) {
	got, _, fault := readback.ConvertReader(t.Context(), &Source, iotest.OneByteReader(bytes.NewReader(shopTrace(26))), calltrace.Options{})
	if fault != nil || told(got) != shopTold {
		t.Errorf("%v:\n%s", fault, told(got))
	}
}

// TestCanceled ends a conversion.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := discarding()
	defer w.Discard()
	if err := Source.Convert(ctx, sources.Input{Reader: bytes.NewReader(shopTrace(26))}, "", w); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzConvert converts anything: the trace that is made can be read.
func FuzzConvert(f *testing.F) {
	for _, minor := range []int{22, 23, 25, 26} {
		f.Add(shopTrace(minor))
		f.Add(twoGenerations(minor))
	}
	for _, s := range stories {
		m := newMaker(23)
		m.begin(1)
		s.make(m)
		m.end()
		f.Add(m.out)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, _, fault := converted(t, b)
		var e *format.Error
		if fault != nil && !errors.As(fault, &e) {
			t.Fatal(fault)
		}
		told(got)
	})
}
