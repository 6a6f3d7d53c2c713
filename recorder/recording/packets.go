package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"tracex/recorder/convert/perfetto"
	"tracex/recorder/perfetto/service"
)

// packetSession is a session of the private service whose packets are converted as they
// arrive. One goroutine reads the session, so that its buffer does not overflow while another
// converts.
//
// What a call refers to, such as the name of its method, may arrive after the call, but a flush
// that begins after the call's arrival brings it. So each flush decides what is written: the
// calls that had arrived when it began.
type packetSession struct {
	*service.Session
	maker   *maker
	to      packetSink
	buffer  int64
	work    chan work
	ending  chan struct{} // closed when no more will be recorded
	read    chan error    // result of the reading
	written chan error    // result of the conversion: all packets are taken
}

// packetSink is where packets go.
type packetSink interface {
	// Take takes packets. An error means that no more can be taken.
	Take(packets []byte) error
	// Taken returns a mark after what was taken so far, and Held how many bytes of that are not written.
	Taken() int
	Held() int64
	// Kept reports whether all that was taken before a mark is in a file.
	Kept(mark int) bool
	// Advance writes what was taken before a mark. After an error, what follows is kept for later.
	Advance(mark int) error
}

// work is what the converting goroutine does next.
type work struct {
	packets []byte
	order   workOrder
	forget  func() // of flushBegins: forgets what arrived before it, when that is in a file; may be nil
}

type workOrder int

const (
	takePackets workOrder = iota
	flushBegins           // packets that arrive later are not written after this flush
	flushEnds
)

const (
	// readEvery is how often the session is read, and flushEvery how often programs are asked for
	// what they have.
	readEvery  = 200 * time.Millisecond
	flushEvery = 2 * readEvery
	// flushPatience is how long a program may take to answer.
	flushPatience = 2 * time.Second
	// batch is about how many bytes of packets arrive at once.
	batch = 256 << 10
)

// startPackets starts a session.
func startPackets(s *service.Service, to packetSink, m *maker) (*packetSession, error) {
	config := m.sessionConfig()
	session, err := s.Record(config)
	if err != nil {
		return nil, err
	}
	r := &packetSession{
		Session: session, maker: m, to: to, buffer: config.Buffer, work: make(chan work, max(16, config.Buffer/batch)),
		ending: make(chan struct{}), read: make(chan error, 1), written: make(chan error, 1),
	}
	go func() { r.read <- r.readOn() }()
	go func() { r.written <- r.convert() }()
	return r, nil
}

// sessionConfig requests everything that a program can record.
func (m *maker) sessionConfig() service.SessionConfig {
	// Clearing makes Perfetto's library repeat names and tracks: after a loss, later packets
	// could not be read without them.
	return service.SessionConfig{
		Folder: m.dir.Path(),
		Buffer: max(m.Buffer, 64<<10),
		Sources: []service.DataSource{
			{Name: perfetto.TrackEventSource, Categories: m.Categories},
			{Name: perfetto.CallsSource},
		},
		ReadPeriod: time.Hour, ClearPeriod: time.Second, // readOn and flush have their own
	}
}

// readOn reads the session until it is over.
func (r *packetSession) readOn() error {
	defer close(r.work)
	tick := time.NewTicker(readEvery)
	defer tick.Stop()
	flushed := make(chan struct{}, 1)
	flushing, last := false, time.Now()
	// The readings of the clocks are first. If this process is killed, times of what programs have
	// not sent need them.
	if err := r.readNow(); err != nil {
		return err
	}
	for {
		select {
		case <-r.ending:
			return r.Read(context.Background(), r.take)
		case <-flushed:
			flushing = false
			if err := r.readNow(); err != nil {
				return err
			}
			r.work <- work{order: flushEnds}
		case now := <-tick.C:
			if err := r.readNow(); err != nil {
				return err
			}
			if !flushing && now.Sub(last) >= flushEvery-readEvery/2 {
				flushing, last = true, now
				r.work <- work{order: flushBegins, forget: r.Passed()}
				go func() {
					// An error means that a program is gone or stopped: waiting for its data is useless.
					_ = r.Flush(context.Background(), flushPatience)
					flushed <- struct{}{}
				}()
			}
		}
	}
}

// readNow reads what the session has.
func (r *packetSession) readNow() error {
	now, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.Read(now, r.take); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func (r *packetSession) take(p service.Packets) error {
	r.work <- work{packets: bytes.Clone(p.Trace())}
	return nil
}

// convert converts packets until there are no more.
func (r *packetSession) convert() error {
	mark, failed := 0, error(nil)
	kept, forget := 0, func() {}
	for w := range r.work {
		if failed != nil {
			continue // programs may still send
		}
		switch w.order {
		case takePackets:
			if failed = r.to.Take(w.packets); failed == nil && r.to.Held() > r.buffer {
				r.advance(r.to.Taken())
			}
		case flushBegins:
			if mark = r.to.Taken(); w.forget != nil {
				kept, forget = mark, w.forget
			}
		case flushEnds:
			if r.advance(mark); r.to.Kept(kept) {
				forget()
				forget = func() {}
			}
		}
		if failed != nil {
			r.maker.Listener.Problem(fmt.Errorf("recording stops: %w", failed))
			_ = r.Stop(context.Background()) // programs need not record what cannot be kept
		}
	}
	return failed
}

// advance writes calls. If it fails, what follows is kept for later.
func (r *packetSession) advance(mark int) {
	if err := r.to.Advance(mark); err != nil && !errors.Is(err, errOtherSource) {
		r.maker.Listener.Problem(fmt.Errorf("recording continues, but the trace cannot grow: %w", err))
	}
}

// received is what a session received.
type received struct {
	anything           bool   // packets from a program, or from data that one left behind
	programs, sessions uint64 // programs that connected, and sessions that they began to record
}

// stop ends the session. When it returns, all packets are taken.
func (r *packetSession) stop(ctx context.Context) (received, error) {
	// An error would only mean that a program is gone, which has nothing to flush.
	_ = r.Flush(ctx, flushPatience)
	err := r.Stop(ctx)
	close(r.ending)
	if err := errors.Join(err, <-r.read, <-r.written); err != nil {
		return received{}, err
	}
	stats := r.Stats()
	return received{programs: stats.Producers, sessions: stats.Instances, anything: stats.Chunks > 0}, nil
}

// readyPackets tells another goroutine, by two offsets, how much of a file of packets may be converted: calls
// before the first have their names before the second.
type readyPackets struct{ calls, known atomic.Int64 }

// packetSpool is a packetSink that keeps packets in a file.
type packetSpool struct {
	io.Writer
	ready  *readyPackets
	size   int64 // bytes taken
	marked int64 // at the last Taken
}

func (s *packetSpool) Write(packets []byte) (int, error) {
	n, err := s.Writer.Write(packets)
	s.size += int64(n)
	return n, err
}

func (s *packetSpool) Take(packets []byte) error {
	_, err := s.Write(packets)
	return err
}

func (s *packetSpool) Taken() int {
	s.marked = s.size
	return 0
}

func (s *packetSpool) Held() int64 { return 0 }

func (s *packetSpool) Kept(int) bool { return true }

// Advance says that what was taken at the last mark may be converted.
func (s *packetSpool) Advance(int) error {
	s.ready.known.Store(s.size)
	s.ready.calls.Store(s.marked)
	return nil
}
