package recording

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"

	"tracex/recorder"
	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/convert/perfetto"
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

// rawTrace describes a trace of what instrumented programs have recorded.
type rawTrace struct {
	*instrumented.Summary                  // nil if there were no raw files
	own                   *importer.Result // what packets added; nil if nothing
	damage                error            // of the packets: what is before it is in the trace
	lost                  error            // why the packets are not in the trace
}

// Trace is a trace that was made. One of both is not nil.
type Trace struct {
	Path    string
	Raws    *instrumented.Summary // of raw files
	Packets *importer.Result      // of packets, which may have joined them
	Lost    bool                  // there are packets that could not join them
}

// at describes the trace for others.
func (t *rawTrace) at(path string) Trace { return Trace{path, t.Summary, t.own, t.lost != nil} }

// packetsAt are packets in a file.
type packetsAt struct {
	path    string            // "" if there are none
	process *perfetto.Process // whose packets they are; nil for all
}

// finish converts the rest, adds packets, and ends the trace. joiner has added some already if it is not
// nil. If there are no events of instrumented programs, the packets are left alone.
func (t *rawTrace) finish(ctx context.Context, c *instrumented.Converter, joiner *packetJoiner, packets packetsAt) (err error) {
	t.Summary, err = c.Complete(ctx)
	if err != nil || t.Events() == 0 || joiner == nil && packets.path == "" {
		return errors.Join(err, c.End())
	}
	if joiner == nil {
		if joiner, err = newPacketJoiner(packets.path, packets.process, c.Trace()); err != nil {
			t.lost = err
			return c.End()
		}
		defer joiner.close()
	}
	own, damage, lost := joiner.join(ctx)
	t.own, t.damage, t.lost = importer.OfPackets(own), damage, lost
	if t.lost != nil {
		return errors.Join(ctx.Err(), c.End())
	}
	return nil
}

// onlyPackets makes the trace of packets alone, as no instrumented program ran. The error is
// importer.ErrNoEvents if nothing is in them.
func (m *maker) onlyPackets(ctx context.Context, spool string) error {
	c := m.conversion()
	c.NotEmpty = true
	made, damage, err := c.Packets(ctx, spool)
	switch {
	case errors.Is(err, importer.ErrNoEvents):
		return err
	case err != nil:
		return &KeptError{err, "the recording", spool}
	}
	if damage != nil {
		m.Listener.Remark("part of the recording is missing", damage)
	}
	return m.Listener.Converted(m.Output, made)
}

// spoolBeside returns the path of the packets in a folder of raw files; "" if there are none. What
// programs had not sent when they ended follows them in a temporary file, which done removes.
func (m *maker) spoolBeside(folder string) (spool string, done func(), err error) {
	done = func() {}
	spool = SpoolIn(folder)
	if st, err := os.Stat(spool); err != nil || !st.Mode().IsRegular() {
		return "", done, nil
	}
	if live, _ := filepath.Glob(filepath.Join(escapeGlob(folder), "*"+recorder.LiveSuffix)); live == nil {
		return spool, done, nil
	}
	from, err := os.Open(spool)
	if err != nil {
		return "", done, err
	}
	defer from.Close()
	to, err := os.CreateTemp("", "tracex-packets-*")
	if err != nil {
		return "", done, err
	}
	done = func() { _ = os.Remove(to.Name()) }
	if _, err = io.Copy(to, from); err == nil {
		finishRecorders(m.Listener, folder, "", to)
	}
	return to.Name(), done, errors.Join(err, to.Close())
}
