package shared

import (
	"sync"
	"sync/atomic"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/perfetto/producer"
)

// progress is how far a session is with a thread.
type progress struct {
	to      *producer.Instance // nil: the file of what is not sent, see unsent
	number  uint64             // of the next part
	cleared uint32
	lost    bool  // the next part must describe the open containers
	missing int64 // lost trace points that no note has reported yet
	event   int32 // the id of the first of these, if any
}

// progressList has one entry for each session that records.
type progressList []progress

// update makes the list that of the sessions that record. open reports whether the thread has
// open containers, which a new session does not know. gone reports whether the service has gone:
// then what would be sent to the last session goes into a file, until there is another session.
func (l *progressList) update(targets []*producer.Instance, open, gone bool) {
	kept := (*l)[:0]
	if gone && len(targets) == 0 {
		if len(*l) == 0 {
			*l = append(*l, progress{lost: open})
		}
		*l = (*l)[:1]
		(*l)[0].to = nil
		return
	}
	for _, n := range *l {
		for _, i := range targets {
			if n.to == i {
				kept = append(kept, n)
			}
		}
	}
	clear((*l)[len(kept):])
	*l = kept
	for _, i := range targets {
		cleared := i.Value.(*session).cleared.Load()
		found := false
		for k := range *l {
			if n := &(*l)[k]; n.to == i {
				found = true
				if n.cleared != cleared {
					n.cleared, n.lost = cleared, true
				}
			}
		}
		if !found {
			*l = append(*l, progress{to: i, cleared: cleared, lost: open})
		}
	}
}

// owes reports whether a session must be told that something was lost.
func (l progressList) owes() bool {
	for i := range l {
		if l[i].to != nil && l[i].missing > 0 {
			return true
		}
	}
	return false
}

// lost reports whether a session needs a description of the open containers.
func (l progressList) lost() bool {
	for i := range l {
		if l[i].lost {
			return true
		}
	}
	return false
}

// miss notes that a part was lost, and returns how many containers begin in it: other trace
// points are not counted. What a lost note reports was counted before.
func (n *progress) miss(p buffers.Part) (lost int64) {
	event := func(at int) {
		if n.missing == 0 {
			n.event = format.EventOf(p.Data[at:])
		}
	}
	if p.Missing > 0 {
		event(0)
		n.missing += p.Missing
		return 0
	}
	for i := range p.Marks {
		if m := &p.Marks[i]; !m.Footer() {
			event(m.Pos() - p.First)
			n.missing++
			lost++
		}
	}
	return lost
}

// session is the state of a session that records.
type session struct {
	cleared atomic.Uint32 // how often everything must be sent again
	missing atomic.Int64  // trace points lost at the ends of threads

	mu    sync.Mutex // held while references are sent
	said  uint32     // the value of cleared when references were sent
	known int        // cells of the log that the session has
}
