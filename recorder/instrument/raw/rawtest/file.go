// Package rawtest writes raw files as instrumented programs do, for tests.
package rawtest

import (
	"encoding/binary"
	"os"
	"testing"

	"tracex/recorder/instrument/raw"
)

var le = binary.LittleEndian

// Options of a file. Zero values are replaced by those of a usual program.
type Options struct {
	PID        uint64
	Program    string
	Clock      uint32
	Shift      uint32 // of all segments
	Nanos      uint64
	Wall       uint64
	Text       uint64
	Table      []byte
	ChunkFirst int // size of a goroutine's first chunk; each further one is twice as large
	ChunkMost  int
	Boot       uint64
	Line       []raw.Member
	Namespace  uint64
}

// File is a raw file in memory, with the order of the writes that made it.
type File struct {
	Options
	// Now is the counter of the events that are written next.
	Now uint64
	// Later is how far the counter advances while room for a chunk is made.
	Later  uint32
	Image  []byte
	Writes []Write
	Forget bool // keep no Writes

	next, end   int64 // where the next chunk is, and the end of its segment
	segments    uint32
	descriptors *descriptors
	described   map[any]bool
}

// Write is bytes that are written at an offset. Without bytes the file grows to the offset.
type Write struct {
	At   int64
	Data []byte
}

type descriptors struct {
	at, end int64
}

// Rate is how many counts a ns has.
const Rate = 2

func New(o Options) *File {
	set := func(p *uint64, to uint64) {
		if *p == 0 {
			*p = to
		}
	}
	set(&o.PID, 4711)
	set(&o.Nanos, 1_000_000_000)
	set(&o.Wall, 1_700_000_000_000_000_000)
	set(&o.Text, 0x401000)
	if o.Program == "" {
		o.Program = "/tmp/shop.test"
	}
	if o.Shift == 0 {
		o.Shift = 16
	}
	if o.ChunkFirst == 0 {
		o.ChunkFirst = raw.ChunkUnit
	}
	if o.ChunkMost == 0 {
		o.ChunkMost = raw.ChunkMost
	}
	f := &File{Options: o, Now: 1_000_000, described: map[any]bool{}}
	table := uint64(raw.HeaderSize)
	segments := (table + uint64(len(o.Table)) + 4095) &^ 4095
	f.grow(int64(segments))
	h := make([]byte, raw.HeaderSize)
	le.PutUint32(h[raw.AtVersion:], raw.Version)
	le.PutUint32(h[raw.AtControl:], raw.Recording)
	le.PutUint64(h[raw.AtPID:], o.PID)
	le.PutUint64(h[raw.AtCounter:], f.Now)
	le.PutUint64(h[raw.AtNanos:], o.Nanos)
	le.PutUint64(h[raw.AtWall:], o.Wall)
	le.PutUint32(h[raw.AtClock:], o.Clock)
	le.PutUint32(h[raw.AtFirstShift:], o.Shift)
	le.PutUint32(h[raw.AtMostShift:], o.Shift)
	le.PutUint64(h[raw.AtText:], o.Text)
	le.PutUint64(h[raw.AtTable:], table)
	le.PutUint64(h[raw.AtTableSize:], uint64(len(o.Table)))
	le.PutUint64(h[raw.AtSegments:], segments)
	le.PutUint64(h[raw.AtBoot:], o.Boot)
	le.PutUint64(h[raw.AtNamespace:], o.Namespace)
	for i, m := range o.Line {
		le.PutUint64(h[raw.AtLine+raw.LineSize*i:], m.PID)
		le.PutUint64(h[raw.AtLine+raw.LineSize*i+8:], m.Started)
	}
	copy(h[raw.AtProgram:], o.Program+"\x00-v\x00")
	f.put(0, h)
	f.put(int64(table), o.Table)
	f.put(raw.AtMagic, le.AppendUint64(nil, raw.Magic))
	f.next, f.end = int64(segments), int64(segments)
	return f
}

func (f *File) Header(at int64, n uint32) { f.put(at, le.AppendUint32(nil, n)) }

