package summary

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// The frame of the file. On disk, do not change.
const (
	magic       = "\x89TXSUM\r\n"
	version     = 3
	flagTimed   = 1
	TrailerSize = 64
)

// Of is what a summary was made from.
type Of struct {
	Data, Times Print
	Timed       bool
}

// Stream is a thread's stream: a thread with the size of its content.
type Stream struct {
	Thread int32
	Size   int64
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sum returns the checksum of bytes.
func Sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// Samples of a file. On disk, do not change.
const (
	sampledEnds = 64 << 10 // bytes at the beginning, and at the end
	samples     = 30       // between them
	sampleSize  = 4 << 10
)

// Print identifies a file by its size and by samples of its bytes.
type Print struct {
	Size int64
	Sum  uint32
}

// PrintOf returns the Print of a file's bytes.
func PrintOf(b []byte) Print {
	p := Print{Size: int64(len(b))}
	if len(b) <= 2*sampledEnds+samples*sampleSize {
		p.Sum = Sum(b)
		return p
	}
	p.Sum = Sum(b[:sampledEnds])
	between := len(b) - 2*sampledEnds - sampleSize
	for i := range samples {
		at := sampledEnds + between/samples*i
		p.Sum = crc32.Update(p.Sum, castagnoli, b[at:at+sampleSize])
	}
	p.Sum = crc32.Update(p.Sum, castagnoli, b[len(b)-sampledEnds:])
	return p
}

// Writer writes a summary from its beginning to its end.
type Writer struct {
	w       io.Writer
	unit    int64
	streams []Stream
	dir     []byte
	units   int
	err     error
}

// NewWriter begins a summary of streams, with units of so many bytes.
func NewWriter(w io.Writer, unit int64, streams []Stream) *Writer {
	x := &Writer{w: w, unit: unit, streams: streams}
	x.write([]byte(magic))
	return x
}

func (w *Writer) write(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
}

// Unit writes the next unit: the next part of a thread if threads is 0, otherwise so many whole
// threads.
func (w *Writer) Unit(threads int, record []byte) error {
	w.units++
	w.dir = binary.AppendUvarint(w.dir, uint64(threads))
	w.dir = binary.AppendUvarint(w.dir, uint64(len(record)))
	w.dir = binary.BigEndian.AppendUint32(w.dir, Sum(record))
	w.write(record)
	return w.err
}

// End writes the rest.
func (w *Writer) End(of Of, tables []byte) error {
	dir := binary.AppendUvarint(nil, uint64(w.unit))
	dir = binary.AppendUvarint(dir, uint64(len(w.streams)))
	before := int64(0)
	for _, s := range w.streams {
		dir = binary.AppendVarint(dir, int64(s.Thread)-before)
		dir = binary.AppendUvarint(dir, uint64(s.Size))
		before = int64(s.Thread)
	}
	dir = binary.AppendUvarint(dir, uint64(w.units))
	dir = append(dir, w.dir...)
	w.write(tables)
	w.write(dir)
	be := binary.BigEndian
	b := be.AppendUint32(nil, version)
	flags := uint32(0)
	if of.Timed {
		flags |= flagTimed
	}
	b = be.AppendUint32(b, flags)
	for _, p := range []Print{of.Data, of.Times, {int64(len(tables)), Sum(tables)}, {int64(len(dir)), Sum(dir)}} {
		b = be.AppendUint64(b, uint64(p.Size))
		b = be.AppendUint32(b, p.Sum)
	}
	b = be.AppendUint32(b, 0)
	w.write(be.AppendUint32(b, frameSum(b)))
	return w.err
}

// frameSum is the checksum of a trailer, without that, and of the magic.
func frameSum(b []byte) uint32 {
	return crc32.Update(Sum(b), castagnoli, []byte(magic))
}
