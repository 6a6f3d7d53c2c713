package summary

import (
	"encoding/binary"
	"errors"
	"math"
	"sort"

	"tracex/lazy/internal/decode"
)

// File is a summary in memory or mapped. Its owner guards the bytes against faults.
type File struct {
	b         []byte
	of        Of
	tables    []byte
	dir       []byte
	dirSum    uint32
	tablesSum uint32
	units     []byte
}

// New reads the frame of a summary. The error is one of those of this package.
func New(b []byte) (*File, error) {
	if len(b) < len(magic)+TrailerSize || string(b[:len(magic)]) != magic {
		return nil, ErrDamaged
	}
	be := binary.BigEndian
	t := b[len(b)-TrailerSize:]
	if be.Uint32(t[TrailerSize-4:]) != frameSum(t[:TrailerSize-4]) {
		return nil, ErrDamaged
	}
	if be.Uint32(t) != version {
		return nil, ErrVersion
	}
	f := &File{b: b}
	flags := be.Uint32(t[4:])
	f.of.Timed = flags&flagTimed != 0
	print := func(at int) Print { return Print{int64(be.Uint64(t[at:])), be.Uint32(t[at+8:])} }
	f.of.Data, f.of.Times = print(8), print(20)
	tables, dir := print(32), print(44)
	left := int64(len(b) - TrailerSize - len(magic))
	if flags&^flagTimed != 0 || be.Uint32(t[56:]) != 0 || dir.Size < 0 || dir.Size > left || tables.Size < 0 || tables.Size > left-dir.Size {
		return nil, ErrDamaged
	}
	at := int64(len(b)-TrailerSize) - dir.Size
	f.dir, f.dirSum = b[at:len(b)-TrailerSize], dir.Sum
	f.tables, f.tablesSum = b[at-tables.Size:at], tables.Sum
	f.units = b[len(magic) : at-tables.Size]
	return f, nil
}

// Of returns what the summary was made from.
func (f *File) Of() Of { return f.of }

// Tables returns the tables; ok is false if they are damaged.
func (f *File) Tables() (b []byte, ok bool) { return f.tables, Sum(f.tables) == f.tablesSum }

// Directory tells where the units of a summary are.
type Directory struct {
	Unit    int64 // bytes
	Streams []Stream
	Units   []Place
}

// Place is where a unit is: in the trace, and in the summary.
type Place struct {
	Stream, Count int   // of its first stream, and how many whole ones; 0 for a part of one
	From, To      int64 // logical, of a part
	at            int64
	size          uint32
	sum           uint32
}

// Directory reads the directory. The error is [ErrDamaged] if it cannot be read.
func (f *File) Directory() (*Directory, error) {
	if Sum(f.dir) != f.dirSum {
		return nil, ErrDamaged
	}
	d := decoder{decode.Reader{B: f.dir}}
	x := &Directory{Unit: d.Number()}
	n := d.Count(len(d.B) / 2)
	x.Streams = make([]Stream, 0, n)
	thread := int64(0)
	for i := range n {
		thread += d.Signed()
		s := Stream{int32(thread), d.Number()}
		if d.Bad || thread != int64(s.Thread) || i > 0 && s.Thread <= x.Streams[i-1].Thread {
			return nil, ErrDamaged
		}
		x.Streams = append(x.Streams, s)
	}
	if n = d.Count(len(d.B) / 6); x.Unit <= 0 {
		return nil, ErrDamaged
	}
	x.Units = make([]Place, 0, n)
	at, next := int64(0), Place{}
	for range n {
		threads, size := d.Next(), d.Next()
		p := Place{Stream: next.Stream, From: next.From, at: at, size: uint32(size), sum: d.U32()}
		if d.Bad || size > uint64(len(f.units))-uint64(at) || size > math.MaxUint32 || p.Stream >= len(x.Streams) || threads > uint64(len(x.Streams)-p.Stream) {
			return nil, ErrDamaged
		}
		if p.Count = int(threads); p.Count > 0 {
			if p.From > 0 {
				return nil, ErrDamaged
			}
			next = Place{Stream: p.Stream + p.Count}
		} else if s := x.Streams[p.Stream]; s.Size-p.From > x.Unit {
			p.To = p.From + x.Unit
			next = Place{Stream: p.Stream, From: p.To}
		} else {
			p.To = s.Size
			next = Place{Stream: p.Stream + 1}
		}
		x.Units = append(x.Units, p)
		at += int64(size)
	}
	if d.Bad || len(d.B) > 0 || at != int64(len(f.units)) || next.Stream != len(x.Streams) || next.From != 0 {
		return nil, ErrDamaged
	}
	return x, nil
}

// Find returns the numbers of the units that have a part of a thread, up to before end; to is -1 for
// the end of the thread. They are none if the thread is not there.
func (x *Directory) Find(thread int32, from, to int64) (first, end int) {
	s := sort.Search(len(x.Streams), func(i int) bool { return x.Streams[i].Thread >= thread })
	if s == len(x.Streams) || x.Streams[s].Thread != thread {
		return 0, 0
	}
	if to < 0 {
		to = math.MaxInt64
	}
	first = sort.Search(len(x.Units), func(i int) bool {
		p := &x.Units[i]
		if p.Count > 0 || p.Stream != s {
			return p.Stream+max(p.Count, 1) > s
		}
		return p.To > from || p.To == x.Streams[s].Size
	})
	end = first
	for end < len(x.Units) {
		p := &x.Units[end]
		if p.Stream > s || p.Count == 0 && p.From >= to && end > first {
			break
		}
		end++
	}
	return first, end
}

// Read reads a unit, which is valid as long as the file is mapped. ok is false if it is damaged.
func (f *File) Read(p *Place, u *Unit) (ok bool) {
	b := f.units[p.at : p.at+int64(p.size)]
	return Sum(b) == p.sum && u.Decode(b)
}

// Errors of a summary that is not used.
var (
	// ErrDamaged: the file is cut, changed, or no summary.
	ErrDamaged = errors.New("damaged")
	// ErrVersion: another version of tracex made it.
	ErrVersion = errors.New("made by another version of tracex")
	// ErrOther: it is of other data.
	ErrOther = errors.New("made from other data")
)
