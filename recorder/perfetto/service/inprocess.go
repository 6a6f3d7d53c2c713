package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// ErrFreed is returned when a session was freed, or its service closed. Data that it
// had not handed over is lost.
var ErrFreed = errors.New("tracing service: the session is gone")

// ErrFlush is returned when a program did not commit in time.
var ErrFlush = errors.New("tracing service: a program did not answer a flush in time")

// SessionConfig is the configuration of a [Session].
type SessionConfig struct {
	// Buffer is the size of the session's buffer in bytes, a multiple of 1024. It is a
	// ring: when it is full, new data overwrites the oldest.
	Buffer int64
	// Sources are the data sources to record, in every program that offers them.
	Sources []DataSource
	// ReadPeriod is how often [Session.Read] looks for data: 250 ms if 0.
	ReadPeriod time.Duration
	// FlushPeriod is how often programs commit all that they have. ClearPeriod is how
	// often they repeat what their packets build upon, such as names, so that packets
	// after a loss can be read. 0 means never.
	FlushPeriod, ClearPeriod time.Duration
	// Folder, if not "", is an existing directory where what programs write is in files until it is
	// passed on and forgotten, see [Session.Passed]: the memory that is shared with them, and copies of
	// what was taken from it. If this process is killed, [Left] reads them.
	Folder string
}

// DataSource selects a data source by its name.
type DataSource struct {
	Name string
	// Categories are the categories of track events to record, with * as a wildcard.
	// They are for the data source track_event without a Config; nil means all.
	Categories []string
	// Config, if not nil, is passed to the data sources with the name, which is Name
	// whatever the Config says. Record does not keep it.
	Config *messages.DataSourceConfig
}

// Session is a recording made by this process: Go code starts it and reads it
// without a socket. Its methods may be called from any goroutine.
type Session struct {
	n   *session
	end chan struct{} // closed when the recording is over
	why string        // why the recording ended, if it was not stopped; guarded by the service's lock
	due chan struct{} // there may be data

	reading chan struct{} // holds a token while Read runs
	drain   drain
	batch   Packets // not yet taken by f
}

// Record starts a session. It returns an error if the service refuses the config,
// with the text that a consumer would get.
func (s *Service) Record(c SessionConfig) (*Session, error) {
	r := &Session{end: make(chan struct{}), due: make(chan struct{}, 1), reading: make(chan struct{}, 1)}
	k := &consumer{s: s, uid: os.Getuid()}
	if c.Folder != "" {
		k.journal = newJournal(c.Folder, s.complain)
	}
	k.onEnd = func(why string) {
		r.why = why
		close(r.end)
		r.kick()
	}
	s.lock()
	defer s.unlock()
	if s.closed {
		return nil, ErrFreed
	}
	if err := k.enable(c.message(), nil); err != nil {
		return nil, errors.Join(err, k.journal.close())
	}
	r.n = k.session
	r.drain.n = r.n
	r.drain.stamp.places = r.n.journal != nil
	r.n.every(cmp.Or(c.ReadPeriod, 250*time.Millisecond), awake, r.kick)
	return r, nil
}

// message returns the config as a message of the protocol.
func (c *SessionConfig) message() *messages.TraceConfig {
	ms := func(d time.Duration) *uint32 { return proto.Uint32(uint32(d / time.Millisecond)) }
	m := &messages.TraceConfig{
		Buffers: []*messages.TraceConfig_BufferConfig{{
			SizeKb:     proto.Uint32(uint32(min(c.Buffer>>10, 1<<32-1))),
			FillPolicy: messages.TraceConfig_BufferConfig_RING_BUFFER.Enum(),
		}},
		FlushPeriodMs:          ms(c.FlushPeriod),
		IncrementalStateConfig: &messages.TraceConfig_IncrementalStateConfig{ClearPeriodMs: ms(c.ClearPeriod)},
	}
	for _, d := range c.Sources {
		of := new(messages.DataSourceConfig)
		if d.Config != nil {
			of = proto.CloneOf(d.Config)
		}
		of.Name = proto.String(d.Name)
		if d.Name == "track_event" && d.Config == nil {
			// Perfetto's library begins to trace before it is connected if it was told the
			// categories of the session to come: "*" is explicit where an empty list is not.
			of.TrackEventConfig = &messages.TrackEventConfig{EnabledCategories: []string{"*"}}
			if len(d.Categories) > 0 {
				of.TrackEventConfig = &messages.TrackEventConfig{EnabledCategories: d.Categories, DisabledCategories: []string{"*"}}
			}
		}
		m.DataSources = append(m.DataSources, &messages.TraceConfig_DataSource{Config: of})
	}
	return m
}

// kick wakes up Read.
func (r *Session) kick() {
	select {
	case r.due <- struct{}{}:
	default: // it is already due
	}
}

// Packets are some packets of a trace, in order. Each names its writer, as in a
// trace file.
type Packets struct {
	trace []byte
	sizes []int
}

// Trace returns the packets in the format of a trace file: files and batches can be
// concatenated. The bytes belong to the session, see [Session.Read].
func (p Packets) Trace() []byte { return p.trace }

