package live

import (
	"encoding/binary"
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
