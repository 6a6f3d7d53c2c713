package smb

// ids hands out writer ids. An id is reused as late as possible, and its chunk ids
// continue: a service tells chunks apart by both, while it keeps them.
type ids struct {
	fresh uint16   // the last one that had never been used
	freed []uint16 // in the order in which they were returned, from head
	head  int
	next  []uint32 // by writer id: the chunk id to continue with
}

// get returns an id and its first chunk id, or the id 0 if none is free.
func (s *ids) get() (id uint16, chunk uint32) {
	if s.fresh < MaxWriterID {
		s.fresh++
		return s.fresh, s.first(s.fresh)
	}
	if s.head == len(s.freed) {
		return 0, 0
	}
	id = s.freed[s.head]
	if s.head++; s.head > len(s.freed)/2 {
		s.freed = s.freed[:copy(s.freed, s.freed[s.head:])]
		s.head = 0
	}
	return id, s.first(id)
}

func (s *ids) first(id uint16) uint32 {
	if int(id) < len(s.next) {
		return s.next[id]
	}
	return 0
}

// put returns an id. chunk is the chunk id that its next writer begins with.
func (s *ids) put(id uint16, chunk uint32) {
	for len(s.next) <= int(id) {
		s.next = append(s.next, 0)
	}
	s.next[id] = chunk
	s.freed = append(s.freed, id)
}
