package perfetto

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tracex/recorder/convert/spool"
)

// between separates the names of a track and its parents.
const between = " › "

// maxParents bounds how many parents of a track are followed.
const maxParents = 100

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

// label determines the name of a timeline's threads, and the process and thread of the
// timeline.
func (ts *tracks) label(l *timeline) {
	var parts []string
	if l.scope == ofThread {
		parts = append(parts, ts.threadName(l, l.track))
	} else if l.name != "" {
		parts = append(parts, l.name)
	} else if l.track != nil && l.scope == ofTrack {
		parts = append(parts, fmt.Sprintf("track %d", l.track.uuid))
	}
	if l.scope != ofTrace {
		parts = append(parts, ts.ancestors(l)...)
	}
	if l.pid.pid() != 0 {
		parts = append(parts, numbered(ts.processOf(l), "process", int64(l.pid.pid())))
	}
	if machine := ts.machineName(l.machine); machine != "" && l.scope != ofTrace {
		parts = append(parts, machine)
	}
	slices.Reverse(parts)
	if l.shown = strings.Join(parts, between); l.shown == "" {
		l.shown = "unnamed track"
	}
}

// ancestors returns the names of a timeline's parents up to its process, and sets the
// timeline's process and thread.
func (ts *tracks) ancestors(l *timeline) (parts []string) {
	switch l.scope {
	case ofThread, ofProcess, ofUnknown:
		if l.scope == ofProcess {
			l.process = l.track.title
		} else if l.track != nil {
			ts.processUp(l, l.track.parent)
		}
		return nil
	}
	for up, n := l.parent, 0; up != 0 && n < maxParents; n++ {
		t := ts.described[up]
		if t == nil {
			joined, ok := ts.joined.Get(up)
			if !ok {
				break
			}
			parts, up = append(parts, joined.name), joined.parent
			continue
		}
		switch {
		case t.hasThread:
			l.pid, l.thread = t.thread.pid, t.thread
			parts = append(parts, ts.threadName(l, t))
			ts.processUp(l, t.parent)
			return parts
		case t.hasProcess:
			l.pid, l.process = t.pid, t.title
			return parts
		case t.name != "":
			parts = append(parts, t.name)
		}
		up = t.parent
	}
	return parts
}

// threadName returns a thread's name and number, as in "worker 4711". t is its
// track, if it has one.
func (ts *tracks) threadName(l *timeline, t *track) string {
	if l.title = ts.names.threads[l.thread]; t != nil && t.title != "" {
		l.title = t.title
	}
	return numbered(l.title, "thread", l.thread.tid)
}

// processUp takes a timeline's process from the parents of its thread's track: process
// numbers may be reused, tracks are not.
func (ts *tracks) processUp(l *timeline, parent uint64) {
	if t := ts.described[parent]; t != nil && t.hasProcess && t.pid == l.pid {
		l.process = t.title
	}
}

func (ts *tracks) processOf(l *timeline) string {
	l.process = cmp.Or(l.process, ts.processTitle(l.pid))
	return l.process
}

// processTitle returns the name of a process, or "" if unknown.
func (ts *tracks) processTitle(pid processID) string {
	if t := ts.described[ts.processes[pid]]; t != nil && t.title != "" {
		return t.title
	}
	return ts.names.processes[pid]
}

func numbered(name, otherwise string, n int64) string {
	if name == "" {
		name = otherwise
	}
	return fmt.Sprintf("%s %d", name, n)
}
