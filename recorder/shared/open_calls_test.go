package shared

import (
	"bytes"
	"testing"

	"tracex/format"
	"tracex/recorder/internal/buffers"
)

// someHeaders returns a part that begins n containers, each with a header of size bytes, and
// ends those that end says.
func someHeaders(n, size int, ends ...int) buffers.Part {
	var p buffers.Part
	for i := range n {
		at := len(p.Data)
		p.Data = append(p.Data, bytes.Repeat([]byte{byte(100 + i)}, size)...)
		p.Marks = append(p.Marks, buffers.Mark{Range: buffers.HeaderAt(at, len(p.Data))})
		for _, end := range ends {
			if end == i {
				at := len(p.Data)
				p.Data = append(p.Data, byte(format.KindFooter))
				p.Marks = append(p.Marks, buffers.Mark{Range: buffers.FooterAt(at, len(p.Data))})
			}
		}
	}
	return p
}

// The open containers are described by their headers, which outlive the parts they were in.
func TestOpenCalls(t *testing.T) {
	var r partReader
	if skipped, headers, began := r.describeOpen(); skipped != 0 || len(headers) > 0 || began != nil || r.open.any() {
		t.Errorf("nothing is open: %d skipped, %d bytes, %v", skipped, len(headers), began)
	}
	for i, p := range []buffers.Part{someHeaders(3, 2, 1), {}, someHeaders(1, 3)} {
		if _, err := r.read(p); err != nil {
			t.Fatalf("part %d: %v", i, err)
		}
		clear(p.Data) // a chunk is reused
	}
	want := []byte{100, 100, 102, 102, 100, 100, 100}
	if skipped, headers, _ := r.describeOpen(); skipped != 0 || !bytes.Equal(headers, want) {
		t.Errorf("%d skipped, headers %v, want %v", skipped, headers, want)
	}
	footer := buffers.Part{Data: []byte{byte(format.KindFooter)}, Marks: []buffers.Mark{{Range: buffers.FooterAt(0, 1)}}}
	for range 3 {
		if _, err := r.read(footer); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.read(footer); err == nil || r.open.any() {
		t.Error("a footer ended what is not open")
	}
}

// A description of many open containers leaves out the outer ones.
func TestOpenCallsOfManyBytes(t *testing.T) {
	var r partReader
	const size = openBytes / 4
	if _, err := r.read(someHeaders(10, size)); err != nil {
		t.Fatal(err)
	}
	if skipped, headers, _ := r.describeOpen(); skipped != 6 || len(headers) != openBytes || headers[0] != 106 {
		t.Errorf("%d skipped, %d bytes from container %d on", skipped, len(headers), headers[0])
	}
	if _, err := r.read(someHeaders(1, 2*openBytes)); err != nil {
		t.Fatal(err)
	}
	if skipped, headers, _ := r.describeOpen(); skipped != 10 || len(headers) != 2*openBytes {
		t.Errorf("%d skipped, %d bytes", skipped, len(headers))
	}
}
