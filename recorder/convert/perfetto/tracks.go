package perfetto

import (
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/spool"
)

// A trace may contain data of several machines: that of the service, whose number is
// 0, and others. Each numbers its tracks and its processes separately, and has its
// own clocks.

// processID is a process: its machine in the upper half, its number in the lower.
type processID int64

func (p processID) pid() int32 { return int32(p) }

func (p processID) machine() uint32 { return uint32(p >> 32) }

func processOn(machine uint32, pid int32) processID {
	return processID(uint64(machine)<<32 | uint64(uint32(pid)))
}

// spread is an odd number with evenly spread bits.
const spread = 0x9e3779b97f4a7c15

// trackOn returns the number that identifies a track of a machine. Every machine has
// a track 0.
func trackOn(machine uint32, uuid uint64) uint64 {
	if uuid == 0 {
		return 0
	}
	return uuid ^ uint64(machine)*spread
}

func tracksOn(machine uint32, uuids []uint64) {
	for i := range uuids {
		uuids[i] = trackOn(machine, uuids[i])
	}
}

// rootOf replaces a missing parent, so that tracks with the same name on different
// machines are not joined.
func rootOf(machine uint32, parent uint64) uint64 {
	if parent == 0 {
		return uint64(machine) * spread
	}
	return parent
}

// threadID identifies a thread of a process, by the system's numbers.
type threadID struct {
	pid processID
	tid int64
}

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
