package format

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"
)

// The reference refuses a ZIP with an unknown entry, but looks only at entries in the
// directory. The times of a trace are therefore in an entry that the directory does not list,
// before all others:
//
//	offset 0                       where the listed entries begin
//	+------+--------+------------+----------+-- ... --+-----------+
//	| head | deltas | descriptor | info.txt |         | directory |
//	+------+--------+------------+----------+-- ... --+-----------+
//
// Tools that follow the directory do not see it; those that read a ZIP from its start see an
// ordinary entry. Info-ZIP preserves it when it changes the file, like the code at the
// beginning of a self-extracting archive. writeTimeDeltas describes its content.
//
// timesHead is its local header, always the same: the descriptor after it has the sizes and the
// checksum. On disk, do not change.
const (
	timesHead = "PK\x03\x04" +
		"\x14\x00" + // ZIP 2.0
		"\x08\x00" + // the descriptor follows
		"\x08\x00" + // deflate
		"\x00\x00\x21\x00" + // 1980-01-01
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" + // checksum, sizes: see the descriptor
		"\x0b\x00\x00\x00" + // lengths of name and extra field
		timesName
	timesName       = "trace.times"
	timesDescriptor = "PK\x07\x08"
)

// CheckTimes reads a file of times, and returns why it cannot be packed with data and index of these sizes, in
// bytes: nil if it can. One of more cells than they have would not be unpacked.
func CheckTimes(times io.Reader, data, index int64) error {
	s, most := NewTimesScanner(bufio.NewReaderSize(times, 64<<10)), maxTimeCells(data, index)
	for s.Next() {
		if s.Cells() > most {
			return &Error{Offset: s.Offset(), Err: ErrCorrupt,
				Expected: fmt.Sprintf("the times of at most %d cells for this trace", most), Found: "more"}
		}
	}
	return s.Err()
}

func maxTimeCells(data, index int64) int64 { return max(data, index, 0)/CellSize + 1 }

// writeTimes writes the entry of a file of times, and returns its length.
func writeTimes(w io.Writer, times io.Reader, level int) (size int64, err error) {
	file := &byteCounter{w: w}
	if _, err = io.WriteString(file, timesHead); err != nil {
		return 0, err
	}
	compressed, err := flate.NewWriter(file, level)
	if err != nil {
		return 0, err
	}
	sum := crc32.NewIEEE()
	deltas := &byteCounter{w: io.MultiWriter(compressed, sum)}
	if err = writeTimeDeltas(deltas, times); err == nil {
		err = compressed.Close()
	}
	if err != nil {
		return 0, err
	}
	_, err = file.Write(descriptor(sum.Sum32(), file.n-int64(len(timesHead)), deltas.n))
	return file.n, err
}

// descriptor returns what the local header lacks: the checksum, and the sizes compressed and
// uncompressed, in 8 bytes each if one of them needs that.
func descriptor(sum uint32, packed, size int64) []byte {
	le := binary.LittleEndian
	d := le.AppendUint32([]byte(timesDescriptor), sum)
	if max(packed, size) < math.MaxUint32 {
		return le.AppendUint32(le.AppendUint32(d, uint32(packed)), uint32(size))
	}
	return le.AppendUint64(le.AppendUint64(d, uint64(packed)), uint64(size))
}

// byteCounter counts the bytes written through it.
type byteCounter struct {
	w io.Writer
	n int64
}

func (t *byteCounter) Write(b []byte) (int, error) {
	n, err := t.w.Write(b)
	t.n += int64(n)
	return n, err
}

// findTimes looks for the entry of times. It ends before the first listed entry; no other entry
// may begin at the same offset.
func (p *Packed) findTimes(r io.ReaderAt, size int64) {
	head := make([]byte, len(timesHead))
	if n, _ := r.ReadAt(head, 0); n < len(head) || string(head) != timesHead {
		return
	}
	end := size
	for _, f := range p.files {
		if at, err := f.DataOffset(); err == nil {
			end = min(end, at)
		}
	}
	p.times = io.NewSectionReader(r, int64(len(head)), max(0, end-int64(len(head))))
}

// timesReader reads a file of times from its entry.
type timesReader struct {
	packed *bufio.Reader
	sum    hash.Hash32 // of the deltas
	deltas *timeDeltas
}

func (t *timesReader) Read(b []byte) (int, error) {
	n, err := t.deltas.Read(b)
	if err == io.EOF && t.sum != nil {
		if fault := t.check(); fault != nil {
			err = fault
		}
	}
	if err != nil && err != io.EOF {
		err = entryError(timesName, err)
	}
	return n, err
}

// check compares the checksum with the one in the descriptor.
func (t *timesReader) check() error {
	d := make([]byte, len(timesDescriptor)+4)
	if _, err := io.ReadFull(t.packed, d); err != nil {
		return ended(err)
	}
	if !bytes.HasPrefix(d, []byte(timesDescriptor)) || binary.LittleEndian.Uint32(d[len(timesDescriptor):]) != t.sum.Sum32() {
		return zip.ErrChecksum
	}
	t.sum = nil // Read may be called again at the end
	return nil
}
