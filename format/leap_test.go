package format_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// passing is what a scanner passed: the borders of containers, the calls and the trace points,
// and how the scan ended.
type passing struct {
	borders       []format.Border
	calls, points int64
	others        []format.Object // without their bytes
	end           int64
	open          []format.Class
	err           string
}

// note takes an object that Next visited.
func (p *passing) note(o format.Object) {
	size := int64(len(o.Bytes))
	switch {
	case o.Kind == format.KindFooter:
		p.borders = append(p.borders, format.Border{At: o.Logical, To: o.Logical + size, Class: o.Class, Ends: true})
	case o.Kind != format.KindTracePoint:
		o.Bytes = nil
		p.others = append(p.others, o)
	default:
		p.points++
		if o.Class == format.ClassCall {
			p.calls++
		}
		if o.Class.Container() {
			p.borders = append(p.borders, format.Border{At: o.Logical, To: o.Logical + size, Event: eventOf(o.Bytes), Class: o.Class})
		}
	}
}

func eventOf(point []byte) int32 {
	return int32(point[10])<<24 | int32(point[11])<<16 | int32(point[12])<<8 | int32(point[13])
}

func (p *passing) finish(s *format.Scanner) {
	p.end = s.Offset()
	threads := s.Threads()
	slices.Sort(threads)
	for _, t := range threads {
		p.open = append(append(p.open, s.Open(t)...), 255)
	}
	p.err = fmt.Sprint(s.Err())
}

// oneByOne passes everything with Next.
func oneByOne(s *format.Scanner) *passing {
	p := new(passing)
	for s.Next() {
		p.note(s.Object())
	}
	p.finish(s)
	return p
}

// leaping passes objects with Leap where possible, up to room borders and step bytes at a time.
// It fails the test if Leap reports progress that it did not make, or goes too far.
func leaping(t *testing.T, s *format.Scanner, room int, step int64) *passing {
	t.Helper()
	p := new(passing)
	l := format.Leap{Borders: make([]format.Border, 0, room)}
	leapt, logical := false, int64(0)
	for {
		at := s.Offset()
		if s.Leap(at+step, &l) {
			if s.Offset() <= at || len(l.Borders) > room {
				t.Fatalf("leapt from %d to %d, over %d borders of %d", at, s.Offset(), len(l.Borders), room)
			}
			p.borders = append(p.borders, l.Borders...)
			p.calls += l.Calls
			p.points += l.Points
			leapt, logical = true, l.Logical
			continue
		}
		if s.Offset() != at || len(l.Borders) > 0 || l.Points > 0 {
			t.Fatalf("no leap from %d to %d, over %+v", at, s.Offset(), l)
		}
		if !s.Next() {
			break
		}
		o := s.Object()
		if leapt && o.Logical != logical {
			t.Fatalf("%v at %d of its thread, where the leap before it ended at %d", o.Kind, o.Logical, logical)
		}
		p.note(o)
		leapt = false
	}
	p.finish(s)
	return p
}

func samePassing(t *testing.T, what string, got, want *passing) {
	t.Helper()
	if !slices.Equal(got.borders, want.borders) || got.calls != want.calls || got.points != want.points {
		t.Fatalf("%s: %d borders, %d calls, %d points, want %d, %d, %d", what, len(got.borders), got.calls, got.points,
			len(want.borders), want.calls, want.points)
	}
	if got.end != want.end || got.err != want.err || !slices.Equal(got.open, want.open) {
		t.Fatalf("%s: ended at %d, within %v, %s; want %d, %v, %s", what, got.end, got.open, got.err, want.end, want.open, want.err)
	}
	if fmt.Sprint(got.others) != fmt.Sprint(want.others) {
		t.Fatalf("%s: other objects differ", what)
	}
}

// checkLeaps compares leaps of several lengths with single steps.
func checkLeaps(t *testing.T, name string, data []byte) {
	t.Helper()
	want := oneByOne(format.NewBytesScanner(data))
	samePassing(t, name, leaping(t, format.NewBytesScanner(data), 512, 1<<40), want)
	samePassing(t, name+" in small leaps", leaping(t, format.NewBytesScanner(data), 3, 50), want)
	samePassing(t, name+" from a reader", leaping(t, format.NewScanner(bytes.NewReader(data)), 2, 1<<40), want)
}

// TestLeap: leaps and single steps together pass what single steps pass, and end
// where they end.
func TestLeap(t *testing.T) {
	for _, name := range []string{"allkinds.dump.bin", "shapes.stream.bin", "roots.dump.bin", "allkinds.v27.dump.bin", "shapes.v27.stream.bin"} {
		checkLeaps(t, name, formattest.Recorded(t, name))
	}
}

// TestLeapDamaged: the same if the input ends, or is changed, anywhere.
func TestLeapDamaged(t *testing.T) {
	for _, version := range []format.Version{format.V22, format.V27} {
		data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Random, N: 12, Seed: 1,
			Options: formattest.Options{Version: version, BlockSize: 2000}})
		for n := format.HeaderSize; n < len(data); n += 23 * (1 + stride()/4) {
			checkLeaps(t, fmt.Sprintf("version %d cut at %d", version, n), data[:n])
		}
		for i := format.HeaderSize; i < len(data); i += 7 * (1 + stride()/4) {
			data[i] ^= 0xff
			checkLeaps(t, fmt.Sprintf("version %d changed at %d", version, i), data)
			data[i] ^= 0xff
		}
	}
}
