package service

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// session is a recording. The service's lock guards it. It owns the parts that have
// their own state (timers, flushes, triggers, the service's packets, the output
// file); its other fields are what the requests of the protocol read and change.
//
//	configured ──start──► started ──disable──► stopping ──all stopped, or──► disabled
//	     │                                                  out of time         ▲
//	     └──────────────────────────────disable──────────────────────────────────┘
//	                                            cloned: of another session, for reading
type session struct {
	s        *Service
	id       uint64
	consumer *consumer // nil if detached
	owner    owner
	config   *messages.TraceConfig
	state    sessionState
	began    time.Time

	buffers   sessionBuffers
	instances []*instance
	timers    timers

	unhandled int // producers whose data, sent before the stop, is not handled yet
	flushes   flushes

	packets  servicePackets
	triggers triggers
	out      *output  // nil if it is read over the socket
	journal  *journal // nil if what it has is lost with this process
}

// owner is the user that a session belongs to. While no consumer reads the session, a
// consumer of that user can attach to it with the key.
type owner struct {
	uid int
	key string // "" if the session is not detached
}

// left reports whether the user left the session with this key.
func (o owner) left(uid int, key string) bool { return key != "" && o == owner{uid, key} }

type sessionState int

const (
	sessionConfigured sessionState = iota
	sessionStarted
	sessionStopping // data sources were asked to stop
	sessionDisabled
	sessionCloned
)

var sessionStates = [...]string{"CONFIGURED", "STARTED", "STOP_WAIT", "DISABLED", "CLONED_READ_ONLY"}

// Times for a config that has none.
const (
	defaultStopTimeout  = 5 * time.Second
	defaultFlushTimeout = 5 * time.Second
	defaultFilePeriod   = 5 * time.Second
	minFilePeriod       = 100 * time.Millisecond
	defaultSnapshots    = 10 * time.Second
)

func millis(ms uint32) time.Duration { return time.Duration(ms) * time.Millisecond }

func (n *session) stopTimeoutMs() uint32 {
	return cmp.Or(n.config.GetDataSourceStopTimeoutMs(), uint32(defaultStopTimeout/time.Millisecond))
}

// inOrder returns the sessions, oldest first.
func (s *Service) inOrder() []*session {
	return slices.SortedFunc(maps.Values(s.sessions), func(a, b *session) int { return cmp.Compare(a.id, b.id) })
}

// producersInOrder returns the producers, oldest first.
func (s *Service) producersInOrder() []*producer {
	return slices.SortedFunc(maps.Values(s.connected), func(a, b *producer) int { return cmp.Compare(a.id(), b.id()) })
}

// flushPeriod returns how often producers are asked to commit what they have; 0
// means never. The config of a session that is written into a file may leave that to
// the service.
func (n *session) flushPeriod() time.Duration {
	period := millis(n.config.GetFlushPeriodMs())
	switch {
	case n.out == nil || n.out.mode == messages.TraceConfig_WRITE_FLUSH_DISABLED:
		return period
	case n.out.flushes():
		return 0 // each write flushes
	}
	return defaultFilePeriod
}

// every calls f periodically while the session is started.
func (n *session) every(period time.Duration, k kind, f func()) {
	n.timers.every(period, k, func() bool {
		if n.state == sessionStarted {
			f()
		}
		return n.state == sessionStarted
	})
}

// start starts all data sources.
func (n *session) start() {
	if n.state != sessionConfigured {
		return
	}
	n.state = sessionStarted
	n.began = n.s.clock.now()
	b := n.config.GetBuiltinDataSources()
	n.packets.begin()
	n.every(cmp.Or(millis(b.GetSnapshotIntervalMs()), defaultSnapshots), kind(b.GetPreferSuspendClockForSnapshot()), n.packets.snapshot)
	if d := n.config.GetDurationMs(); d > 0 {
		n.timers.after(millis(d), kind(n.config.GetPreferSuspendClockForDuration()), n.durationOver)
	}
	if n.out != nil {
		n.every(n.out.period, awake, n.writeSome)
	}
	n.every(n.flushPeriod(), awake, func() { n.flush(0, flushPeriodic, func(bool) {}) })
	n.every(millis(n.config.GetIncrementalStateConfig().GetClearPeriodMs()), awake, n.clearState)
	for _, i := range slices.Clone(n.instances) {
		n.startInstance(i)
	}
	n.maybeAllStarted()
}

// maybeAllStarted tells the consumer, once, that all data sources have started.
func (n *session) maybeAllStarted() {
	if n.consumer == nil || n.packets.allStarted || n.state != sessionStarted ||
		slices.ContainsFunc(n.instances, func(i *instance) bool { return i.state != started }) {
		return
	}
	n.packets.allStarted = true
	n.packets.snapshotClocks()
	n.consumer.allStarted()
}

