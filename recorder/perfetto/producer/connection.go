package producer

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

// connection is a connection to a service, from its introduction to its end. Unless
// documented otherwise, only the client's reading goroutine calls its methods, so
// that commands of the service are carried out in order.
type connection struct {
	p        *Producer
	client   *ipc.Client
	port     *ipc.Binding
	offered  chan error // receives once: nil if the data sources are registered, or why not
	reported bool
	// The Producer's lock guards these.
	pending int           // replies to wait for until all sources are registered
	busy    chan struct{} // closed then; nil once they are

	emulated  bool     // no memory is shared
	startUp   *startUp // whose memory the service uses; nil if none
	mem       *memory  // nil if there is none yet
	arbiter   *smb.Arbiter
	instances map[uint64]*Instance
}

func (c *connection) introduced(r ipc.Reply) {
	m := new(messages.InitializeConnectionResponse)
	if err := r.Decode(m); err != nil {
		c.report(fmt.Errorf("the service rejected this program: %w", err))
		return
	}
	c.emulated = m.GetUseShmemEmulation()
	if c.startUp != nil && !m.GetUsingShmemProvidedByProducer() {
		c.giveUpStartUp("the service does not accept memory from programs")
	}
	p := c.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		c.report(ErrClosed)
		return
	}
	p.conn, p.last = c, c
	p.attempts.connected()
	for _, d := range p.sources {
		c.register(d)
	}
	if c.pending == 0 {
		c.report(nil)
	}
}

func (c *connection) report(err error) {
	if !c.reported {
		c.reported = true
		c.offered <- err
	}
}

// register offers a data source. Any goroutine that holds the Producer's lock may
// call it.
func (c *connection) register(d *DataSource) {
	err := c.port.Call("RegisterDataSource", &messages.RegisterDataSourceRequest{
		DataSourceDescriptor: d.descriptor(),
	}, func(r ipc.Reply) {
		m := new(messages.RegisterDataSourceResponse)
		if err := r.Decode(m); errors.Is(err, ipc.ErrRejected) {
			c.p.complain("the service rejected the data source %q", d.Name)
		} else if m.GetError() != "" {
			c.p.complain("the service rejected the data source %q: %s", d.Name, m.GetError())
		}
		c.p.mu.Lock()
		c.pending--
		done := c.pending == 0
		if done {
			close(c.busy)
			c.busy = nil
		}
		c.p.mu.Unlock()
		if done {
			c.report(nil)
		}
	})
	if err == nil {
		if c.pending++; c.pending == 1 {
			c.busy = make(chan struct{})
		}
	} else {
		c.notSent(d, err)
	}
}

// notSent reports why a data source cannot be sent to the service. Called with the
// Producer's lock held.
func (c *connection) notSent(d *DataSource, err error) {
	if errors.Is(err, ipc.ErrNoMethod) || errors.Is(err, ipc.ErrTooLarge) {
		c.p.complainSoon("cannot register the data source %q: %w", d.Name, err)
	}
	// Any other error ends the connection, which is noticed elsewhere.
}

// command carries out a command of the service.
func (c *connection) command(r ipc.Reply) {
	m := new(messages.GetAsyncCommandResponse)
	switch err := r.Decode(m); {
	case r.Err != nil:
		c.ended(r.Err)
		return
	case err != nil:
		c.p.complain("reading a command of the service: %w", err)
	}
	switch cmd := m.Cmd.(type) {
	case *messages.GetAsyncCommandResponse_SetupTracing_:
		c.setUpMemory(r, cmd.SetupTracing)
	case *messages.GetAsyncCommandResponse_SetupDataSource_:
		c.setUp(cmd.SetupDataSource.GetNewInstanceId(), cmd.SetupDataSource.GetConfig())
	case *messages.GetAsyncCommandResponse_StartDataSource_:
		c.start(cmd.StartDataSource.GetNewInstanceId(), cmd.StartDataSource.GetConfig())
	case *messages.GetAsyncCommandResponse_StopDataSource_:
		c.stop(cmd.StopDataSource.GetInstanceId())
	case *messages.GetAsyncCommandResponse_Flush_:
		c.flush(cmd.Flush)
	case *messages.GetAsyncCommandResponse_ClearIncrementalState_:
		for _, id := range cmd.ClearIncrementalState.GetDataSourceIds() {
			if i := c.instances[id]; i != nil {
				i.clear()
			}
		}
	}
	if !r.More {
		c.ended(errors.New("the service sends no more commands"))
	}
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

// stop ends an instance. All its packets are committed before the service is told.
func (c *connection) stop(id uint64) {
	if i := c.instances[id]; i != nil {
		delete(c.instances, id)
		i.stop()
		if i.early {
			i.target.Bind(0)
		}
		c.commitAll()
	}
	c.send("NotifyDataSourceStopped", &messages.NotifyDataSourceStoppedRequest{DataSourceId: proto.Uint64(id)})
}

// flush has instances commit what they have, and answers the flush.
func (c *connection) flush(f *messages.GetAsyncCommandResponse_Flush) {
	for _, id := range f.GetDataSourceIds() {
		if i := c.instances[id]; i != nil {
			i.askFlush(FlushReason(f.GetFlags()))
		}
	}
	if c.arbiter == nil {
		c.send("CommitData", &messages.CommitDataRequest{FlushRequestId: f.RequestId})
		return
	}
	if c.emulated && !c.p.options.NoScraping {
		c.arbiter.Scrape()
	}
	c.arbiter.AckFlush(f.GetRequestId())
}

// giveUpStartUp ends the start-up whose memory the service has, or rejected.
func (c *connection) giveUpStartUp(why string) {
	s := c.startUp
	c.startUp = nil
	c.p.endStartUp(why)
	s.mem.arbiter.Close()
}

func (c *connection) ended(why error) {
	c.client.Close()
	c.report(why)
	p := c.p
	p.mu.Lock()
	mine := p.conn == c
	if mine {
		p.conn = nil
		p.attempts.lost(why)
	}
	p.mu.Unlock()
	// Close this first: writers of instances may wait for a chunk, which no service will
	// free.
	if c.startUp != nil {
		c.giveUpStartUp("the service is gone")
	}
	if c.arbiter != nil {
		c.arbiter.Close()
	}
	for id, i := range c.instances {
		delete(c.instances, id)
		i.stop()
	}
	if mine && p.ctx.Err() == nil {
		p.complain("the service is gone: %w", why)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unmap()
	if mine && !p.closed && p.attempts.begin() {
		p.finished.Go(p.connect)
	}
}

// Messages of Perfetto's protocol: the descriptor of a data source, and a session's
// config for it.
type (
	SourceDescriptor = messages.DataSourceDescriptor
	SourceConfig     = messages.DataSourceConfig
	TrackEventConfig = messages.TrackEventConfig
)

// Writer writes the packets of one sequence into shared memory. It must be used by
// one goroutine at a time. Its methods Packet, Begin, Append and End write packets,
// Next tells what the next packet has to be, and Flush passes the written packets
// on.
type Writer = smb.Writer

// Next says what the next packet of a Writer has to be.
type Next = smb.Next

const (
	Plain = smb.Plain // the packet can rely on the ones before it
	Reset = smb.Reset // its readers may not know earlier ones: it must reset the incremental state
	Skip  = smb.Skip  // there is no room; the packet counts as dropped already
)

// Policy is what a Writer does when the memory is full.
type Policy = smb.Policy

const (
	Drop  = smb.Drop  // packets are dropped until there is room
	Stall = smb.Stall // the Writer waits, up to Options.StallLimit, then drops
)
