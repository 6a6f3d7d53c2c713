package live

import (
	"encoding/binary"
	"math/bits"
	"os"
	"sync/atomic"
)

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

// freeRegions hands out regions of a range of bytes, as a buddy allocator does: each is a power of
// two in size and aligned to it. A region that is given back is merged with its buddy, the other
// half of the region that both were cut from, if that is free too.
type freeRegions struct {
	free [64]map[int64]struct{} // by the logarithm of the size: where free regions are
}

// add adds a range: from is aligned to size, a power of two.
func (p *freeRegions) add(from, size int64) { p.put(from, bits.TrailingZeros64(uint64(size)), 63) }

// get returns a free region of 1<<order bytes; false if there is none.
func (p *freeRegions) get(order int) (int64, bool) {
	at := order
	for at < len(p.free) && len(p.free[at]) == 0 {
		at++
	}
	if at == len(p.free) {
		return 0, false
	}
	var from int64
	for from = range p.free[at] {
		break
	}
	delete(p.free[at], from)
	for at > order {
		at--
		p.keep(from+1<<at, at)
	}
	return from, true
}

// put gives back a region of 1<<order bytes, which was cut from one of at most 1<<most bytes.
func (p *freeRegions) put(from int64, order, most int) {
	for order < most {
		other := from ^ 1<<order
		if _, ok := p.free[order][other]; !ok {
			break
		}
		delete(p.free[order], other)
		from = min(from, other)
		order++
	}
	p.keep(from, order)
}

func (p *freeRegions) keep(from int64, order int) {
	if p.free[order] == nil {
		p.free[order] = map[int64]struct{}{}
	}
	p.free[order][from] = struct{}{}
}

// orderOf returns the logarithm of the smallest region with room for size bytes.
func orderOf(size int64) int {
	return bits.Len64(uint64(max(size, least) - 1))
}

func fill(f *os.File, from, size int64) error {
	zeros := make([]byte, min(size, 1<<16))
	for at := int64(0); at < size; {
		n, err := f.WriteAt(zeros[:min(size-at, int64(len(zeros)))], from+at)
		if err != nil {
			return err
		}
		at += int64(n)
	}
	return nil
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
