package format

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"io"
	"math"
)

// The reference refuses a ZIP with an entry that it does not know, but looks at
// those alone that the directory lists. The times of a trace therefore stand in
// an entry that it does not list, before all others:
//
//	offset 0                       where the listed entries begin
//	+------+--------+------------+----------+-- ... --+-----------+
//	| head | deltas | descriptor | info.txt |         | directory |
//	+------+--------+------------+----------+-- ... --+-----------+
//
// Tools that follow the directory do not see it; those that read a ZIP from its
// start see an ordinary entry. Info-ZIP keeps it when it changes the file, as it
// keeps what stands before the entries of an archive that unpacks itself. What
// is in it is told beside writeTimeDeltas.
//
// timesHead is its local header, always the same: sizes and checksum stand in the
// descriptor behind it. On disk, do not change.
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

// MaxTimes returns how long a file of times may be, in bytes, that is packed with
// data and index of these sizes. What is longer is not unpacked again.
func MaxTimes(data, index int64) int64 {
	return TimesHeaderSize + (max(data, index, 0)/CellSize+1)*TimeCellSize
}

// writeTimes writes the entry of a file of times, and returns its length.
func writeTimes(w io.Writer, times io.Reader, level int) (size int64, err error) {
	file := &tally{w: w}
	if _, err = io.WriteString(file, timesHead); err != nil {
		return 0, err
	}
	compressed, err := flate.NewWriter(file, level)
	if err != nil {
		return 0, err
	}
	sum := crc32.NewIEEE()
	deltas := &tally{w: io.MultiWriter(compressed, sum)}
	if err = writeTimeDeltas(deltas, times); err == nil {
		err = compressed.Close()
	}
	if err != nil {
		return 0, err
	}
	_, err = file.Write(descriptor(sum.Sum32(), file.n-int64(len(timesHead)), deltas.n))
	return file.n, err
}

// descriptor says what the local header could not yet: the checksum, and the
// sizes compressed and not, of 8 bytes each as soon as one needs them.
func descriptor(sum uint32, packed, size int64) []byte {
	le := binary.LittleEndian
	d := le.AppendUint32([]byte(timesDescriptor), sum)
	if max(packed, size) < math.MaxUint32 {
		return le.AppendUint32(le.AppendUint32(d, uint32(packed)), uint32(size))
	}
	return le.AppendUint64(le.AppendUint64(d, uint64(packed)), uint64(size))
}

// tally counts what is written through it.
type tally struct {
	w io.Writer
	n int64
}

func (t *tally) Write(b []byte) (int, error) {
	n, err := t.w.Write(b)
	t.n += int64(n)
	return n, err
}

// findTimes looks for the entry of times. It ends before the first entry that is
// listed; no other entry may begin where it does.
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

// Times returns a reader of the file of times that was packed with the trace;
// nil when there is none. It yields no more than [MaxTimes] of what the ZIP says
// of data and index, and checks the checksum at its end. Whether the times fit
// the trace it does not know.
func (p *Packed) Times() io.Reader {
	if p.times == nil {
		return nil
	}
	// A reader of single bytes, of which flate takes no more than it needs: the
	// descriptor is behind.
	t := &timesReader{packed: bufio.NewReader(io.NewSectionReader(p.times, 0, p.times.Size())), sum: crc32.NewIEEE()}
	t.deltas = newTimeDeltas(io.TeeReader(flate.NewReader(t.packed), t.sum), MaxTimes(p.Size(EntryData), p.Size(EntryIndex)))
	return t
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
	t.sum = nil // a Read at the end comes again
	return nil
}
