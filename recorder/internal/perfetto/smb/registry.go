package smb

import (
	"slices"
)

// registry knows the writers of an Arbiter: their ids, their targets, and what the
// service has to be told about them. The Arbiter's lock guards it.
type registry struct {
	ids          ids
	targets      map[uint16]*Target  // of the writers that are not closed
	unregistered map[uint16]struct{} // writers that the service has not been told of
	ended        []leaving
}

// leaving is a writer that has ended and is not yet unregistered.
type leaving struct {
	id   uint16
	next uint32 // the chunk id with which the writer id continues
}

func newRegistry() registry {
	return registry{targets: map[uint16]*Target{}, unregistered: map[uint16]struct{}{}}
}

// add gives a new writer an id and its first chunk id; the id is 0 if none is free.
// registered means that the caller tells the service of the writer at once.
func (r *registry) add(t *Target, registered bool) (id uint16, chunk uint32) {
	if id, chunk = r.ids.get(); id == 0 {
		return 0, 0
	}
	r.targets[id] = t
	if !registered {
		r.unregistered[id] = struct{}{}
	}
	return id, chunk
}

// remove forgets a writer. If the service knows it (and served says that there is a
// service, with a buffer for it), the id is freed only after the service has been
// told, and remove returns true.
func (r *registry) remove(w leaving, served bool) (tell bool) {
	delete(r.targets, w.id)
	if _, ok := r.unregistered[w.id]; ok || !served {
		delete(r.unregistered, w.id)
		r.ids.put(w.id, w.next)
		return false
	}
	r.ended = append(r.ended, w)
	return true
}

// takeEnded returns the writers that ended since the last call. The caller tells the
// service, and then frees them.
func (r *registry) takeEnded() []leaving {
	ended := r.ended
	r.ended = nil
	return ended
}

func (r *registry) free(ended []leaving) {
	for _, w := range ended {
		r.ids.put(w.id, w.next)
	}
}

// takeBound returns, in order, the writers that the service has not been told of and
// whose buffers are now known. From then on they count as registered.
func (r *registry) takeBound() (writers []uint16) {
	for id := range r.unregistered {
		if t := r.targets[id]; t.bound {
			delete(r.unregistered, id)
			if t.buffer != 0 {
				writers = append(writers, id)
			}
		}
	}
	slices.Sort(writers)
	return writers
}

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

// Target is a buffer of the service that writers write for. A program that records
// before a service has told it the buffer uses a target that is bound later; until
// then its packets wait in the memory.
type Target struct {
	a      *Arbiter
	bound  bool // a.mu guards it, and the fields below
	buffer uint32
}
