package perfetto

import (
	"strconv"

	"tracex/recorder/convert/fit"
)

// thread returns the thread of an event with a phase.
func (g *legacy) thread(o *occurrence) (id threadID, ok bool) {
	id, ok = o.sequence.thread, o.sequence.hasThread
	if g.hasPID {
		id, ok = threadID{processOn(o.packet.machine, g.pid), -1}, true
	}
	if g.hasTID && ok {
		id.tid = g.tid
	}
	return id, ok
}

// legacyTimeline returns the timeline of an event with a phase, or nil if it cannot be
// determined.
func (x *eventReader) legacyTimeline(o *occurrence, g *legacy) *timeline {
	ts, machine, uuid := x.tracks, o.packet.machine, o.uuid()
	thread, known := g.thread(o)
	if t := ts.described[uuid]; t != nil && uuid != 0 {
		switch {
		case t.hasThread:
			thread, known = t.thread, true
		case t.hasProcess:
			thread, known = threadID{t.pid, -1}, true
		}
	}
	switch g.phase {
	case 'b', 'e', 'n', 'S', 'T', 'p', 'F':
		return x.asyncTimeline(o, g, thread, known)
	case 'i', 'I':
		switch {
		case g.instantScope == scopeGlobal:
			return ts.keyed(timelineKey{kind: instants}, timeline{scope: ofTrace, name: "Instants", machine: machine})
		case g.instantScope == scopeProcess && known:
			return ts.keyed(timelineKey{instants, uint64(thread.pid), "process"}, timeline{pid: thread.pid, name: "Instants", machine: machine})
		}
	}
	if uuid != 0 {
		return ts.timeline(machine, o.sequence, uuid, o.name.text)
	}
	if known {
		return ts.threadTimeline(machine, thread)
	}
	return ts.timeline(machine, o.sequence, 0, nil)
}

// asyncID identifies the events of one asynchronous slice.
type asyncID struct {
	pid processID // 0 if the id is global
	id  uint64
}

// knownAsync bounds how many asyncIDs are remembered, each with a name.
const knownAsync = 1 << 15

// asyncTimeline returns the timeline of asynchronous events with a phase. Events with the
// same id belong together, whatever their names: the first one gives the name.
func (x *eventReader) asyncTimeline(o *occurrence, g *legacy, thread threadID, known bool) *timeline {
	if !g.hasID || g.local && !known {
		return nil
	}
	id := asyncID{id: g.id}
	if g.local {
		id.pid = thread.pid
	}
	if x.asyncNames == nil {
		x.asyncNames = fit.NewMap[asyncID, string](knownAsync)
	}
	root, ok := x.asyncNames.Get(id)
	if !ok {
		root = fit.Name(o.name.text)
		x.asyncNames.Put(id, root)
	}
	scope := fit.Name(o.category.text)
	switch g.phase {
	case 'S', 'T', 'p', 'F':
		scope = fit.Name(o.name.text)
	}
	if g.scope != nil {
		scope = fit.Name(o.category.text) + ":" + fit.Name(g.scope)
	}
	key := timelineKey{asyncTimeline, uint64(id.pid), strconv.Quote(scope) + root}
	return x.tracks.keyed(key, timeline{joined: true, pid: id.pid, name: root, machine: o.packet.machine})
}

// metadata reads an event that names a thread or a process.
func (x *eventReader) metadata(o *occurrence, g *legacy) {
	e := o.event
	id, ok := g.thread(o)
	name := ""
	if len(e.annotations) > 0 {
		var n annotation
		if n.parse(e.annotations[0]) && n.kind == annotationString {
			name = fit.Name(n.raw)
		}
	}
	switch what := string(o.name.text); {
	case ok && what == "thread_name":
		x.tracks.names.nameThread(id, name)
	case ok && what == "process_name":
		x.tracks.names.nameProcess(id.pid, name)
	default:
		x.left.Count(unknownEvents, 1, o.packet.offset)
	}
}