// durationOver ends a session whose time is up, unless triggers end it.
func (n *session) durationOver() {
	if n.triggers.mode() != messages.TraceConfig_TriggerConfig_STOP_TRACING || len(n.triggers.arrived) == 0 {
		n.flushAndDisable()
	}
}

// clearState asks the data sources that support it to reset the state that their
// packets build upon.
func (n *session) clearState() {
	for _, p := range n.s.producersInOrder() {
		var ids []uint64
		for _, i := range n.instances {
			if i.producer == p && i.source.GetHandlesIncrementalStateClear() {
				ids = append(ids, i.id)
			}
		}
		if len(ids) > 0 {
			p.command(&messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_ClearIncrementalState_{
				ClearIncrementalState: &messages.GetAsyncCommandResponse_ClearIncrementalState{DataSourceIds: ids},
			}})
		}
	}
}

// stop ends the recording. Data sources get some time to stop, and what producers
// had sent is handled.
func (n *session) stop(why string) {
	switch n.state {
	case sessionConfigured:
		n.disable(why)
		return
	case sessionStarted:
	default:
		return
	}
	for _, i := range slices.Clone(n.instances) {
		n.stopInstance(i, false)
	}
	n.unhandled = n.catchUp(func() {
		n.unhandled--
		n.maybeStopped()
	})
	if n.allStopped() {
		n.disable("")
		return
	}
	n.state = sessionStopping
	n.timers.after(millis(n.stopTimeoutMs()), awake, func() {
		if n.state == sessionStopping {
			n.disable("")
		}
	})
}

// maybeStopped ends the session once no data source is waited for.
func (n *session) maybeStopped() {
	if n.state == sessionStopping && n.allStopped() {
		n.disable("")
	}
}

func (n *session) allStopped() bool {
	return n.unhandled == 0 && !slices.ContainsFunc(n.instances, func(i *instance) bool { return i.state != stopped })
}

// disable ends the recording at once. The data in the buffers can still be read.
func (n *session) disable(why string) {
	if n.state == sessionDisabled || n.state == sessionCloned {
		return
	}
	for _, i := range slices.Clone(n.instances) {
		n.stopInstance(i, true)
	}
	n.state = sessionDisabled
	for _, p := range n.s.connected {
		n.s.scrape(n, p)
	}
	n.packets.snapshotClocks()
	if n.out.busy() {
		// The consumer is told of the end once the file is complete.
		n.packets.stats = true
		n.out.end(why, n.consumer)
		return
	}
	if n.consumer != nil {
		n.packets.stats = n.packets.stats || n.consumer.onEnd != nil
		n.consumer.disabled(cmp.Or(why, n.out.failed()))
	}
}

// free forgets a session and its buffers, once its file is written. Called with mu
// held.
func (s *Service) free(n *session) {
	n.disable("")
	delete(s.sessions, n.id)
	for _, i := range slices.Clone(n.instances) {
		n.forget(i)
	}
	n.timers.stop()
	n.flushes.abandon()
	s.dropTargets(n)
	if !n.out.busy() {
		s.dropBuffers(n)
	}
	if n.consumer != nil {
		n.consumer.session = nil
	}
}

// changeConfig takes over what may change in a config while the session runs: the
// names of the producers that a data source is for.
func (n *session) changeConfig(c *messages.TraceConfig) {
	if n.state != sessionConfigured && n.state != sessionStarted {
		return
	}
	for _, d := range n.config.DataSources {
		i := slices.IndexFunc(c.DataSources, func(other *messages.TraceConfig_DataSource) bool {
			return other.GetConfig().GetName() == d.GetConfig().GetName()
		})
		if i < 0 {
			continue
		}
		d.ProducerNameFilter = c.DataSources[i].ProducerNameFilter
		d.ProducerNameRegexFilter = c.DataSources[i].ProducerNameRegexFilter
		for _, p := range n.s.producersInOrder() {
			if slices.ContainsFunc(n.instances, func(i *instance) bool { return i.producer == p }) {
				continue // already set up
			}
			for _, source := range slices.Clone(p.sources) {
				if source.GetName() != d.GetConfig().GetName() {
					continue
				}
				if i := n.setUp(p, source, d); i != nil && n.state == sessionStarted {
					n.startInstance(i)
				}
			}
		}
	}
}

// uuidOf returns the id of a trace: the consumer's, or a new one.
func uuidOf(c *messages.TraceConfig, random func() uint64) *messages.TraceUuid {
	if c.GetTraceUuidMsb() != 0 || c.GetTraceUuidLsb() != 0 {
		return &messages.TraceUuid{Msb: proto.Int64(c.GetTraceUuidMsb()), Lsb: proto.Int64(c.GetTraceUuidLsb())}
	}
	const version, variant = 4 << 12, 2 << 62
	msb := random()&^(0xf<<12) | version
	lsb := random()&^(3<<62) | variant
	return &messages.TraceUuid{Msb: proto.Int64(int64(msb)), Lsb: proto.Int64(int64(lsb))}
}
