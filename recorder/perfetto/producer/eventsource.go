package producer

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

// trackEvent is the name of the data source, which no other has.
const trackEvent = "track_event"

// maxAnnounced is how many categories are announced to the service when they are
// added, each time with all earlier ones. Sessions can also choose the others.
const maxAnnounced = 256

// announcedBytes is the maximum size of the announced categories, and categoryAround
// the overhead of each.
const (
	announcedBytes = ipc.MaxFrame / 2
	categoryAround = 8
)

// Events registers the source of track events. A program can have one.
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
	e.source, err = p.Register(DataSourceSpec{
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

// Source returns the data source, for example for [DataSource.StartUp].
func (e *Events) Source() *DataSource { return e.source }

// available describes the categories, as many as surely fit into a frame. Called
// with mu held, or before e is shared.
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

// Name returns the name of events of a category. The caller should keep it.
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

// category returns the number of a category, which it adds if new. Called with mu
// held.
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
	if len(e.categories) <= maxAnnounced {
		e.source.Update(e.available())
	}
	return len(e.categories) - 1
}

// Key returns the name of an argument. The caller should keep it.
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

// Enabled reports whether any session wants events with this name. It is useful for
// arguments that take long to compute.
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

// catchUp has the program record the events that it is late with.
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
