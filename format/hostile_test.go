package format_test

import (
	"bytes"
	"errors"
	"runtime/metrics"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// shape is how to decode an object.
type shape struct {
	kind  format.Kind
	class format.Class
	size  int
}

func shapeOf(o format.Object) shape { return shape{o.Kind, o.Class, len(o.Bytes)} }

func content(k format.Kind) bool {
	return k.Reference() || k == format.KindTracePoint || k == format.KindFooter
}

// shapes returns the shapes of the objects of a good trace, by offset.
func shapes(t testing.TB, data []byte) []shape {
	t.Helper()
	known := make([]shape, len(data))
	s := format.NewBytesScanner(data)
	for s.Next() {
		known[s.Object().Offset] = shapeOf(s.Object())
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return known
}

// tour scans and decodes everything not known to be good, apart from the bytes from touched on.
// It fails the test for anything that hostile input must not cause.
func tour(t *testing.T, data []byte, known []shape, touched int) error {
	t.Helper()
	s := format.NewBytesScanner(data)
	last := int64(format.HeaderSize)
	for s.Next() {
		o := s.Object()
		if o.Offset != last {
			t.Fatalf("object at %d, want %d", o.Offset, last)
		}
		last += int64(len(o.Bytes))
		far := int(o.Offset) > touched || int(last) <= touched
		if !content(o.Kind) || far && known[o.Offset] == shapeOf(o) {
			continue
		}
		v, n, err := decodeObject(s.Version(), o.Bytes, o.Class)
		if err != nil {
			checkError(t, err, len(o.Bytes))
			continue
		}
		if n != len(o.Bytes) {
			t.Fatalf("%v at %d: decoded %d bytes of %d", o.Kind, o.Offset, n, len(o.Bytes))
		}
		if _, err := v.Append(nil, s.Version()); err != nil {
			t.Fatalf("%v at %d: read but not written: %v", o.Kind, o.Offset, err)
		}
	}
	err := s.Err()
	if err != nil {
		checkError(t, err, len(data))
	}
	return err
}

// checkError fails the test for an error without a sentinel or with an offset outside the input.
func checkError(t *testing.T, err error, size int) {
	t.Helper()
	var e *format.Error
	if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(size) || e.Found == "" {
		t.Fatalf("%#v", err)
	}
	if !errors.Is(err, format.ErrTruncated) && !errors.Is(err, format.ErrCorrupt) && !errors.Is(err, format.ErrNotTrace) && !errors.Is(err, format.ErrVersion) {
		t.Fatal(err)
	}
}

// stride is the distance between the bytes tried: 1 for exhaustive tests, but not under the
// race detector, which finds nothing in one goroutine.
func stride() int {
	if formattest.Exhaustive() && !formattest.Race {
		return 1
	}
	return 13
}

var hostileTraces = []string{"roots.dump.bin", "shapes.stream.bin", "roots.v27.stream.bin", "shapes.v27.stream.bin"}

// A trace cut anywhere yields the complete objects and reports where it ends.
func TestEveryTruncation(t *testing.T) {
	for _, name := range hostileTraces {
		data := formattest.Recorded(t, name)
		known := shapes(t, data)
		for cut := 1; cut < len(data); cut += stride() {
			err := tour(t, data[:cut:cut], known, cut)
			if cut >= format.HeaderSize && !errors.Is(err, format.ErrTruncated) {
				t.Fatalf("%s, cut at %d: %v", name, cut, err)
			}
			if err == nil {
				t.Fatalf("%s, cut at %d: no error", name, cut)
			}
		}
	}
}

// With any byte changed there is an error or a result. In the small trace each byte takes all
// values, in the other one some.
func TestEveryFlippedByte(t *testing.T) {
	for _, name := range hostileTraces {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := formattest.Recorded(t, name)
			known := shapes(t, data)
			faults := 0
			for i := 0; i < len(data); i += stride() {
				was := data[i]
				masks := []byte{1 << (i % 8), 0x80 >> (i % 7), 0xff}
				if len(data) < 1000 {
					masks = masks[:0]
					for m := 1; m < 256; m += 1 + stride()/3 {
						masks = append(masks, byte(m))
					}
				}
				for _, m := range masks {
					data[i] = was ^ m
					if tour(t, data, known, i) != nil {
						faults++
					}
				}
				data[i] = was
			}
			if faults < len(data)/stride()/10 {
				t.Errorf("only %d changes were noticed", faults)
			}
		})
	}
}

// Whatever a length or a count claims, memory stays in proportion to the input.
func TestHostileCounts(t *testing.T) {
	for _, name := range []string{"roots.dump.bin", "roots.v27.stream.bin"} {
		hostileCounts(t, formattest.Recorded(t, name))
	}
}

func hostileCounts(t *testing.T, whole []byte) {
	data := bytes.Clone(whole)
	allocated := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(allocated)
	before := allocated[0].Value.Uint64()
	for i := format.HeaderSize; i+4 <= len(data); i += 1 + stride()/4 {
		for _, claim := range []string{"\x7f\xff\xff\xff", "\x80\x00\x00\x00", "\xff\xff\xff\xff", "\x03\xff\xff\xff", "\x00\x00\xff\xff"} {
			copy(data[i:], claim)
			s := format.NewScanner(bytes.NewReader(data))
			for s.Next() {
				if o := s.Object(); content(o.Kind) {
					decodeObject(s.Version(), o.Bytes, o.Class)
				}
			}
			metrics.Read(allocated)
			after := allocated[0].Value.Uint64()
			if took := after - before; took > 1<<20 {
				t.Fatalf("%x at %d: %d bytes of memory for a trace of %d", claim, i, took, len(data))
			}
			before = after
			copy(data[i:], whole[i:i+4])
		}
	}
}

// The decoders by themselves, on parts of a trace from anywhere.
func TestDecodersAnywhere(t *testing.T) {
	decodersAnywhere(t, format.V22, formattest.Recorded(t, "shapes.stream.bin"))
	decodersAnywhere(t, format.V27, formattest.Recorded(t, "shapes.v27.stream.bin"))
}

func decodersAnywhere(t *testing.T, version format.Version, data []byte) {
	for i := 0; i < len(data); i += stride() {
		b := data[i:]
		for _, class := range []format.Class{format.ClassCall, format.ClassLoop, format.ClassIteration} {
			v, n, err := decodeAnything(version, b, class)
			m, sizeErr := version.Size(b, class)
			if err != nil {
				checkError(t, err, len(b))
				continue
			}
			// Anything that can be decoded can be skipped.
			if v != nil && (sizeErr != nil || m != n) {
				t.Fatalf("at %d: decoded %d bytes, size %d, %v", i, n, m, sizeErr)
			}
		}
	}
}

// decodeAnything is decodeObject for bytes that may begin with any kind; v is
// nil for objects without content.
func decodeAnything(version format.Version, b []byte, class format.Class) (v appender, n int, err error) {
	if k := format.Kind(b[0]); k.Valid() && !content(k) {
		return nil, 0, nil
	}
	return decodeObject(version, b, class)
}
