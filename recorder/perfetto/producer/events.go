package producer

import (
	"sync"
	"sync/atomic"

	"tracex/recorder/internal/perfetto/smb"
)

// Events is the data source of track events: slices, instants and counters on
// tracks, as every tool of Perfetto shows them.
//
//	events, err := p.Events(producer.EventsOptions{})
//	load := events.Name("shop", "load")         // once each
//	count := events.Key("count")
//	…
//	track := events.Goroutine("worker 7")       // one for each goroutine
//	slice := track.Slice(load, producer.Int(count, 12))
//	…
//	slice.End()
//
// Methods may be called from any goroutine; see [Track] for its methods.
type Events struct {
	source  *DataSource
	late    func() // nil if the program records all events at once
	clock   eventClock
	process *Track
	pid     int

	active atomic.Pointer[[]*eventSession] // nil if no session wants events
	tracks atomic.Uint32                   // number of tracks made

	mu         sync.Mutex // guards the fields below
	categories []Category
	names      map[nameKey]*Name
	keys       map[string]*Key
}

// Category is a category of events. Sessions choose by its name or by its tags. They
// leave out categories with the tag "slow" or "debug" unless they ask for them.
type Category struct {
	Name, Description string
	Tags              []string
}

// EventsOptions configure the events.
type EventsOptions struct {
	// Categories are announced to sessions. Other categories are added when a Name uses
	// them.
	Categories []Category
	// Policy is what writers do when the memory is full.
	Policy Policy
	// Late, if not nil, is called when a session flushes and before it ends, so that a
	// program that records events some time after they happened can catch up. The rules
	// for the callbacks of [DataSourceSpec] apply.
	Late func()
}

type nameKey struct{ category, text string }

// Name is the name of events, with their category.
type Name struct {
	id       int // from 0; on the wire from 1
	category int // number of the category, as id
	text     string
	of       string // of the category
	begin    []byte // the field track_event of a slice begin with this name, without arguments
	instant  []byte
}

// Key is the name of an argument.
type Key struct {
	id   int
	text string
}

// Track is a track of events, in most programs those of one goroutine. Only one
// goroutine at a time may call its methods. The methods of a nil Track do nothing.
//
// Tracks are cheap and need not be closed: a program may have any number, which
// share a few writers.
type Track struct {
	e          *Events
	uuid       uint64
	descriptor []byte // fields of the packet that describes it, after the time
	field      []byte // field track_uuid of its events
	parent     *Track // to be described first; nil if only the process is
	number     uint32 // selects the writer

	// Where the track was last described.
	slot  *slot
	round uint32
}

// Counter is a value that changes over time. Any goroutine may set it.
type Counter struct {
	track Track
	name  *Name
}

// CounterOptions describe what a counter counts.
type CounterOptions struct {
	Unit     string // name of the unit, such as "requests"; may be ""
	Bytes    bool   // the unit is the byte
	Nanos    bool   // the unit is the nanosecond
	Multiply int64  // factor for values; 0 means 1
	// Delta means that a value is the difference from the previous one set with the same
	// track.
	Delta bool
}

// eventSession is the state of the events of one session. Goroutines share its
// slots, each with a writer, which is a sequence of packets for readers.
type eventSession struct {
	e        *Events
	instance *Instance
	chosen   atomic.Pointer[[]bool] // whether a category is wanted, by its number
	slots    []slot                 // their number is a power of two

	multiplier uint64 // nanoseconds per unit of time
	absolute   bool   // times are not relative to the previous one
	bare       bool   // without arguments
}

// slot is a writer and the state that its sequence has written so far. The lock is
// held while a packet is made; if there are enough slots, each goroutine has its
// own.
type slot struct {
	mu     sync.Mutex
	w      *smb.Writer // nil if none yet
	closed bool
	last   uint64 // time of the last packet, in units
	home   uint64 // the default track of events
	round  uint32 // how often the sequence was reset

	names, keys, categories set
	described               map[uint64]struct{} // tracks, by uuid
	buf, body, interned     []byte              // scratch
	_                       [64]byte            // slots do not share a cache line
}

// maxDescribed is how many described tracks a sequence remembers.
const maxDescribed = 1 << 12

// set is a set of small numbers.
type set []uint64

func (s set) has(i int) bool { return i>>6 < len(s) && s[i>>6]>>(i&63)&1 != 0 }

func (s *set) add(i int) {
	for i>>6 >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[i>>6] |= 1 << (i & 63)
}
