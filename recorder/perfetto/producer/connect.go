package producer

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

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

// attempts are a Producer's attempts to connect. The Producer's lock guards them.
type attempts struct {
	settled  chan struct{} // closed when the first has ended; the lock does not guard it
	ended    bool          // settled is closed
	running  bool          // a goroutine is trying to connect
	reported bool          // OnError has been told that there is no connection
	err      error         // why the last one failed, or the connection ended
}

// newAttempts returns attempts; the first is running.
func newAttempts() attempts { return attempts{settled: make(chan struct{}), running: true} }

// end records the result of an attempt. It reports whether OnError has to be told of
// it: only of the first failure since the last connection.
func (a *attempts) end(err error) (tell bool) {
	if err != nil {
		tell = !a.reported
		a.err, a.reported = err, true
	}
	if !a.ended {
		a.ended = true
		close(a.settled)
	}
	return tell
}

func (a *attempts) connected() { a.reported = false }

func (a *attempts) lost(why error) { a.err = why }

// begin reports whether the caller has to start the goroutine that tries to connect:
// only if none is running.
func (a *attempts) begin() bool {
	begins := !a.running
	a.running = true
	return begins
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
