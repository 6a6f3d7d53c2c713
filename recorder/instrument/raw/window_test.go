package raw

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"
)

// writing is a file of which each read finds more written.
type writing struct {
	states [][]byte
	reads  int
}

func (w *writing) ReadAt(b []byte, offset int64) (int, error) {
	state := w.states[min(w.reads, len(w.states)-1)]
	w.reads++
	return bytes.NewReader(state).ReadAt(b, offset)
}

func (w *writing) Close() error { return nil }

// TestSeen: what is written while it is read is in data, but not in seen. Its words cannot be
// relied on yet.
func TestSeen(t *testing.T) {
	f := &File{Path: "x", file: &writing{states: [][]byte{{1, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 2, 0, 0, 9}, {1, 2, 3, 4, 5, 6, 7, 8}}}}
	w := f.Window(8)
	w.Renew(true)
	data, seen, err := w.Read(0, 8)
	if err != nil || !bytes.Equal(seen, []byte{1, 0, 0, 0, 0, 0, 0, 0}) || !bytes.Equal(data, []byte{1, 0, 0, 0, 2, 0, 0, 9}) {
		t.Errorf("data %v, seen %v, %v", data, seen, err)
	}
	if data, seen, _ = w.Read(4, 2); !bytes.Equal(data, []byte{2, 0}) || !bytes.Equal(seen, []byte{0, 0}) {
		t.Errorf("of the same reading data %v, seen %v", data, seen)
	}
	w.Renew(false) // nobody writes any more
	data, seen, _ = w.Read(2, 100)
	if !bytes.Equal(data, []byte{3, 4, 5, 6, 7, 8}) || &data[0] != &seen[0] {
		t.Errorf("data %v, seen %v", data, seen)
	}
}

// TestChunkNotSeen: a chunk whose head word appears while it is read is not there yet.
func TestChunkNotSeen(t *testing.T) {
	empty := make([]byte, HeaderSize+4*ChunkUnit)
	whole := bytes.Clone(empty)
	binary.LittleEndian.PutUint32(whole[HeaderSize:], ChunkEvents)
	binary.LittleEndian.PutUint32(whole[HeaderSize+AtChunkSize:], 2*ChunkUnit)
	f := &File{Path: "x", file: &writing{states: [][]byte{empty, whole}}, Head: Header{FirstShift: 12, MostShift: 12, Segments: HeaderSize}}
	w := f.Window(1 << 10)
	w.Renew(true)
	c := f.Chunks(w)
	if chunk, ok, err := c.Next(0); ok || err != nil {
		t.Errorf("%+v, %v", chunk, err)
	}
	w.Renew(true)
	if chunk, ok, err := c.Next(0); !ok || err != nil || chunk.Offset != HeaderSize || chunk.Size != 2*ChunkUnit {
		t.Errorf("%+v, %v, %v", chunk, ok, err)
	}
	if c.Offset() != HeaderSize+2*ChunkUnit {
		t.Errorf("the next chunk is at %d", c.Offset())
	}
}

// TestDropSegments: segments that were dropped are passed at once, however many.
func TestDropSegments(t *testing.T) {
	for first, want := range map[uint32]int64{0: 0, 1: 1 << 10, 2: 3 << 10, 3: 7 << 10, 4: 11 << 10, 1003: 4007 << 10} {
		f := &File{file: &writing{states: [][]byte{nil}}, Head: Header{FirstShift: 10, MostShift: 12, Segments: HeaderSize, FirstLive: first}}
		c := f.Chunks(f.Window(10))
		if c.Drop() != (first > 0) || c.Offset() != HeaderSize+want || c.at.end-c.at.offset != f.segment(first) {
			t.Errorf("%d segments: the next chunk is at %d, want %d", first, c.Offset()-HeaderSize, want)
		}
	}
	f := &File{file: &writing{states: [][]byte{nil}}, Head: Header{FirstShift: 40, MostShift: 40, Segments: HeaderSize, FirstLive: 1<<32 - 1}}
	c := f.Chunks(f.Window(10))
	c.Drop()
	if chunk, ok, err := c.Next(1 << 62); ok || err != nil {
		t.Errorf("%+v, %v", chunk, err)
	}
}

var _ io.ReaderAt = &writing{}
