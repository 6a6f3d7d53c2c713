package live

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
