package producer

import (
	"slices"
	"sync"

	"tracex/recorder/internal/perfetto/messages"
	"tracex/recorder/internal/perfetto/smb"
)

// Instance is a data source as one session uses it. Its methods may be called by
// any goroutine; once it is stopped nothing is written any more.
type Instance struct {
	// Value is for the source's owner. To be set in SetUp or Start.
	Value any

	source   *DataSource
	conn     *connection // nil: the service has not asked for it yet
	id       uint64
	config   *messages.DataSourceConfig
	arbiter  *smb.Arbiter
	target   *smb.Target
	policy   smb.Policy
	lent     []lent
	flushOwn func()        // writers that are not in the pool; nil: there are none
	early    bool          // it began before the service asked for it
	running  bool          // the service has asked for it
	ready    chan struct{} // closed when it has begun, and when it has been started if it is early

	life             sync.Mutex // guards what follows; held during Start and Stop
	started, stopped bool
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

// lent is a writer for whoever wants to write a packet.
type lent struct {
	mu     sync.Mutex
	w      *smb.Writer // nil: not made yet
	closed bool
	_      [40]byte // they do not share a cache line
}

// begin readies an instance for its source's owner.
func (i *Instance) begin() {
	size := i.source.Writers
	if size <= 0 {
		size = i.Writers()
	}
	i.lent = make([]lent, size)
	if i.source.SetUp != nil {
		i.source.SetUp(i)
	}
}

// start lets the source's owner write, once. It reports whether the instance has been
// started, and not stopped.
func (i *Instance) start() bool {
	i.life.Lock()
	defer i.life.Unlock()
	if i.started || i.stopped {
		return !i.stopped
	}
	i.started = true
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

// stop ends what start began.
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
	i.stopped = true
	if d.Stop != nil {
		d.Stop(i)
	}
	d.p.mu.Lock()
	list := slices.DeleteFunc(slices.Clone(d.Instances()), is)
	d.started.Store(&list)
	d.p.mu.Unlock()
	i.each(func(l *lent) {
		l.closed = true
		if l.w != nil {
			l.w.Close()
		}
	})
}

// each does something with each writer, when nobody uses it.
func (i *Instance) each(do func(*lent)) {
	for n := range i.lent {
		l := &i.lent[n]
		l.mu.Lock()
		do(l)
		l.mu.Unlock()
	}
}

func (i *Instance) clear() {
	i.each(func(l *lent) {
		if l.w != nil {
			l.w.Renew()
		}
	})
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
	i.each(func(l *lent) {
		if l.w != nil {
			l.w.Flush()
		}
	})
}

// Source returns the source that this is an instance of.
func (i *Instance) Source() *DataSource { return i.source }

// Config is what the session says of the data source. It must not be changed.
func (i *Instance) Config() *messages.DataSourceConfig {
	i.source.p.mu.Lock()
	defer i.source.p.mu.Unlock()
	return i.config
}

// Writers is how many writers are sensible: a quarter of the memory's chunks, as
// each keeps one for itself.
func (i *Instance) Writers() int { return max(1, min(i.arbiter.Chunks()/4, 256)) }

// Policy is what the instance's writers do when the memory is full.
func (i *Instance) Policy() smb.Policy { return i.policy }

// Write writes a packet: the encoded fields of a TracePacket. It reports whether
// the packet will arrive, as far as that is in the program's hands.
func (i *Instance) Write(packet []byte) (written bool) {
	i.Use(0, func(w *smb.Writer) { written = w.Packet(packet) })
	return written
}

// Use lends f a writer for the buffer that the session wants the source's packets
// in. Nobody else has it meanwhile. The same number brings the same writer: packets
// that are written through it keep their order. f is not called when the instance
// is stopped.
func (i *Instance) Use(number uint, f func(*smb.Writer)) {
	l := &i.lent[number%uint(len(i.lent))]
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w == nil && !l.closed {
		l.w, _ = i.NewWriter() // an error says that the memory is no longer used, or full of writers
	}
	if l.w != nil && !l.closed {
		f(l.w)
	}
}

// NewWriter returns a writer of the caller's own, which the caller has to close.
// It is not flushed, and not told of [Source.Clear].
func (i *Instance) NewWriter() (*smb.Writer, error) {
	return i.arbiter.NewWriter(i.target, i.policy)
}
