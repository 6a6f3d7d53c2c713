package producer

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/messages"
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
// Methods may be called by any goroutine; see [Track] for its.
type Events struct {
	source  *DataSource
	late    func() // nil: all is told at once
	clock   eventClock
	process *Track
	pid     int

	active atomic.Pointer[[]*eventSession] // nil: nobody wants events
	tracks atomic.Uint32                   // how many were made

	mu         sync.Mutex // guards what follows
	categories []Category
	names      map[nameKey]*Name
	keys       map[string]*Key
}

// Category is what sessions choose events by: its name, or one of its tags. Those
// with the tag "slow" or "debug" are left out if a session does not ask for them.
type Category struct {
	Name, Description string
	Tags              []string
}

// EventsOptions say what is known of the events from the start.
type EventsOptions struct {
	// Categories that sessions should know of. Others come into being when a Name
	// has them.
	Categories []Category
	// Policy is what writers do when the memory is full.
	Policy smb.Policy
	// Late, if not nil, is called when a session wants what happened so far, and
	// before it ends: for a program that tells of events some time after they
	// happened. It is one of the callbacks of [Source].
	Late func()
}

// trackEvent is the name of the data source, and of nothing else.
const trackEvent = "track_event"

// mostAnnounced is how many categories the service is told of as they come into
// being: each time of all. Sessions can choose the others too.
const mostAnnounced = 256

// announcedBytes is how much the service is told of categories at most, and
// categoryAround what each takes besides itself.
const (
	announcedBytes = ipc.MaxFrame / 2
	categoryAround = 8
)

type nameKey struct{ category, text string }

// Name is what events are called, with their category.
type Name struct {
	id       int // from 0; on the wire one more
	category int // so too
	text     string
	of       string // the category's
	begin    []byte // the field track_event of one that begins here, without arguments
	instant  []byte
}

// Key is the name of an argument.
type Key struct {
	id   int
	text string
}

// Events registers the source of track events. A program has one.
func (p *Producer) Events(o EventsOptions) (*Events, error) {
	e := &Events{late: o.Late, pid: os.Getpid(), names: map[nameKey]*Name{}, keys: map[string]*Key{}}
	e.clock.begin(bootTime)
	e.process = &Track{e: e, uuid: rand.Uint64()}
	e.process.descriptor = e.describeProcess(p.options.Name)
	e.process.field = appendUUID(nil, e.process.uuid)
	for _, c := range o.Categories {
		if !slices.ContainsFunc(e.categories, func(known Category) bool { return known.Name == c.Name }) {
			e.categories = append(e.categories, c)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var err error
	e.source, err = p.Register(Source{
		Name: trackEvent, Descriptor: e.available(), Policy: o.Policy, NoFlush: o.Late == nil,
		SetUp: e.setUp, Start: e.start, Stop: e.stop,
		Flush: func(*Instance, FlushReason) { e.catchUp() },
		Clear: func(i *Instance) { i.Value.(*eventSession).each((*smb.Writer).Renew) },
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Source returns the data source, for [DataSource.StartUp] say.
func (e *Events) Source() *DataSource { return e.source }

// available describes the categories, as many as one frame is sure to hold. mu is
// held, or nobody else knows e.
func (e *Events) available() *messages.DataSourceDescriptor {
	m := &messages.TrackEventDescriptor{}
	room := announcedBytes
	for _, c := range e.categories {
		category := &messages.TrackEventCategory{Name: proto.String(c.Name), Tags: c.Tags}
		if c.Description != "" {
			category.Description = proto.String(c.Description)
		}
		if room -= proto.Size(category) + categoryAround; room < 0 {
			break
		}
		m.AvailableCategories = append(m.AvailableCategories, category)
	}
	return &messages.DataSourceDescriptor{TrackEventDescriptor: m}
}

// Name returns the name of events of a category. To be kept by the caller.
func (e *Events) Name(category, text string) *Name {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := nameKey{category, text}
	if n := e.names[key]; n != nil {
		return n
	}
	n := &Name{id: len(e.names), category: e.category(category), text: text, of: category}
	n.begin, n.instant = n.event(typeBegin), n.event(typeInstant)
	e.names[key] = n
	return n
}

// category returns the number of a category, which may be new. mu is held.
func (e *Events) category(name string) int {
	i := slices.IndexFunc(e.categories, func(c Category) bool { return c.Name == name })
	if i >= 0 {
		return i
	}
	e.categories = append(e.categories, Category{Name: name})
	if list := e.active.Load(); list != nil {
		for _, s := range *list {
			s.choose(e.categories)
		}
	}
	if len(e.categories) <= mostAnnounced {
		e.source.Update(e.available())
	}
	return len(e.categories) - 1
}

// Key returns the name of an argument. To be kept by the caller.
func (e *Events) Key(text string) *Key {
	e.mu.Lock()
	defer e.mu.Unlock()
	k := e.keys[text]
	if k == nil {
		k = &Key{id: len(e.keys), text: text}
		e.keys[text] = k
	}
	return k
}

// Enabled says whether any session wants events with this name: for arguments that
// take long to make.
func (e *Events) Enabled(n *Name) bool {
	if list := e.active.Load(); list != nil {
		for _, s := range *list {
			if s.wants(n) {
				return true
			}
		}
	}
	return false
}

func (e *Events) setUp(i *Instance) { i.Value = newEventSession(e, i) }

func (e *Events) start(i *Instance) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := i.Value.(*eventSession)
	s.choose(e.categories)
	list := []*eventSession{s}
	if old := e.active.Load(); old != nil {
		list = append(list, *old...)
	}
	e.active.Store(&list)
}

// catchUp has the program tell of what happened so far.
func (e *Events) catchUp() {
	if e.late != nil {
		e.late()
	}
}

func (e *Events) stop(i *Instance) {
	e.catchUp()
	e.mu.Lock()
	s := i.Value.(*eventSession)
	var list []*eventSession
	if old := e.active.Load(); old != nil {
		list = slices.DeleteFunc(slices.Clone(*old), func(other *eventSession) bool { return other == s })
	}
	if len(list) == 0 {
		e.active.Store(nil)
	} else {
		e.active.Store(&list)
	}
	e.mu.Unlock()
	s.close()
}

func (e *Events) describeProcess(name string) []byte {
	return packetOf(&messages.TrackDescriptor{
		Uuid: proto.Uint64(e.process.uuid),
		Process: &messages.ProcessDescriptor{
			Pid: proto.Int32(int32(e.pid)), Cmdline: os.Args, ProcessName: proto.String(filepath.Base(name)),
		},
	})
}
