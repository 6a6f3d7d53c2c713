package producer

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/messages"
)

// Pauses between attempts to connect, and how long one may take.
const (
	firstPause   = 20 * time.Millisecond
	lastPause    = 2 * time.Second
	dialTime     = 10 * time.Second
	producerPort = "ProducerPort"
)

// connect is a goroutine that ends when there is a connection, or no need for one
// any more. When the connection is lost another one begins.
func (p *Producer) connect() {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := p.attempt()
		if p.attempted(err) {
			return
		}
		if err == nil {
			pause = firstPause // it was lost at once
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

// attempted says how an attempt to connect ended. It reports whether there need
// be no other.
func (p *Producer) attempted(err error) (enough bool) {
	p.mu.Lock()
	tell := err != nil && !p.told && !p.closed
	if err != nil {
		p.err = err
		p.told = true
	}
	if err == nil && p.conn != nil || p.closed {
		p.connecting = false
		enough = true
	}
	p.mu.Unlock()
	p.settle.Do(func() { close(p.settled) })
	if tell {
		p.complain("there is no service yet: %w", err)
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
		<-client.Done() // its instances are stopped before others begin
	}
	return err
}

// introduce says who this is, and what it offers. When it returns nil the
// connection is the Producer's and its end will be noticed.
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
	// Held so that the answer to the first call, at which data sources are offered,
	// waits for the second: else what the service wants of them would come behind
	// its answers to the offers, and who settles would begin too early.
	p.mu.Lock()
	err := c.port.CallFile("InitializeConnection", request, file, c.introduced)
	if err == nil {
		err = c.port.Call("GetAsyncCommand", &messages.GetAsyncCommandRequest{}, c.command)
	}
	p.mu.Unlock()
	if err != nil { // c.command will not hear of the end
		if c.startUp != nil {
			c.giveUpStartUp("the service has gone")
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
