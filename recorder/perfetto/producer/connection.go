package producer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

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

// Pauses between attempts to connect, and the time limit of an attempt.
const (
	firstPause   = 20 * time.Millisecond
	lastPause    = 2 * time.Second
	dialTime     = 10 * time.Second
	producerPort = "ProducerPort"
)

// connect is a goroutine that ends when there is a connection, or no need for one.
// When the connection is lost another one is started.
func (p *Producer) connect() {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := p.attempt()
		if p.attempted(err) {
			return
		}
		if err == nil {
			pause = firstPause // the connection was lost at once
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-p.ctx.Done():
			timer.Stop()
			return
		}
	}
}

// attempted records the result of an attempt to connect. It reports whether no
// further attempt is needed.
func (p *Producer) attempted(err error) (enough bool) {
	p.mu.Lock()
	tell := p.attempts.end(err) && !p.closed
	if enough = err == nil && p.conn != nil || p.closed; enough {
		p.attempts.running = false
	}
	p.mu.Unlock()
	if tell {
		p.complain("cannot connect to the service yet: %w", err)
	}
	return enough
}

// attempt connects, introduces the program and registers its data sources.
func (p *Producer) attempt() error {
	ctx, cancel := context.WithTimeout(p.ctx, dialTime)
	defer cancel()
	address := cmp.Or(p.options.Address, ipc.ProducerAddress())
	client, err := ipc.Dial(ctx, address, ipc.Options{})
	if err != nil {
		return err
	}
	port, err := client.Bind(ctx, producerPort)
	if err == nil {
		c := &connection{
			p: p, client: client, port: port,
			instances: map[uint64]*Instance{}, offered: make(chan error, 1),
		}
		err = p.introduce(ctx, c)
	}
	if err != nil {
		client.Close()
		<-client.Done() // its instances must stop before others begin
	}
	return err
}

// introduce sends the program's name and its data sources. When it returns nil the
// Producer owns the connection and notices its end.
func (p *Producer) introduce(ctx context.Context, c *connection) error {
	request := &messages.InitializeConnectionRequest{
		SharedMemoryPageSizeHintBytes: proto.Uint32(uint32(p.options.PageSize)),
		SharedMemorySizeHintBytes:     proto.Uint32(uint32(p.options.MemorySize)),
		ProducerName:                  proto.String(p.options.Name),
		SmbScrapingMode:               messages.InitializeConnectionRequest_SMB_SCRAPING_ENABLED.Enum(),
		SdkVersion:                    proto.String("tracex"),
	}
	if p.options.NoScraping {
		request.SmbScrapingMode = messages.InitializeConnectionRequest_SMB_SCRAPING_DISABLED.Enum()
	}
	var file *os.File
	if c.startUp = p.offerStartUp(c.client.Local()); c.startUp != nil {
		request.ProducerProvidedShmem = proto.Bool(true)
		file = c.startUp.mem.file
	}
	// Held so that the answer to the first call, which makes the data sources be
	// offered, waits for the second call. Otherwise the commands for these sources would
	// arrive after the answers to the offers, and Settle would return too early.
	p.mu.Lock()
	err := c.port.CallFile("InitializeConnection", request, file, c.introduced)
	if err == nil {
		err = c.port.Call("GetAsyncCommand", &messages.GetAsyncCommandRequest{}, c.command)
	}
	p.mu.Unlock()
	if err != nil { // c.command will not be told of the end
		if c.startUp != nil {
			c.giveUpStartUp("the service is gone")
		}
		return err
	}
	select {
	case err = <-c.offered:
		return err
	case <-ctx.Done():
		return fmt.Errorf("waiting for the service: %w", ctx.Err())
	}
}
