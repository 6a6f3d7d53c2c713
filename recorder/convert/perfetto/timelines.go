package perfetto

import (
	"cmp"
	"slices"
	"strconv"

	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/spool"
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

// arrange determines the final place of each timeline in the order of threads, now that
// all descriptions are known, and returns the timelines in that order: by process, and
// within a process its threads, then the rest.
func (ts *tracks) arrange(recorders []*callsRecorder) []*timeline {
	for _, l := range ts.timelines {
		if l.scope == ofUnknown {
			ts.place(l)
		}
	}
	ts.countMachines(recorders)
	var timelines []*timeline
	for _, l := range ts.timelines {
		if !l.records.Empty() || len(l.more) > 0 {
			ts.label(l)
			timelines = append(timelines, l)
		}
	}
	processes := make(map[processID]int)
	for _, l := range timelines {
		if _, known := processes[l.pid]; !known {
			processes[l.pid] = l.order
		}
	}
	rank := func(l *timeline) int {
		switch {
		case l.pid.pid() == 0:
			return len(ts.timelines) // without a process: last
		default:
			return processes[l.pid]
		}
	}
	slices.SortStableFunc(timelines, func(a, b *timeline) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.class(), b.class()), cmp.Compare(a.order, b.order))
	})
	return timelines
}

// class orders the timelines within a process.
func (l *timeline) class() int {
	switch {
	case l.scope == ofThread && l.thread.tid == int64(l.pid.pid()):
		return 0 // the main thread
	case l.scope == ofThread:
		return 1
	case l.scope == ofTrace:
		return 3
	}
	return 2
}

// place adds the records of an undescribed track's timeline to the timeline where the track
// belongs.
func (ts *tracks) place(l *timeline) {
	var home *timeline
	if t := ts.described[l.parent]; t != nil {
		if home = t.timeline; home == nil {
			home = ts.timelineOf(t, l.machine, []byte(l.name))
			t.timeline = home
		}
	} else if joined, ok := ts.joined.Get(l.parent); ok {
		home = joined
	} else {
		home = ts.keyed(timelineKey{byName, rootOf(l.machine, 0), l.name}, timeline{joined: true, name: l.name, machine: l.machine})
	}
	if home == nil || home == l {
		l.parent = 0 // too many timelines: it stays as it is
		return
	}
	home.more = append(home.more, l.records)
	l.records = &spool.Stream{}
}

// streams returns the streams of the timeline's records.
func (l *timeline) streams() []*spool.Stream {
	if l.records.Empty() {
		return l.more
	}
	// Records from before the description precede the others.
	return append(l.more[:len(l.more):len(l.more)], l.records)
}

// countMachines determines whether there are several machines.
func (ts *tracks) countMachines(recorders []*callsRecorder) {
	met := make(map[uint32]struct{})
	for _, l := range ts.timelines {
		met[l.machine] = struct{}{}
	}
	for _, r := range recorders {
		met[r.pid.machine()] = struct{}{}
	}
	ts.several = len(met) > 1
}
