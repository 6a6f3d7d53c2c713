package tracefile

import (
	"bufio"
	"io"
	"math"
	"time"

	"tracex/format"
)

// Files is where the files of a trace are written. Times may be nil: then there are
// none.
type Files struct {
	Data, Index, Times io.Writer
}

// Writer writes blocks, index cells and times, like a streaming recorder or, with Dump, like
// one that collects and dumps. Its first failure sticks.
//
// The recorder has an encoder of its own: it drafts blocks before it knows where they will be,
// and commits them in parts, so that a killed program leaves a complete trace.
type Writer struct {
	// Dump puts the index cell of a block after those of its objects. Set it before
	// the first block.
	Dump bool

	// What the trace has so far, for several sources that add to it in turns. Each takes the next
	// number, and counts it here.

	// IDs are, by kind of reference object, one more than the largest id in use.
	IDs [format.KindCodeLocation + 1]int32
	// Threads and Events are the same for the ids of threads and of trace points.
	Threads, Events int64
	// Last is the latest time, in ns since the anchor. Flush advances it to those of the block.
	Last int64
	// Origin is what the clock of the first source showed at the anchor, in ns.
	Origin int64
	// Programs are the processes that have threads in the trace, or may have some.
	Programs []*Program

	version            format.Version
	anchor             time.Time
	data, index, times file
	pages              format.TimesWriter
	base               int64 // first content byte of the last block
	behind             *behind
}

// NewWriter begins the files. anchor is the wall clock from which times count.
func NewWriter(v format.Version, to Files, anchor time.Time) *Writer {
	w := &Writer{version: v, anchor: anchor, data: file{to: to.Data}, index: file{to: to.Index}, times: file{to: to.Times}}
	w.pages = format.NewTimesWriter(format.TimesHeaderSize, 0, false)
	w.data.write(format.AppendDataHeader(nil, v))
	w.index.write(format.AppendIndexHeader(nil, v))
	w.times.write(format.AppendTimesHeader(nil, anchor))
	return w
}

// Program is a process of a trace.
type Program struct {
	PID   uint64
	Name  string // for the names of further threads
	Shown string // its name in those of its threads; "" if they have none
}

// Sizes are those of a trace's files, in bytes.
type Sizes struct{ Data, Index, Times int64 }

// ResumeWriter continues the files of a trace that a [Writer] had begun. The files end at these
// sizes, after whole blocks, and to writes at their ends. The numbers in use are for the caller to set. If times
// is an [io.ReaderAt] too, they may be of version 1, and go on so.
func ResumeWriter(v format.Version, to Files, at Sizes, anchor time.Time) *Writer {
	w := &Writer{version: v, anchor: anchor, data: file{to: to.Data, size: at.Data}, index: file{to: to.Index, size: at.Index}, times: file{to: to.Times, size: at.Times}}
	fixed := false
	if r, ok := to.Times.(io.ReaderAt); ok {
		head := make([]byte, format.TimesHeaderSize)
		if _, w.times.err = r.ReadAt(head, 0); w.times.err == nil {
			_, fixed, w.times.err = format.DecodeTimesHeader(head)
		}
	}
	w.pages = format.NewTimesWriter(at.Times, (at.Index-format.HeaderSize)/format.CellSize, fixed)
	return w
}

// Behind lets a goroutine write to the files from now on, in the order in which they would be
// written without it. About 8 MiB and a block wait for it at most. Stop and End return when all is written; Err
// tells of failures up to now.
func (w *Writer) Behind() {
	w.behind = newBehind()
	for _, o := range w.files() {
		o.behind = w.behind
	}
}

// NextThread and NextEvent take the next number; ok is false if the format has no more.
func (w *Writer) NextThread() (id int32, ok bool) { return next(&w.Threads) }
func (w *Writer) NextEvent() (id int32, ok bool)  { return next(&w.Events) }

func next(n *int64) (id int32, ok bool) {
	if *n > math.MaxInt32 {
		return 0, false
	}
	*n++
	return int32(*n - 1), true
}

// Version returns the version of the format being written.
func (w *Writer) Version() format.Version { return w.version }

// Anchor returns the wall clock from which times count.
func (w *Writer) Anchor() time.Time { return w.anchor }

