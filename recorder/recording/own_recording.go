package recording

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"

	"tracex/recorder/perfetto/service"
)

// ownRecording receives what instrumented programs record by package recorder, or by Perfetto's
// library: packets, which are in the spool of the recording's directory until the programs have
// ended. They are added to the trace of the calls, see packetJoiner. The service begins when the
// first program connects: few do. A nil ownRecording receives nothing.
type ownRecording struct {
	maker    *maker
	ready    *readyPackets
	listener net.Listener
	accepted chan struct{} // closed when the listener accepts no more

	// Used by the goroutine that accepts; nil if no program has connected.
	service *service.Service
	spool   *os.File
	session *packetSession // nil if the service could not begin
}

// startOwn listens for programs that send packets. If it cannot, it says so and returns nil: the
// recording has no packets then.
func startOwn(m *maker, ready *readyPackets) *ownRecording {
	if m.dir.About.Sockets == "" {
		return nil
	}
	l, err := net.Listen("unix", producerSocket(m.dir))
	if err != nil {
		m.remarkNoOwn(err)
		return nil
	}
	o := &ownRecording{maker: m, ready: ready, listener: l, accepted: make(chan struct{})}
	go o.accept()
	return o
}

func (m *maker) remarkNoOwn(err error) {
	m.Listener.Remark("what programs record by package recorder will be missing", err)
}

// ownSockets makes the directory for sockets, which only the user can open. It returns "" if the
// service's variable is set to nothing, which means no service, or if it cannot make the directory.
func (m *maker) ownSockets() string {
	if at, set := os.LookupEnv(service.ProducerVariable); set && at == "" {
		return ""
	}
	sockets, err := SocketDir(SocketsPrefix)
	if err != nil {
		m.remarkNoOwn(err)
	}
	return sockets
}

// accept passes connections to the service, which the first one begins.
func (o *ownRecording) accept() {
	defer close(o.accepted)
	for {
		connection, err := o.listener.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				o.maker.Listener.Problem(err)
			}
			return
		}
		if o.session == nil {
			if err := o.start(); err != nil {
				o.maker.remarkNoOwn(err)
				_, _ = connection.Close(), o.listener.Close()
				return
			}
		}
		o.service.ServeProducer(connection)
	}
}

func (o *ownRecording) start() (err error) {
	sockets := o.maker.dir.About.Sockets
	if o.service, err = service.Start(service.Config{
		Producers: filepath.Join(sockets, "service"), Consumers: consumerSocket(o.maker.dir), OnError: o.maker.Listener.Problem,
	}); err != nil {
		return err
	}
	if o.spool, err = os.OpenFile(o.maker.dir.Spool(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return err
	}
	o.session, err = startPackets(o.service, &packetSpool{Writer: o.spool, ready: o.ready}, o.maker)
	return err
}

// stop receives the remaining packets when the programs have ended. It returns the path of the spool;
// "" if that is empty.
func (o *ownRecording) stop(ctx context.Context) string {
	if o == nil {
		return ""
	}
	_ = o.listener.Close()
	<-o.accepted
	if o.session == nil {
		return ""
	}
	had, err := o.session.stop(ctx)
	if err != nil {
		o.maker.Listener.Remark("part of what programs recorded by package recorder is missing", err)
	}
	if finishRecorders(o.maker.Listener, o.maker.dir.Path(), o.maker.Output, o.spool) || had.anything || err != nil {
		return o.maker.dir.Spool()
	}
	return ""
}

// close ends the service, after stop.
func (o *ownRecording) close() {
	if o == nil {
		return
	}
	if o.service != nil {
		_ = o.service.Close() // nothing more is wanted from it
	}
	if o.spool != nil {
		_ = o.spool.Close() // it was written without a buffer
	}
}
