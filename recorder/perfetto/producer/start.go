package producer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

// Start returns a Producer that connects to a service in the background, and
// reconnects when the connection is lost, until Close.
func Start(o Options) (*Producer, error) {
	o.Name = cmp.Or(o.Name, commandName())
	o.AdoptWithin = cmp.Or(o.AdoptWithin, defaultAdoptWithin)
	if o.StartUp {
		o.MemorySize, o.PageSize = cmp.Or(o.MemorySize, startUpMemory), cmp.Or(o.PageSize, startUpPage)
	}
	if o.MemorySize < 0 || o.PageSize < 0 || o.MemorySize > smb.MaxSize {
		return nil, fmt.Errorf("producer: invalid memory: %d bytes in pages of %d", o.MemorySize, o.PageSize)
	}
	if o.MemorySize != 0 && o.PageSize != 0 {
		if err := smb.Check(o.MemorySize, o.PageSize); err != nil {
			return nil, err
		}
	}
	p := &Producer{options: o, attempts: newAttempts()}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	if o.StartUp {
		if err := p.beginStartUp(); err != nil {
			return nil, err
		}
	}
	p.finished.Go(p.connect)
	return p, nil
}

func commandName() string {
	if len(os.Args) > 0 && os.Args[0] != "" {
		return os.Args[0]
	}
	return "go"
}

// Settle waits until the first attempt to reach a service has ended. If that
// succeeded, the service knows all data sources registered before, and the instances
// that it wants of them at that moment are started. Otherwise Settle returns the
// reason. It must not be called in a callback.
func (p *Producer) Settle(ctx context.Context) error {
	for busy := p.attempts.settled; busy != nil; {
		select {
		case <-busy:
		case <-ctx.Done():
			return fmt.Errorf("producer: waiting for the service: %w", ctx.Err())
		}
		p.mu.Lock()
		if p.conn == nil {
			defer p.mu.Unlock()
			return p.attempts.err
		}
		busy = p.conn.busy
		p.mu.Unlock()
	}
	return nil
}

// Connected reports whether a service is connected.
func (p *Producer) Connected() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conn != nil
}

// Sync waits until the service has handled all earlier requests. It returns
// [ErrNoService], or an error of the connection. It must not be called in a
// callback.
//
// A service too old for the method gets an empty commit instead, whose answer means
// the same: it handles requests in order.
func (p *Producer) Sync(ctx context.Context) error {
	c, err := p.connected()
	if err != nil {
		return err
	}
	if !c.port.Has("Sync") {
		return c.port.Invoke(ctx, "CommitData", &messages.CommitDataRequest{}, nil)
	}
	return c.port.Invoke(ctx, "Sync", &messages.SyncRequest{}, nil)
}

// Flush waits until the service has a copy of all packets written through instances
// before. Writers made with [Instance.NewWriter] have to be flushed first. It must
// not be called in a callback.
func (p *Producer) Flush(ctx context.Context) error {
	c, err := p.connected()
	if err != nil {
		return err
	}
	for _, i := range p.instances() {
		i.flush()
	}
	c.commitAll()
	return p.Sync(ctx)
}

// ActivateTriggers sends the service triggers that sessions may wait for.
func (p *Producer) ActivateTriggers(names ...string) error {
	c, err := p.connected()
	if err != nil {
		return err
	}
	return c.port.Send("ActivateTriggers", &messages.ActivateTriggersRequest{TriggerNames: names})
}

// Close stops the instances, commits what was written and ends the connection. All
// concurrent calls return only when that is done. It must not be called in a
// callback.
func (p *Producer) Close() { p.closing.Do(p.close) }

func (p *Producer) close() {
	p.mu.Lock()
	p.closed = true
	p.cancel()
	c, last := p.conn, p.last
	p.mu.Unlock()
	if c != nil {
		for _, i := range p.instances() {
			i.flush()
		}
		c.commitAll()
		c.client.Close()
	}
	if last != nil {
		<-last.client.Done() // its instances have stopped
	}
	p.finished.Wait()
	p.endStartUp("the program closed its producer")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unmap()
	for _, m := range p.memories {
		go p.unmapLater(m)
	}
}

// Register offers a data source to the current service and all later ones. Sessions
// that already wait for it begin at once.
func (p *Producer) Register(s DataSourceSpec) (*DataSource, error) {
	if s.Name == "" {
		return nil, errors.New("producer: the data source has no name")
	}
	d := &DataSource{p: p, DataSourceSpec: s}
	for d.id == 0 {
		d.id = rand.Uint64()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	p.sources = append(p.sources, d)
	if p.conn != nil {
		p.conn.register(d)
	}
	return d, nil
}

func (p *Producer) instances() (all []*Instance) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range p.sources {
		all = append(all, d.Instances()...)
	}
	return all
}
