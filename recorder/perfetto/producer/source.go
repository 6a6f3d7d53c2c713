package producer

import (
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/messages"
	"tracex/recorder/internal/perfetto/smb"
)

// Source is a data source, as its owner describes it.
//
// The callbacks run in the goroutine that reads what the service says, one at a
// time over all sources. They must not take long, and must not wait for the
// service. All may be nil.
type Source struct {
	Name string
	// Descriptor is what else sessions should know of it, say its categories. The
	// Producer fills in name and id.
	Descriptor *messages.DataSourceDescriptor

	// SetUp is called for each new instance, before it starts: when a session that
	// names the source is made.
	SetUp func(*Instance)
	// Start says that packets are wanted from now on.
	Start func(*Instance)
	// Stop says that they are not any more, because the session ends, or that there
	// is no service any more: it has gone, or the Producer was closed. What is written
	// until Stop returns is still in the trace of a session that ends.
	Stop func(*Instance)
	// Flush says that what was written so far should be given to the service. What
	// went through the instance is, behind the callback.
	Flush func(*Instance, FlushReason)
	// Clear says that what earlier packets said will be forgotten by who reads
	// later ones, so it has to be said again.
	Clear func(*Instance)

	// Policy is what writers do when the memory is full, if the session does not
	// say.
	Policy smb.Policy
	// Writers is how many writers there are at most for all that goes through
	// [Instance.Use] and [Instance.Write]. Chosen by the size of the memory if 0.
	Writers int
	// NoFlush says that flushes need not ask the source: what it writes can be
	// scraped at any time.
	NoFlush bool
}

// FlushReason tells why a flush is asked for: reason | initiator << 4 | target of
// a clone << 8, with Perfetto's numbers; 0 if an old service does not say.
type FlushReason uint64

// DataSource is a source that was registered. Its methods may be called by any
// goroutine.
type DataSource struct {
	Source
	p       *Producer
	id      uint64
	started atomic.Pointer[[]*Instance] // replaced at each change, under the Producer's lock
}

// descriptor is what the service gets to know. The Producer's lock is held.
func (d *DataSource) descriptor() *messages.DataSourceDescriptor {
	m := &messages.DataSourceDescriptor{}
	if d.Descriptor != nil {
		m = proto.CloneOf(d.Descriptor)
	}
	m.Name, m.Id = proto.String(d.Name), proto.Uint64(d.id)
	m.WillNotifyOnStart, m.WillNotifyOnStop = proto.Bool(true), proto.Bool(true)
	m.HandlesIncrementalStateClear = proto.Bool(true)
	m.NoFlush = proto.Bool(d.NoFlush)
	return m
}

// Instances returns those that are started. The slice must not be changed.
func (d *DataSource) Instances() []*Instance {
	if list := d.started.Load(); list != nil {
		return *list
	}
	return nil
}

// Update tells the service that the descriptor is another one. A service that is
// too old for this hears of it when it is next connected.
func (d *DataSource) Update(m *messages.DataSourceDescriptor) {
	d.p.mu.Lock()
	defer d.p.mu.Unlock()
	d.Descriptor = m
	if c := d.p.conn; c != nil {
		err := c.port.Call("UpdateDataSource", &messages.UpdateDataSourceRequest{DataSourceDescriptor: d.descriptor()}, func(ipc.Reply) {})
		if err != nil && c.port.Has("UpdateDataSource") {
			c.notSent(d, err)
		}
	}
}

// Unregister withdraws the source. The service stops its instances.
func (d *DataSource) Unregister() {
	if c := d.p.unregister(d); c != nil {
		c.send("UnregisterDataSource", &messages.UnregisterDataSourceRequest{DataSourceName: proto.String(d.Name)})
	}
}

// source finds what a session names.
func (p *Producer) source(name string) *DataSource {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.sources {
		if d.Name == name {
			return d
		}
	}
	return nil
}
