package perfetto

import (
	"strconv"
	"unicode/utf8"

	"tracex/recorder/convert/spool"
)

// line is where events of one track go, or of several tracks that are shown as
// one: its records become one thread of the trace, or several when tracks that
// are joined have slices at the same time.
type line struct {
	records *spool.Stream
	joined  bool   // several tracks: each record says which
	parent  uint64 // of ofUnknown: the track itself
	name    string
	track   *track // the one it is of, when it is of one
	thread  threadID
	pid     processID
	machine uint32
	scope   scope
	order   int // of first appearance

	// When all is read:
	more    []*spool.Stream // records of tracks that were described too late
	shown   string          // how its thread is named
	process string          // name of its process
	title   string          // name of its thread
}

// scope is what a line is of: it says how its thread is named, and in which
// order the threads of the trace stand.
type scope uint8

const (
	ofTrack   scope = iota // of whatever its parents are
	ofThread               // a thread itself
	ofProcess              // a process itself
	ofUnknown              // of a track that was not described when it began
	ofTrace                // of all
)

// lineKey is what lines are found by that are of no single described track.
type lineKey struct {
	kind   byte
	parent uint64 // or the number of a thread or process
	text   string
}

// Kinds of lineKey.
const (
	byName    = 'n' // tracks of one name under one parent
	byThread  = 't' // a thread, by the old way to say so
	unknown   = 'u' // a track that is not described
	triggers  = 'T'
	asyncLine = 'a' // see legacy events
	instants  = 'i'
)

const (
	// knownTracks bounds how many tracks and lines there are. Events of more
	// are left out.
	knownTracks = 1 << 16
	// knownJoined bounds how many tracks of those that are joined are
	// remembered: a program may have one for each event.
	knownJoined = 1 << 19
	// knownUnknown bounds how many tracks may wait to be described.
	knownUnknown = 1 << 12
)

// maxName bounds the names of tracks, threads and processes, in bytes: they are all
// kept in memory.
const maxName = 1 << 10

// clip returns a name that is kept.
func clip(name []byte) string {
	if len(name) <= maxName {
		return string(name)
	}
	end := maxName
	for end > maxName-utf8.UTFMax && !utf8.RuneStart(name[end]) {
		end--
	}
	return string(name[:end]) + "…"
}

// newLine begins a line, or returns nil when there are too many.
func (ts *tracks) newLine(l line) *line {
	if len(ts.lines) >= knownTracks {
		return nil
	}
	l.records, l.order = ts.spool.Stream(), len(ts.lines)
	ts.lines = append(ts.lines, &l)
	return &l
}

// keyed returns the line with a key, which is made of l if it is new; nil when
// there are too many.
func (ts *tracks) keyed(key lineKey, l line) *line {
	known := ts.keys[key]
	if known == nil {
		if known = ts.newLine(l); known != nil {
			ts.keys[key] = known
		}
	}
	return known
}

// line returns where events of a track go; nil when there are too many. machine is
// that of the packet, event the name of the event, which names a track that has no
// name.
func (ts *tracks) line(machine uint32, s *sequence, uuid uint64, event []byte) *line {
	if s.lastLine != nil && s.last == uuid {
		return s.lastLine
	}
	l := ts.findLine(machine, uuid, event)
	s.last, s.lastLine = uuid, l
	return l
}

func (ts *tracks) findLine(machine uint32, uuid uint64, event []byte) *line {
	t := ts.described[uuid]
	if t == nil {
		if l, ok := ts.joined.get(uuid); ok {
			return l
		}
		return ts.undescribed(machine, uuid, event)
	}
	if t.line == nil {
		t.line = ts.lineOf(t, machine, event)
	}
	if t.line != nil && t.line.joined {
		// The line knows all that there is to know.
		ts.joined.put(uuid, t.line)
		delete(ts.described, uuid)
	}
	return t.line
}

// lineOf begins the line of a described track, or joins the track with others.
func (ts *tracks) lineOf(t *track, machine uint32, event []byte) *line {
	switch {
	case t.hasThread:
		return ts.newLine(line{scope: ofThread, track: t, thread: t.thread, pid: t.thread.pid, machine: machine})
	case t.hasProcess:
		return ts.newLine(line{scope: ofProcess, track: t, pid: t.pid, machine: machine})
	case t.counter != nil, t.state, t.apart:
		return ts.newLine(line{track: t, parent: t.parent, name: t.name, machine: machine})
	}
	name := t.name
	if name == "" {
		name = clip(event)
	}
	key := lineKey{byName, rootOf(t.machine, t.parent), name}
	if t.key != "" {
		key.text = t.key
	}
	return ts.keyed(key, line{joined: true, parent: t.parent, name: name, machine: machine})
}

// undescribed returns the line of a track of which nothing is known: a
// description may come later.
func (ts *tracks) undescribed(machine uint32, uuid uint64, event []byte) *line {
	if uuid == 0 {
		return ts.keyed(lineKey{byName, 0, "Default Track"}, line{joined: true, name: "Default Track", machine: machine})
	}
	if l := ts.keys[lineKey{unknown, uuid, ""}]; l != nil {
		return l
	}
	if ts.unknown < knownUnknown {
		ts.unknown++
		return ts.keyed(lineKey{unknown, uuid, ""}, line{scope: ofUnknown, joined: true, parent: uuid, name: clip(event), machine: machine})
	}
	l := ts.keyed(lineKey{byName, rootOf(machine, 0), clip(event)}, line{joined: true, name: clip(event), machine: machine})
	if l != nil {
		ts.joined.put(uuid, l)
	}
	return l
}

// writerLine returns the line of the thread that writes a sequence; nil when it
// is not known to be a thread.
func (ts *tracks) writerLine(machine uint32, s *sequence) *line {
	if t := ts.described[s.track]; s.track != 0 && t != nil {
		if t.hasThread {
			return ts.line(machine, s, s.track, nil)
		}
		return nil
	}
	if s.track == 0 && s.hasThread {
		return ts.threadLine(machine, s.thread)
	}
	return nil
}

// threadLine returns the line of a thread, by the old way to say which.
func (ts *tracks) threadLine(machine uint32, id threadID) *line {
	if uuid, known := ts.threads[id]; known {
		return ts.findLine(machine, uuid, nil)
	}
	return ts.keyed(lineKey{byThread, uint64(id.tid), strconv.FormatInt(int64(id.pid), 10)}, line{scope: ofThread, thread: id, pid: id.pid, machine: machine})
}
