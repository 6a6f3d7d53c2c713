package producer

import (
	"slices"
	"strings"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// DataSourceSpec describes a data source, for [Producer.Register].
//
// The callbacks run in the goroutine that reads from the service, one at a time over
// all sources. They must return soon, and must not wait for the service. All may be
// nil.
type DataSourceSpec struct {
	Name string
	// Descriptor is further information for sessions, for example the categories. The
	// Producer fills in name and id.
	Descriptor *messages.DataSourceDescriptor

	// SetUp is called for each new instance, before it starts: when a session is made
	// that names the source.
	SetUp func(*Instance)
	// Start is called when the session wants packets from now on.
	Start func(*Instance)
	// Stop is called when it no longer does: the session ends, the connection is lost,
	// or the Producer was closed. Packets written before Stop returns are still in the
	// trace of a session that ends.
	Stop func(*Instance)
	// Flush is called to have written packets passed to the service. Packets written
	// through the instance are passed on after the callback.
	Flush func(*Instance, FlushReason)
	// Clear is called when readers will no longer know the contents of earlier packets,
	// so that state has to be written again.
	Clear func(*Instance)

	// Policy is what writers do when the memory is full, unless the session's config
	// sets it.
	Policy Policy
	// Writers is the maximum number of writers for [Instance.Use] and [Instance.Write].
	// If 0 it depends on the size of the memory.
	Writers int
	// NoFlush means that flushes need not call the source: its packets can be scraped at
	// any time.
	NoFlush bool
}

// FlushReason is the reason for a flush: reason | initiator << 4 | target of a clone
// << 8, with Perfetto's numbers; 0 if an old service does not send it.
type FlushReason uint64

// DataSource is a registered source. Its methods may be called from any goroutine.
type DataSource struct {
	DataSourceSpec
	p       *Producer
	id      uint64
	started atomic.Pointer[[]*Instance] // replaced at each change, under the Producer's lock
}

// descriptor returns the descriptor for the service. Called with the Producer's lock
// held.
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

// Instances returns the started instances. The caller must not change the slice.
func (d *DataSource) Instances() []*Instance {
	if list := d.started.Load(); list != nil {
		return *list
	}
	return nil
}

// Update sends the service a new descriptor. A service too old for that gets it with
// the next connection.
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

// Unregister removes the source. The service stops its instances.
func (d *DataSource) Unregister() {
	if c := d.p.unregister(d); c != nil {
		c.send("UnregisterDataSource", &messages.UnregisterDataSourceRequest{DataSourceName: proto.String(d.Name)})
	}
}

// source returns the source with the name, or nil.
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

// wanted reports whether a session wants events of a category, by the rules of
// Perfetto's library. Exact names take precedence over patterns such as "net*", and
// those over "*"; within each, categories take precedence over tags. The default is
// true, except for slow and debug categories if the session's config has no tags.
func wanted(config *messages.TrackEventConfig, c *Category) bool {
	name, tags := []string{c.Name}, c.Tags
	if strings.HasPrefix(c.Name, "disabled-by-default-") {
		tags = append(slices.Clip(tags), "slow") // Chrome's older notation
	}
	unwantedTags := config.GetDisabledTags()
	if len(unwantedTags) == 0 && len(config.GetEnabledTags()) == 0 {
		unwantedTags = []string{"slow", "debug"}
	}
	for _, matches := range []func(pattern, name string) bool{exactly, byPattern, always} {
		switch {
		case anyMatch(config.GetEnabledCategories(), name, matches):
			return true
		case anyMatch(config.GetDisabledCategories(), name, matches), anyMatch(unwantedTags, tags, matches):
			return false
		case anyMatch(config.GetEnabledTags(), tags, matches):
			return true
		}
	}
	return true
}

func anyMatch(patterns, names []string, matches func(pattern, name string) bool) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return matches(p, n) })
	})
}

func exactly(pattern, name string) bool { return pattern == name && !strings.Contains(pattern, "*") }

// byPattern matches the part before the first star, if it is not empty.
func byPattern(pattern, name string) bool {
	prefix, _, found := strings.Cut(pattern, "*")
	return found && prefix != "" && strings.HasPrefix(name, prefix)
}

func always(pattern, _ string) bool { return strings.HasPrefix(pattern, "*") }
