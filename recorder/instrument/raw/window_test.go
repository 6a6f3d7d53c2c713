package raw

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
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

func (w *writing) Stat() (os.FileInfo, error) { return nil, errors.ErrUnsupported }

// TestSeen: what is written during a read is in data but not in seen. Its words cannot be relied on
// yet.
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
	w.Renew(false) // nothing more is written
	data, seen, _ = w.Read(2, 100)
	if !bytes.Equal(data, []byte{3, 4, 5, 6, 7, 8}) || &data[0] != &seen[0] {
		t.Errorf("data %v, seen %v", data, seen)
	}
}

// TestChunkNotSeen: a chunk whose head word appears during a read is not returned yet.
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

// counting counts what is read of a file.
type counting struct {
	*os.File
	reads int
}

func (c *counting) ReadAt(b []byte, at int64) (int, error) {
	c.reads++
	return c.File.ReadAt(b, at)
}

// TestHoles: segments that a program has dropped are a hole of the file, which is not read, however
// large it is.
func TestHoles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only linux tells where a file has data")
	}
	const shift, last = 26, 100
	at := int64(HeaderSize + last<<shift)
	file, err := os.Create(filepath.Join(t.TempDir(), "sparse"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	head := make([]byte, ChunkUnit)
	binary.LittleEndian.PutUint32(head[AtChunkSize:], ChunkUnit)
	binary.LittleEndian.PutUint32(head[AtChunkWord:], ChunkEvents)
	if _, err := file.WriteAt(head, at); err != nil {
		t.Fatal(err)
	}
	if data, err := file.Seek(0, 3); err != nil || data < 1<<20 {
		t.Skip("this file system has no holes")
	}
	storage := &counting{File: file}
	f := &File{file: storage, Head: Header{FirstShift: shift, MostShift: shift, Segments: HeaderSize}}
	c := f.Chunks(f.Window(1 << 16))
	chunk, ok, err := c.Next(math.MaxInt64)
	if !ok || err != nil || chunk.Offset != at || chunk.Size != ChunkUnit {
		t.Errorf("%+v, %v, %v", chunk, ok, err)
	}
	if chunk, ok, err := c.Next(math.MaxInt64); ok || err != nil {
		t.Errorf("%+v, %v", chunk, err)
	}
	if most := 3 * holeUnit >> 16; storage.reads > most {
		t.Errorf("%d reads, at most %d are needed", storage.reads, most)
	}
}

var _ io.ReaderAt = &writing{}