// Sizes returns the sizes of the files with what is not flushed yet.
func (w *Writer) Sizes() Sizes { return Sizes{w.data.size, w.index.size, w.times.size} }

// DataSize returns the number of data bytes written, IndexSize that of the index.
func (w *Writer) DataSize() int64  { return w.data.size }
func (w *Writer) IndexSize() int64 { return w.index.size }

// Flush writes the objects collected in b as a block, which may be empty.
func (w *Writer) Flush(b *Block) {
	if b.Named && (b.header || b.Early && !b.told) {
		b.name(w.version)
	}
	cell := format.Cell{Kind: format.KindBlockStart, ID: b.Thread, Start: w.data.size}
	w.data.write(format.AppendBlockHead(nil, b.Thread))
	w.base = w.data.size
	if b.span.known {
		w.Last = max(w.Last, b.span.to)
	}
	logical := b.logical
	b.logical += int64(len(b.data))
	b.data = w.data.take(b.data)
	cell.End = w.data.size
	w.data.write([]byte{byte(format.KindBlockEnd)})
	for _, at := range b.refs {
		c := format.DecodeCell(b.cells[at:])
		c.Start, c.End = c.Start+w.base, format.ReferenceEnd(w.base, logical)
		c.Put(b.cells[at:])
	}
	if !w.Dump {
		w.index.write(cell.Append(nil))
		w.time(b.time())
	}
	b.cells = w.index.take(b.cells)
	w.time(b.times...)
	if w.Dump {
		w.index.write(cell.Append(nil))
		w.time(b.time())
	}
	b.begin()
}

// time writes time cells.
func (w *Writer) time(cells ...format.TimeCell) {
	if w.times.to == nil {
		return
	}
	for len(cells) > 0 {
		n := min(len(cells), timesRun)
		b := w.times.buf
		for _, c := range cells[:n] {
			b = w.pages.Append(b, c)
		}
		w.times.size += int64(len(b) - len(w.times.buf))
		if w.times.buf = b; len(b) >= writeAt {
			w.times.flush()
		}
		cells = cells[n:]
	}
}

// timesRun is how many time cells are buffered before that is looked at.
const timesRun = 4096

// EndThread writes the last block of a thread: with its name, if it has one and that was not
// written early.
func (w *Writer) EndThread(b *Block) {
	if b.Named && !(b.Early && b.told) {
		b.name(w.version)
	}
	w.Flush(b)
}

// Cut writes the first half of the objects collected as a block without an end, and no cells,
// like the file of a killed program.
func (w *Writer) Cut(b *Block) {
	w.data.write(format.AppendBlockHead(nil, b.Thread))
	w.data.write(b.data[:len(b.data)/2])
}

// End ends the files. last is the time of the recording's end, in ns since the anchor, unless Last is later.
func (w *Writer) End(last int64) error {
	w.Last = max(w.Last, last)
	at := int64(-1)
	if w.Dump {
		at = format.DumpEnd(w.base)
	}
	w.data.write([]byte{byte(format.KindEOF)})
	w.index.write(format.AppendIndexTail(nil, at))
	w.time(format.TimeCell{ID: -1, Start: w.Last})
	return w.flush()
}

// Stop writes the buffered data to the files, without ending them.
func (w *Writer) Stop() error {
	if w.times.to != nil {
		w.times.write(w.pages.End(nil))
	}
	return w.flush()
}

func (w *Writer) flush() error {
	for _, o := range w.files() {
		o.flush()
	}
	if w.behind != nil {
		w.behind.wait()
	}
	return w.Err()
}

// Err returns the first write error.
func (w *Writer) Err() error {
	if w.behind != nil {
		return w.behind.failed(w.files())
	}
	return failed(w.files())
}

func (w *Writer) files() [3]*file { return [...]*file{&w.data, &w.index, &w.times} }

// Untimed reports whether a file of times has cells of objects, but no time, as that of a recording
// without times may be.
func Untimed(f io.ReaderAt) (bool, error) {
	r := format.NewTimesScanner(bufio.NewReaderSize(io.NewSectionReader(f, 0, math.MaxInt64), 64<<10))
	any := false
	for ; r.Next() && !r.Cell().IsEnd(); any = true {
		if r.Cell().Known() {
			return false, nil
		}
	}
	return any, r.Err()
}