// All iterates over the encoded packets, messages of the type TracePacket, with the
// position of each. The bytes belong to the session, see [Session.Read].
func (p Packets) All() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		rest := p.trace
		for i, size := range p.sizes {
			_, _, head := protowire.ConsumeTag(rest)
			_, length := protowire.ConsumeVarint(rest[head:])
			if !yield(i, rest[head+length:size]) {
				return
			}
			rest = rest[size:]
		}
	}
}

// Read passes what the session records to f, batch by batch, until the recording is
// over and f has taken all of it. Then it returns nil, or the reason why the service
// ended the recording.
//
// The bytes of a batch are valid until f returns, and f may change them. f runs in
// the caller's goroutine and holds no lock of the service, so it may be slow:
// programs do not wait for it. Data that does not fit into the session's buffer
// meanwhile is lost, and the packets that follow are marked accordingly.
//
// If f fails, or ctx ends, Read returns that error; the recording continues. The
// next Read begins with the batch that f did not take. Read returns [ErrFreed] when
// the session is freed, and fails if another Read is running.
func (r *Session) Read(ctx context.Context, f func(Packets) error) error {
	select {
	case r.reading <- struct{}{}:
		defer func() { <-r.reading }()
	default:
		return errors.New("tracing service: the session is being read")
	}
	for {
		over := r.over()
		if err := r.readAll(f); err != nil {
			return err
		}
		if over {
			return r.reason()
		}
		select {
		case <-r.due:
		case <-r.end:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// over reports whether the recording is over, so that no more data will be added.
func (r *Session) over() bool {
	select {
	case <-r.end:
		return true
	default:
		return false
	}
}

// reason returns why the service ended the recording, or nil if it was stopped.
func (r *Session) reason() error {
	r.n.s.lock()
	defer r.n.s.unlock()
	if r.why == "" {
		return nil
	}
	return fmt.Errorf("tracing service: %s", r.why)
}

// readAll passes all available data to f.
func (r *Session) readAll(f func(Packets) error) error {
	for r.drain.restart(); ; {
		if len(r.batch.trace) > 0 {
			if err := f(r.batch); err != nil {
				return err
			}
			r.batch = Packets{}
		}
		if r.drain.done {
			return nil
		}
		if err := r.next(); err != nil {
			return err
		}
	}
}

// next takes the next batch from the session.
func (r *Session) next() error {
	s := r.n.s
	s.lock()
	defer s.unlock()
	if s.sessions[r.n.id] != r.n {
		return ErrFreed
	}
	b := r.drain.read(readBytes)
	r.batch = Packets{b, r.drain.sizes}
	return nil
}

// Flush asks the programs to commit what they have, and waits for at most timeout (5
// s if 0). Data recorded before the call is then in the session, and [Session.Read]
// will pass it on soon. Flush returns [ErrFlush] if a program did not answer in
// time.
func (r *Session) Flush(ctx context.Context, timeout time.Duration) error {
	done := make(chan bool, 1)
	s := r.n.s
	s.lock()
	if s.sessions[r.n.id] != r.n {
		s.unlock()
		return ErrFreed
	}
	r.n.flush(uint32(timeout/time.Millisecond), 0, func(ok bool) { done <- ok })
	s.unlock()
	select {
	case ok := <-done:
		r.kick()
		if !ok {
			return ErrFlush
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Stop ends the recording: data sources stop, and the data that their programs had
// sent is kept. Call [Session.Flush] first to keep uncommitted data as well. Stop
// returns when the recording is over; its data can still be read.
func (r *Session) Stop(ctx context.Context) error {
	s := r.n.s
	s.lock()
	if s.sessions[r.n.id] == r.n {
		r.n.stop("")
	}
	s.unlock()
	select {
	case <-r.end:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// SessionStats are statistics of a session's buffer and of its service.
type SessionStats struct {
	Producers uint64 // programs that have ever connected to the service
	Instances uint64 // data sources set up in programs, for any session
	Chunks    uint64 // written by programs into the session's buffer
}

// Stats returns the statistics, or all zeros if the session is freed.
func (r *Session) Stats() (stats SessionStats) {
	s := r.n.s
	s.lock()
	defer s.unlock()
	if s.sessions[r.n.id] != r.n {
		return SessionStats{}
	}
	stats = SessionStats{Producers: uint64(s.last.producer), Instances: s.last.instance}
	for _, b := range r.n.buffers.all {
		stats.Chunks += b.Stats().ChunksWritten
	}
	return stats
}

// Free ends the recording at once and drops unread data. A running Read returns
// [ErrFreed].
func (r *Session) Free() {
	s := r.n.s
	s.lock()
	defer s.unlock()
	if s.sessions[r.n.id] == r.n {
		s.free(r.n)
	}
}

// Passed returns a function that forgets what [Session.Read] has passed on so far: with
// [SessionConfig].Folder it removes the files, unless they are small, and is nil if there is nothing to
// remove. Call it when what was passed on is safe elsewhere. It can be called from any goroutine.
func (r *Session) Passed() (forget func()) {
	s := r.n.s
	s.lock()
	defer s.unlock()
	if s.sessions[r.n.id] != r.n {
		return nil
	}
	return r.n.journal.turn(s, r.n)
}
