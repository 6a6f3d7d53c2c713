package perfetto

import "math"

// sharedIDs gives the ids of one recorder the next numbers of a trace to which others add, too.
type sharedIDs struct {
	numbers *Begun  // those in use, but for those of events
	blocks  *blocks // counts the events
	known   map[reference]int32
	room    *int // how many more ids may be remembered, of all recorders
}

const (
	// unnumbered is the id of a thread without one.
	unnumbered = int32(-1)
	// noObject is an id that no object in the trace has.
	noObject = math.MaxInt32
	// sharedReferences bounds how many ids of recorders are remembered.
	sharedReferences = 1 << 22
)

// id returns the id in the trace of a reference object. Its description may come later.
func (s *sharedIDs) id(r reference) int32 {
	id, ok := s.known[r]
	if ok {
		return id
	}
	next := &s.numbers.IDs[r.kind]
	if *s.room == 0 || *next >= noObject {
		return noObject
	}
	id = int32(*next)
	*next++
	*s.room--
	s.known[r] = id
	return id
}

// event returns the number of the next event, which is used once the event is counted.
func (s *sharedIDs) event() (int32, error) {
	n := s.blocks.first + s.blocks.events
	if n > math.MaxInt32 {
		return 0, errNoRoom
	}
	return int32(n), nil
}

// thread returns the number of another thread; unnumbered if there are no more.
func (s *sharedIDs) thread() int32 {
	next := s.numbers.Thread
	if next == math.MaxInt32 {
		return unnumbered
	}
	s.numbers.Thread++
	return next
}

// reference returns a reference object as it is in the trace; nil if that has no room for it.
func (s *sharedIDs) reference(object []byte, ids *callsIDs) []byte {
	own, err := ids.reference(object, nil)
	if err != nil {
		return nil // impossible: it was read before
	}
	if ids.to.ReferenceID(own) == noObject {
		return nil
	}
	return own
}
