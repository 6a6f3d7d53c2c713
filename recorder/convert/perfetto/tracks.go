package perfetto

import (
	"cmp"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/spool"
)

// tracks holds what the trace tells about tracks, threads and processes, and the
// timelines of their events.
type tracks struct {
	described map[uint64]*track    // those that are not joined
	threads   map[threadID]uint64  // their tracks
	processes map[processID]uint64 // the first track of each
	names     names
	joined    *fit.Map[uint64, *timeline]
	timelines []*timeline
	keys      map[timelineKey]*timeline
	unknown   int  // timelines of tracks without a description
	several   bool // there are several machines
	spool     *spool.Spool
	left      *fit.Tally
}

func newTracks(s *spool.Spool, left *fit.Tally) *tracks {
	return &tracks{
		described: make(map[uint64]*track),
		threads:   make(map[threadID]uint64),
		processes: make(map[processID]uint64),
		names:     names{make(map[processID]string), make(map[threadID]string)},
		joined:    fit.NewMap[uint64, *timeline](knownJoined),
		keys:      make(map[timelineKey]*timeline),
		spool:     s,
		left:      left,
	}
}

// track is a described track.
type track struct {
	uuid, parent uint64
	hasUUID      bool
	name         string
	title        string   // of a thread's or a process's own track: its name
	thread       threadID // of a thread's own track
	hasThread    bool
	pid          processID // of a process's own track
	machine      uint32
	hasProcess   bool
	counter      *counter  // of a counter's track
	state        bool      // its events are states that last until the next
	apart        bool      // must not be joined with others of its name
	key          string    // joins it with others of this key; if "", of its name
	timeline     *timeline // the timeline of its events; nil if there were none
}

// counter is a CounterDescriptor.
type counter struct {
	name        string // used if its track has no name
	unit        string
	multiplier  int64
	incremental bool
	variable    int32 // number of its variable, by type
	real        int32
	numbered    bool
}

// Numbers of fields of TrackDescriptor.
const (
	trackUUID       = pbfield.TrackDescriptor_Uuid
	trackName       = pbfield.TrackDescriptor_Name
	trackProcess    = pbfield.TrackDescriptor_Process
	trackThread     = pbfield.TrackDescriptor_Thread
	trackParent     = pbfield.TrackDescriptor_ParentUuid
	trackChrome     = 6 // Chrome's description of its process
	trackChromeMore = 7 // and of its thread
	trackCounter    = pbfield.TrackDescriptor_Counter
	trackStaticName = pbfield.TrackDescriptor_StaticName
	trackAtraceName = pbfield.TrackDescriptor_AtraceName
	trackMerging    = pbfield.TrackDescriptor_SiblingMergeBehavior
	trackMergeKey   = pbfield.TrackDescriptor_SiblingMergeKey
	trackMergeInt   = pbfield.TrackDescriptor_SiblingMergeKeyInt
	trackState      = pbfield.TrackDescriptor_State
)

// Values of the field trackMerging. All others join by name.
const (
	mergeNone  = pbfield.TrackDescriptor_SIBLING_MERGE_BEHAVIOR_NONE
	mergeByKey = pbfield.TrackDescriptor_SIBLING_MERGE_BEHAVIOR_BY_SIBLING_MERGE_KEY
)

// parseTrack decodes a TrackDescriptor, and records the processes and threads in it.
func (ts *tracks) parseTrack(machine uint32, b []byte) (t track, s threadDescriptor, ok bool) {
	var key, process string
	var merging, chrome uint64
	var named protowire.Number // the field from which the name was taken
	f := fields{rest: b}
	for f.next() {
		switch f.number {
		case trackUUID:
			t.uuid, t.hasUUID = f.value, true
		case trackName, trackStaticName, trackAtraceName:
			if named == 0 || f.number <= named { // the first of them counts
				t.name, named = fit.Name(f.raw), f.number
			}
		case trackProcess:
			t.pid, process, ok = ts.names.readProcess(machine, f.raw)
			f.bad = f.bad || !ok
			t.hasProcess = true
		case trackThread:
			s, ok = ts.names.readThread(machine, f.raw)
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
			key = "key " + fit.Name(f.raw)
		case trackMergeInt:
			key = "number " + string(protowire.AppendVarint(nil, f.value))
		case trackState:
			t.state = true
		}
	}
	// If it describes several things, the first case below counts.
	switch {
	case t.hasThread:
		t.title, t.hasProcess, t.state = cmp.Or(s.name, chromeThreads[chrome]), false, false
	case t.hasProcess:
		t.title, t.state = cmp.Or(process, chromeProcesses[chrome]), false
	case t.counter != nil:
		t.state = false
	}
	t.machine = machine
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
		case 1: // a kind with a fixed name and unit
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
			c.unit = fit.Name(f.raw)
		}
	}
	return c, !f.bad
}

// trackDescriptor reads a packet that describes a track. The first description of a
// track's parent counts; names may arrive later, and change.
func (ts *tracks) trackDescriptor(p *packet, s *sequence) {
	t, written, ok := ts.parseTrack(p.machine, p.data)
	if !ok {
		ts.left.Count(damaged, 1, p.offset)
		return
	}
	// Track 0 is never a child: it has no parent.
	if !t.hasUUID || t.uuid == 0 && t.parent != 0 {
		ts.left.Count(withoutUUID, 1, p.offset)
		return
	}
	if t.hasThread && s != nil && s.valid {
		s.writtenBy(written)
	}
	if known := ts.described[t.uuid]; known != nil {
		if t.name != "" && (known.name == "" || known.apart) {
			known.name = t.name
		}
		if t.title != "" {
			known.title = t.title
		}
		return
	}
	if _, joined := ts.joined.Get(t.uuid); joined {
		return
	}
	if len(ts.described) >= knownTracks {
		ts.left.Count(tooManyTracks, 1, p.offset)
		return
	}
	ts.described[t.uuid] = &t
	if t.hasThread {
		ts.threads[t.thread] = t.uuid
	}
	if _, known := ts.processes[t.pid]; t.hasProcess && !known {
		ts.processes[t.pid] = t.uuid
	}
	if s != nil {
		s.lastTimeline = nil
	}
}
