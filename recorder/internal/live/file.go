package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"tracex/format"
)

// ErrFull is what Alloc and Slot return when the file is as large as it may become, or the disk
// is full.
var ErrFull = errors.New("no room in the file for what is not yet written")

// File is a live file that is being written. Any goroutine may call its methods; the contents
// of its regions and slots are up to their holders.
//
// The memory stays mapped while anything of the File is in use, even after Remove: a goroutine
// may be writing to it at that moment.
type File struct {
	path   string
	header []byte

	mu       sync.Mutex // guards the fields from here on
	f        *os.File
	limit    int64
	end      int64 // of the last segment
	segments []segment
	regions  freeRegions
	slots    [kinds][]*Slot // free ones
	last     [kinds]*Region // the newest page of each kind

	tx Tx
}

// segment is a part of the file with its own mapping.
type segment struct {
	from  int64
	order int
	mem   []byte
}

// Segments start at one MiB, and double up to sixteen.
const (
	firstSegment = 20
	lastSegment  = 24
)

// Create creates a live file, which must not exist, and locks it until the process ends or
// removes it. It takes at most limit bytes of disk.
func Create(path string, limit int64) (*File, error) {
	path, err := filepath.Abs(path) // the program may change its working directory
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	l := &File{path: path, f: f, limit: max(limit, 1<<firstSegment), end: headerSize}
	if err := l.begin(); err != nil {
		_ = f.Close()
		_ = os.Remove(path)
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

func (l *File) begin() error {
	if err := lockNew(l.f); err != nil {
		return err
	}
	if err := allocate(l.f, 0, headerSize); err != nil {
		return err
	}
	var err error
	if l.header, err = mapRegion(l.f, 0, headerSize); err != nil {
		return err
	}
	keepMapped(l, l.header)
	copy(l.header, magic)
	binary.NativeEndian.PutUint64(l.header[AtOrder:], orderMark)
	l.Word(AtPID).Store(uint64(os.Getpid()))
	redo, err := l.Alloc(1 << 16)
	if err != nil {
		return err
	}
	l.tx = Tx{l: l, redo: redo}
	l.Word(AtRedo).Store(uint64(redo.Off))
	l.Word(atRedoN).Store(uint64(len(redo.Mem)))
	l.Word(AtBase).Store(uint64(time.Now().UnixNano()))
	return nil
}

// keepMapped unmaps memory when the file is no longer in use.
func keepMapped(l *File, mem []byte) { runtime.AddCleanup(l, unmap, mem) }

func (l *File) Path() string { return l.path }

func (l *File) Word(at int64) *atomic.Uint64 { return word(l.header, at) }

func word(mem []byte, at int64) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(unsafe.SliceData(mem[at : at+numberBytes])))
}

// Region is a region of the file's memory.
type Region struct {
	Off  int64
	Mem  []byte // all of it: a power of two
	file *File  // keeps the memory mapped
}

func (p *Region) Word(at int64) *atomic.Uint64 { return word(p.Mem, at) }

// Alloc returns a region of at least size bytes, with arbitrary content.
func (l *File) Alloc(size int64) (*Region, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.alloc(orderOf(size))
}

func (l *File) alloc(order int) (*Region, error) {
	off, ok := l.regions.get(order)
	if !ok {
		if err := l.extend(order); err != nil {
			return nil, err
		}
		if off, ok = l.regions.get(order); !ok {
			return nil, ErrFull
		}
	}
	s := l.segment(off)
	at := off - s.from
	size := int64(1) << order
	return &Region{Off: off, Mem: s.mem[at : at+size : at+size], file: l}, nil
}

// segment returns the segment that an offset is in.
func (l *File) segment(off int64) *segment {
	for i := range l.segments {
		if s := &l.segments[i]; off >= s.from && off < s.from+int64(len(s.mem)) {
			return s
		}
	}
	return nil
}

// extend adds a segment with room for a region of 1<<order bytes. Disk space is allocated before
// the memory is used: a store into mapped memory without disk space would kill the program.
func (l *File) extend(order int) error {
	if l.f == nil {
		return ErrFull
	}
	least, taken := order, l.taken()
	order = max(order, min(firstSegment+len(l.segments), lastSegment))
	for ; taken+1<<order > l.limit; order-- {
		if order == least {
			return ErrFull
		}
	}
	size := int64(1) << order
	from := (l.end + size - 1) &^ (size - 1)
	if err := allocate(l.f, from, size); err != nil {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	mem, err := mapRegion(l.f, from, size)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	keepMapped(l, mem)
	l.segments = append(l.segments, segment{from, order, mem})
	l.end = from + size
	l.regions.add(from, size)
	return nil
}

// taken returns how many bytes the segments have. mu is held.
func (l *File) taken() (bytes int64) {
	for i := range l.segments {
		bytes += int64(len(l.segments[i].mem))
	}
	return bytes
}

// Free takes back a region that is no longer in use. Nil is allowed.
func (l *File) Free(p *Region) {
	if p == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.regions.put(p.Off, orderOf(int64(len(p.Mem))), l.segment(p.Off).order)
}

// Remove removes the file, which is no longer needed. Memory that is still in use remains.
func (l *File) Remove() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	err := errors.Join(remove(l.f, l.path), l.f.Close())
	l.f = nil
	return err
}

