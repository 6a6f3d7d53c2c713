package perfetto

import (
	"strconv"

	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/spool"
)

// timeline is the events of one track, or of several joined tracks: its records become
// one thread of the trace, or several if joined tracks have slices at the same time.
type timeline struct {
	records *spool.Stream
	joined  bool   // several tracks: each record names its own
	parent  uint64 // for ofUnknown, the track itself
	name    string
	track   *track // the track, if there is only one
	thread  threadID
	pid     processID
	machine uint32
	scope   scope
	order   int // of first appearance

	// When all packets have been read:
	more    []*spool.Stream // records of tracks whose description arrived later
	shown   string          // the name of its thread in the trace
	process string          // name of its process
	title   string          // name of its thread
}

// scope tells what a timeline belongs to. It determines the name and the order of its
// threads in the trace.
type scope uint8

const (
	ofTrack   scope = iota // of whatever its parents belong to
	ofThread               // of a thread
	ofProcess              // of a process
	ofUnknown              // of a track without a description when the timeline began
	ofTrace                // of the whole trace
)

// timelineKey identifies a timeline that does not belong to a single described track.
type timelineKey struct {
	kind   byte
	parent uint64 // or the number of a thread or process
	text   string
}

// Kinds of timelineKey.
const (
	byName        = 'n' // tracks of one name under one parent
	byThread      = 't' // a thread, by the older fields
	unknown       = 'u' // a track without a description
	triggers      = 'T'
	asyncTimeline = 'a' // see legacy events
	instants      = 'i'
)

const (
	// knownTracks bounds the number of tracks and timelines. Events of further ones are left
	// out.
	knownTracks = 1 << 16
	// knownJoined bounds how many joined tracks are remembered: a program may have one
	// for each event.
	knownJoined = 1 << 19
	// knownUnknown bounds how many tracks without a description are kept.
	knownUnknown = 1 << 12
)

// newTimeline makes a timeline; it returns nil if there are too many.
func (ts *tracks) newTimeline(l timeline) *timeline {
	if len(ts.timelines) >= knownTracks {
		return nil
	}
	l.records, l.order = ts.spool.Stream(), len(ts.timelines)
	ts.timelines = append(ts.timelines, &l)
	return &l
}

// keyed returns the timeline with a key, and makes it from l if it is new; nil if there
// are too many.
func (ts *tracks) keyed(key timelineKey, l timeline) *timeline {
	known := ts.keys[key]
	if known == nil {
		if known = ts.newTimeline(l); known != nil {
			ts.keys[key] = known
		}
	}
	return known
}

// timeline returns the timeline of a track's events; nil if there are too many. machine is
// the packet's; event is the name of the event, which becomes the name of a nameless
// track.
func (ts *tracks) timeline(machine uint32, s *sequence, uuid uint64, event []byte) *timeline {
	if s.lastTimeline != nil && s.last == uuid {
		return s.lastTimeline
	}
	l := ts.findTimeline(machine, uuid, event)
	s.last, s.lastTimeline = uuid, l
	return l
}

func (ts *tracks) findTimeline(machine uint32, uuid uint64, event []byte) *timeline {
	t := ts.described[uuid]
	if t == nil {
		if l, ok := ts.joined.Get(uuid); ok {
			return l
		}
		return ts.undescribed(machine, uuid, event)
	}
	if t.timeline == nil {
		t.timeline = ts.timelineOf(t, machine, event)
	}
	if t.timeline != nil && t.timeline.joined {
		// The timeline has all that is needed.
		ts.joined.Put(uuid, t.timeline)
		delete(ts.described, uuid)
	}
	return t.timeline
}

// timelineOf makes the timeline of a described track, or joins the track with others.
func (ts *tracks) timelineOf(t *track, machine uint32, event []byte) *timeline {
	switch {
	case t.hasThread:
		return ts.newTimeline(timeline{scope: ofThread, track: t, thread: t.thread, pid: t.thread.pid, machine: machine})
	case t.hasProcess:
		return ts.newTimeline(timeline{scope: ofProcess, track: t, pid: t.pid, machine: machine})
	case t.counter != nil, t.state, t.apart:
		return ts.newTimeline(timeline{track: t, parent: t.parent, name: t.name, machine: machine})
	}
	name := t.name
	if name == "" {
		name = fit.Name(event)
	}
	key := timelineKey{byName, rootOf(t.machine, t.parent), name}
	if t.key != "" {
		key.text = t.key
	}
	return ts.keyed(key, timeline{joined: true, parent: t.parent, name: name, machine: machine})
}

// undescribed returns the timeline of a track without a description, which may arrive
// later.
func (ts *tracks) undescribed(machine uint32, uuid uint64, event []byte) *timeline {
	if uuid == 0 {
		return ts.keyed(timelineKey{byName, 0, "Default Track"}, timeline{joined: true, name: "Default Track", machine: machine})
	}
	if l := ts.keys[timelineKey{unknown, uuid, ""}]; l != nil {
		return l
	}
	if ts.unknown < knownUnknown {
		ts.unknown++
		return ts.keyed(timelineKey{unknown, uuid, ""}, timeline{scope: ofUnknown, joined: true, parent: uuid, name: fit.Name(event), machine: machine})
	}
	l := ts.keyed(timelineKey{byName, rootOf(machine, 0), fit.Name(event)}, timeline{joined: true, name: fit.Name(event), machine: machine})
	if l != nil {
		ts.joined.Put(uuid, l)
	}
	return l
}

// writerTimeline returns the timeline of the thread that writes a sequence; nil if the
// thread is unknown.
func (ts *tracks) writerTimeline(machine uint32, s *sequence) *timeline {
	if t := ts.described[s.track]; s.track != 0 && t != nil {
		if t.hasThread {
			return ts.timeline(machine, s, s.track, nil)
		}
		return nil
	}
	if s.track == 0 && s.hasThread {
		return ts.threadTimeline(machine, s.thread)
	}
	return nil
}

// threadTimeline returns the timeline of a thread that is named by the older fields.
func (ts *tracks) threadTimeline(machine uint32, id threadID) *timeline {
	if uuid, known := ts.threads[id]; known {
		return ts.findTimeline(machine, uuid, nil)
	}
	return ts.keyed(timelineKey{byThread, uint64(id.tid), strconv.FormatInt(int64(id.pid), 10)}, timeline{scope: ofThread, thread: id, pid: id.pid, machine: machine})
}
