package perfetto

import (
	"cmp"

	"google.golang.org/protobuf/encoding/protowire"
)

// track is what a TrackDescriptor says of the place that events happen on.
type track struct {
	uuid, parent uint64
	hasUUID      bool
	name         string
	title        string   // of a thread's or a process's own track: what that is called
	thread       threadID // of a thread's own track
	hasThread    bool
	pid          processID // of a process's own track
	machine      uint32
	hasProcess   bool
	counter      *counter // of a counter's track
	state        bool     // its events say what goes on until the next
	apart        bool     // is not joined with others of its name
	key          string   // joins it with others of this key; "": of its name
	line         *line    // where its events go; nil: there were none
}

// counter is what a CounterDescriptor says.
type counter struct {
	name        string // for one whose track has none
	unit        string
	multiplier  int64
	incremental bool
	variable    int32 // number of the variable that stands for it, by type
	real        int32
	numbered    bool
}

// Numbers of fields of TrackDescriptor.
const (
	trackUUID       = 1
	trackName       = 2
	trackProcess    = 3
	trackThread     = 4
	trackParent     = 5
	trackChrome     = 6 // what Chrome says of its process
	trackChromeMore = 7 // and of its thread
	trackCounter    = 8
	trackStaticName = 10
	trackAtraceName = 13
	trackMerging    = 15
	trackMergeKey   = 16
	trackMergeInt   = 17
	trackState      = 18
)

// Ways to join tracks, the field trackMerging. All others are by name.
const (
	mergeNone  = 2
	mergeByKey = 3
)

// parseTrack reads a TrackDescriptor, and passes on what it says of processes
// and threads.
func (c *Converter) parseTrack(b []byte) (t track, s threadDescriptor, ok bool) {
	var key, process string
	var merging, chrome uint64
	var named protowire.Number // the field that the name is from
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case trackUUID:
			t.uuid, t.hasUUID = f.value, true
		case trackName, trackStaticName, trackAtraceName:
			if named == 0 || f.number <= named { // the first of them counts
				t.name, named = clip(f.raw), f.number
			}
		case trackProcess:
			t.pid, process, ok = c.readProcess(f.raw)
			f.bad = f.bad || !ok
			t.hasProcess = true
		case trackThread:
			s, ok = c.readThread(f.raw)
			f.bad = f.bad || !ok
			t.thread, t.hasThread = s.threadID, true
		case trackChrome, trackChromeMore:
			chrome, ok = typeOf(f.raw)
			f.bad = f.bad || !ok
		case trackParent:
			t.parent = f.value
		case trackCounter:
			t.counter, ok = readCounter(f.raw)
			f.bad = f.bad || !ok
		case trackMerging:
			merging = f.value
		case trackMergeKey:
			key = "key " + clip(f.raw)
		case trackMergeInt:
			key = "number " + string(protowire.AppendVarint(nil, f.value))
		case trackState:
			t.state = true
		}
	}
	// One that says several things is the first of these.
	switch {
	case t.hasThread:
		t.title, t.hasProcess, t.state = cmp.Or(s.name, chromeThreads[chrome]), false, false
	case t.hasProcess:
		t.title, t.state = cmp.Or(process, chromeProcesses[chrome]), false
	case t.counter != nil:
		t.state = false
	}
	t.machine = c.current.machine
	t.uuid, t.parent = trackOn(t.machine, t.uuid), trackOn(t.machine, t.parent)
	switch merging {
	case mergeNone:
		t.apart = true
	case mergeByKey:
		t.key = "by " + key
	}
	return t, s, !f.bad
}

// readCounter reads a CounterDescriptor.
func readCounter(b []byte) (*counter, bool) {
	c := &counter{}
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case 1: // a kind that has a name and a unit of its own
			switch f.value {
			case 1:
				c.name, c.unit = "thread_time", "ns"
			case 2:
				c.name = "thread_instruction_count"
			}
		case 3:
			if c.unit == "" {
				c.unit = [...]string{"", "ns", "", "bytes", ""}[min(f.value, 4)]
			}
		case 4:
			c.multiplier = int64(f.value)
		case 5:
			c.incremental = f.value != 0
		case 6:
			c.unit = clip(f.raw)
		}
	}
	return c, !f.bad
}

// trackDescriptor reads a packet that describes a track. What one says first of
// where a track belongs holds; names may come later, and change.
func (c *Converter) trackDescriptor(p *packet, s *sequence) error {
	t, written, ok := c.parseTrack(p.data)
	if !ok {
		c.leave(damaged, p)
		return nil
	}
	// Track 0 is that of no other: it has no parent.
	if !t.hasUUID || t.uuid == 0 && t.parent != 0 {
		c.leave(withoutUUID, p)
		return nil
	}
	if t.hasThread && s != nil && s.valid {
		s.writtenBy(written)
	}
	if known := c.tracks[t.uuid]; known != nil {
		if t.name != "" && (known.name == "" || known.apart) {
			known.name = t.name
		}
		if t.title != "" {
			known.title = t.title
		}
		return nil
	}
	if _, joined := c.joined.get(t.uuid); joined {
		return nil
	}
	if len(c.tracks) >= knownTracks {
		c.leave(tooManyTracks, p)
		return nil
	}
	c.tracks[t.uuid] = &t
	if t.hasThread {
		c.threads[t.thread] = t.uuid
	}
	if _, known := c.processes[t.pid]; t.hasProcess && !known {
		c.processes[t.pid] = t.uuid
	}
	if s != nil {
		s.lastLine = nil
	}
	return nil
}
