package perfetto

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// names holds the names of processes and threads.
type names struct {
	processes map[processID]string
	threads   map[threadID]string
}

func (n *names) nameProcess(pid processID, name string) {
	if name != "" && (n.processes[pid] != "" || len(n.processes) < knownTracks) {
		n.processes[pid] = name
	}
}

func (n *names) nameThread(id threadID, name string) {
	if name != "" && (n.threads[id] != "" || len(n.threads) < knownTracks) {
		n.threads[id] = name
	}
}

// between separates the names of a track and its parents.
const between = " › "

// maxParents bounds how many parents of a track are followed.
const maxParents = 100

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

// machineName returns the prefix for names of a machine's processes and threads, if
// there are several machines.
func (ts *tracks) machineName(machine uint32) string {
	if machine == 0 || !ts.several {
		return ""
	}
	return fmt.Sprintf("machine %d", machine)
}
