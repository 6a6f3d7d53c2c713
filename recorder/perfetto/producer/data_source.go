package producer

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

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

func newInstance(d *DataSource, a *smb.Arbiter, config *messages.DataSourceConfig) *Instance {
	i := &Instance{source: d, arbiter: a, config: config, policy: d.Policy, ready: make(chan struct{})}
	switch config.GetBufferExhaustedPolicy() {
	case messages.DataSourceConfig_BUFFER_EXHAUSTED_DROP:
		i.policy = smb.Drop
	case messages.DataSourceConfig_BUFFER_EXHAUSTED_STALL_THEN_DROP, messages.DataSourceConfig_BUFFER_EXHAUSTED_STALL_THEN_ABORT:
		i.policy = smb.Stall
	}
	return i
}

// begin prepares an instance for its source's owner.
func (i *Instance) begin() {
	size := i.source.Writers
	if size <= 0 {
		size = i.Writers()
	}
	i.pool = make(pool, size)
	if i.source.SetUp != nil {
		i.source.SetUp(i)
	}
}

// start calls the source's Start, once. It reports whether the instance has been
// started, and not stopped.
func (i *Instance) start() bool {
	i.life.Lock()
	defer i.life.Unlock()
	if i.life.started || i.life.stopped {
		return !i.life.stopped
	}
	i.life.started = true
	if i.source.Start != nil {
		i.source.Start(i)
	}
	d := i.source
	d.p.mu.Lock()
	defer d.p.mu.Unlock()
	list := append(slices.Clone(d.Instances()), i)
	d.started.Store(&list)
	return true
}

func (i *Instance) stop() {
	d := i.source
	is := func(other *Instance) bool { return other == i }
	d.p.mu.Lock()
	if s := d.p.startUp; s != nil {
		s.wanted = slices.DeleteFunc(s.wanted, is)
	}
	d.p.mu.Unlock()
	i.life.Lock()
	defer i.life.Unlock()
	i.life.stopped = true
	if d.Stop != nil {
		d.Stop(i)
	}
	d.p.mu.Lock()
	list := slices.DeleteFunc(slices.Clone(d.Instances()), is)
	d.started.Store(&list)
	d.p.mu.Unlock()
	i.pool.close()
}

func (i *Instance) clear() {
	i.pool.each((*smb.Writer).Renew)
	if i.source.Clear != nil {
		i.source.Clear(i)
	}
}

func (i *Instance) askFlush(why FlushReason) {
	if i.source.Flush != nil {
		i.source.Flush(i, why)
	}
	i.flush()
}

func (i *Instance) flush() {
	if i.flushOwn != nil {
		i.flushOwn()
	}
	i.pool.each((*smb.Writer).Flush)
}

// Source returns the source of this instance.
func (i *Instance) Source() *DataSource { return i.source }

// Config returns the session's config of the data source. The caller must not change
// it.
func (i *Instance) Config() *messages.DataSourceConfig {
	i.source.p.mu.Lock()
	defer i.source.p.mu.Unlock()
	return i.config
}

// Writers returns a sensible maximum of writers: a quarter of the memory's chunks,
// as each writer keeps one for itself.
func (i *Instance) Writers() int { return max(1, min(i.arbiter.Chunks()/4, 256)) }

// Policy returns what the instance's writers do when the memory is full.
func (i *Instance) Policy() Policy { return i.policy }

// Write writes a packet: an encoded [messages.TracePacket], without the fields that
// name its writer, which the service adds. It reports whether the packet will arrive,
// as far as that depends on the program. It does not keep the bytes.
func (i *Instance) Write(packet []byte) (written bool) {
	i.Use(0, func(w *Writer) { written = w.Packet(packet) })
	return written
}

// Use calls f with a writer for the session's buffer for this source. No other
// goroutine uses the writer meanwhile. The same number selects the same writer, so
// packets written with it keep their order. If the instance is stopped, Use does not
// call f.
func (i *Instance) Use(number uint, f func(*Writer)) {
	i.pool.use(number, i.NewWriter, f)
}

// NewWriter returns a writer that belongs to the caller, who must close it. The
// Instance does not flush it, and does not pass [DataSourceSpec.Clear] on to it.
func (i *Instance) NewWriter() (*Writer, error) {
	return i.arbiter.NewWriter(i.target, i.policy)
}

func (p *Producer) unregister(d *DataSource) *connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.sources, d)
	if i < 0 {
		return nil
	}
	p.sources = slices.Delete(p.sources, i, i+1)
	return p.conn
}

// setUp makes an instance of a data source, or takes the one that has been writing
// since start-up.
func (c *connection) setUp(id uint64, config *messages.DataSourceConfig) *Instance {
	d := c.p.source(config.GetName())
	if d == nil || c.arbiter == nil || c.instances[id] != nil {
		return nil
	}
	own := newInstance(d, c.arbiter, config)
	own.id, own.conn, own.target = id, c, c.arbiter.Target(config.GetTargetBuffer())
	i := c.p.adopt(own)
	if i == own {
		i.begin()
		close(i.ready)
	}
	c.instances[id] = i
	return i
}

// start starts an instance, once. Old services do not set it up first.
func (c *connection) start(id uint64, config *messages.DataSourceConfig) {
	i := c.instances[id]
	if i == nil {
		if i = c.setUp(id, config); i == nil {
			return
		}
	}
	switch {
	case i.running:
		return
	case i.early:
		i.early = false
		i.target.Bind(config.GetTargetBuffer())
	default:
		i.start()
	}
	i.running = true
	c.send("NotifyDataSourceStarted", &messages.NotifyDataSourceStartedRequest{DataSourceId: proto.Uint64(id)})
}