// Leave ends the use of the file, which stays, as if the process had ended.
func (l *File) Leave() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	err := l.f.Close()
	l.f = nil
	return err
}

// CreateFor creates the live file of a new trace, which may become limit bytes large. One that
// belonged to another trace at path is removed, if that is not being recorded: the other trace is
// gone, or was moved.
func CreateFor(path string, limit int64) (*File, error) {
	path += format.LiveSuffix
	l, err := Create(path, limit)
	if !errors.Is(err, fs.ErrExist) {
		return l, err
	}
	rest, failed := Open(path)
	switch {
	case failed == nil:
		failed = rest.Remove()
	case errors.Is(failed, ErrDamaged):
		failed = os.Remove(path)
	}
	if failed != nil {
		return nil, err
	}
	return Create(path, limit)
}

// Slot is a record in the file. Its first number is its state: zero while the slot is free.
type Slot struct {
	Off  int64
	Mem  []byte
	kind Kind
	file *File
}

func (s *Slot) Word(at int64) *atomic.Uint64 { return word(s.Mem, at) }

// Put stores a number of the slot while its state is free.
func (s *Slot) Put(at int64, v uint64) { binary.NativeEndian.PutUint64(s.Mem[at:], v) }

// Slot returns a free slot of a kind. Except for its state, its content is as it was left.
func (l *File) Slot(kind Kind) (*Slot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := &l.slots[kind]
	if len(*list) == 0 {
		if err := l.addPage(kind); err != nil {
			return nil, err
		}
	}
	s := (*list)[len(*list)-1]
	(*list)[len(*list)-1] = nil
	*list = (*list)[:len(*list)-1]
	return s, nil
}

// addPage adds a page of free slots. mu is held.
func (l *File) addPage(kind Kind) error {
	p, err := l.alloc(orderOf(slotPage))
	if err != nil {
		return err
	}
	clear(p.Mem)
	size := slotSizes[kind]
	for at := int64(firstSlot); at+size <= slotPage; at += size {
		l.slots[kind] = append(l.slots[kind], &Slot{Off: p.Off + at, Mem: p.Mem[at : at+size : at+size], kind: kind, file: l})
	}
	if before := l.last[kind]; before != nil {
		before.Word(atNextPage).Store(uint64(p.Off))
	} else {
		l.Word(atFirst + int64(kind)*numberBytes).Store(uint64(p.Off))
	}
	l.last[kind] = p
	return nil
}

// FreeSlot makes a slot free. Nil is allowed.
func (l *File) FreeSlot(s *Slot) {
	if s == nil {
		return
	}
	s.Word(0).Store(0)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slots[s.kind] = append(l.slots[s.kind], s)
}

// Record is what a live file has of a thread, except what it has open.
type Record struct {
	slot *Slot // nil if nothing
	name *Region
}

// Slot returns the thread's slot; nil if it has none.
func (r *Record) Slot() *Slot { return r.slot }

// KeepIn gives a new thread its slot. It has no id yet: see InUse.
func (r *Record) KeepIn(l *File, of string) {
	if l == nil {
		return
	}
	slot, err := l.Slot(Threads)
	if err != nil {
		return // no room: a crash loses the thread, and its chunks
	}
	clear(slot.Mem[8:])
	if n := len(of); n <= ShortName {
		copy(slot.Mem[ThreadShort:], of)
	} else {
		p, err := l.Alloc(int64(n))
		if err != nil {
			l.FreeSlot(slot)
			return
		}
		copy(p.Mem, of)
		slot.Put(ThreadShort, uint64(p.Off))
		r.name = p
	}
	slot.Put(ThreadName, uint64(len(of)))
	r.slot = slot
}

// InUse gives the slot the thread's id.
func (r *Record) InUse(id int32) {
	if s := r.slot; s != nil {
		s.Word(0).Store(SlotInUse | uint64(uint32(id)))
	}
}

// KeepEnd notes when the thread ended. Its swap is held.
func (r *Record) KeepEnd(reading uint64) {
	if s := r.slot; s != nil {
		s.Word(ThreadEnded).Store(reading)
	}
}

// KeepDropped notes how many trace points are missing, and the event id of the note, for
// Finish. The thread's swap is held.
func (r *Record) KeepDropped(note int32, n int64) {
	if s := r.slot; s != nil {
		s.Word(ThreadNote).Store(uint64(note))
		s.Word(ThreadDropped).Store(uint64(n))
	}
}

// KeepPut notes the number of the last chunk that is wholly in the sink.
func (r *Record) KeepPut(chunk uint64) {
	if s := r.slot; s != nil {
		s.Word(ThreadPut).Store(chunk)
	}
}

func (r *Record) Take() Record {
	had := *r
	*r = Record{}
	return had
}

// Free frees what a file has of the thread.
func (r *Record) Free(l *File) {
	if r.slot != nil {
		l.FreeSlot(r.slot)
		l.Free(r.name)
	}
}