// Drop drops the first segments, with all that is in them.
func (f *File) Drop(segments uint32) {
	f.Header(raw.AtDropped, segments)
	f.put(f.end-int64(f.segments)<<f.Shift, make([]byte, int64(segments)<<f.Shift))
}

// DropAfter drops segment k, before which the first part of the recording ends, and so many calls with it.
func (f *File) DropAfter(k uint32, missing uint64) {
	f.Header(raw.AtDropped, 1)
	size := int64(1) << f.Shift
	at := f.end - int64(f.segments-k)*size
	f.put(raw.AtRing, le.AppendUint64(nil, uint64(at)))
	f.put(raw.AtMissing, le.AppendUint64(nil, missing))
	f.put(at, make([]byte, size))
}

// Full ends the segment: the next chunk is in another one.
func (f *File) Full() {
	if f.next < f.end {
		f.take(int(f.end - f.next))
	}
}

func (f *File) grow(to int64) {
	f.Writes = append(f.Writes, Write{At: to})
	f.Image = append(f.Image, make([]byte, to-int64(len(f.Image)))...)
}

func (f *File) put(at int64, data []byte) {
	if len(data) == 0 {
		return
	}
	if !f.Forget {
		f.Writes = append(f.Writes, Write{at, data})
	}
	copy(f.Image[at:], data)
}

func (f *File) word(at int64, w uint32) { f.put(at, le.AppendUint32(nil, w)) }

// nanos returns the monotonic clock now.
func (f *File) nanos() uint64 { return f.Nanos + (f.Now-1_000_000)/Rate }

// take allocates a chunk of so many bytes.
func (f *File) take(size int) int64 {
	size = (size + raw.ChunkUnit - 1) &^ (raw.ChunkUnit - 1)
	if rest := f.end - f.next; rest < int64(size) {
		if rest > 0 {
			f.put(f.next+raw.AtChunkSize, le.AppendUint32(nil, uint32(rest)))
			f.word(f.next, raw.ChunkRest)
		}
		f.next, f.end = f.end, f.end+1<<f.Shift
		f.segments++
		f.grow(f.end)
	}
	at := f.next
	f.next += int64(size)
	return at
}

func (f *File) chunk(at int64, kind uint32, size int, stream uint64, leftOut uint32) {
	h := make([]byte, raw.ChunkHead)
	le.PutUint32(h[raw.AtChunkSize:], uint32(size))
	le.PutUint64(h[raw.AtChunkStream:], stream)
	le.PutUint64(h[raw.AtChunkCounter:], f.Now)
	le.PutUint64(h[raw.AtChunkNanos:], f.nanos()+uint64(f.Later)/Rate)
	le.PutUint32(h[raw.AtChunkLater:], f.Later)
	le.PutUint32(h[raw.AtChunkLeftOut:], leftOut)
	f.put(at, h)
	f.word(at, kind)
}

func (f *File) Save(tb testing.TB, path string) {
	tb.Helper()
	if err := os.WriteFile(path, f.Image, 0o600); err != nil {
		tb.Fatal(err)
	}
}

// Growing is a file on disk to which the writes are applied one after the other.
type Growing struct {
	file *os.File
	rest []Write
}

// Grow creates an empty file on disk.
func (f *File) Grow(tb testing.TB, path string) *Growing {
	tb.Helper()
	file, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { file.Close() })
	return &Growing{file, f.Writes}
}

// Apply applies the next n writes, and reports whether there are more.
func (g *Growing) Apply(tb testing.TB, n int) bool {
	tb.Helper()
	for ; n > 0 && len(g.rest) > 0; n-- {
		w := g.rest[0]
		g.rest = g.rest[1:]
		var err error
		if w.Data == nil {
			err = g.file.Truncate(w.At)
		} else {
			_, err = g.file.WriteAt(w.Data, w.At)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	return len(g.rest) > 0
}

// Segments returns how many segments there are.
func (f *File) Segments() uint32 { return f.segments }

// More adds writes to those that are to be applied.
func (g *Growing) More(writes []Write) { g.rest = append(g.rest, writes...) }
