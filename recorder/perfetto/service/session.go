package service

import (
	"cmp"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

func (n *session) stopTimeoutMs() uint32 {
	return cmp.Or(n.config.GetDataSourceStopTimeoutMs(), uint32(defaultStopTimeout/time.Millisecond))
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

// disabled answers EnableTracing: the session is over, or never began.
func (k *consumer) disabled(why string) {
	k.sendEvents() // earlier events first
	if k.onEnd != nil {
		k.onEnd(why)
	}
	if r := k.enabled.Take(); r != nil {
		answerEnd(r, why)
	}
}

// answerEnd tells a consumer that its session is over.
func answerEnd(r *ipc.Request, why string) {
	reply := &messages.EnableTracingResponse{State: &messages.EnableTracingResponse_Disabled{Disabled: true}}
	if why != "" {
		reply.Error = proto.String(why)
	}
	_ = r.Reply(reply)
}

// setUp makes an instance of a data source for a session and sends it to its
// producer, unless the session does not want that producer.
func (n *session) setUp(p *producer, d *messages.DataSourceDescriptor, c *messages.TraceConfig_DataSource) *instance {
	target, err := targetOf(n.config, c.GetConfig())
	if err != nil || int(target) >= len(n.buffers.ids) || !p.passes(n, c) || !p.setUpMemory(n) {
		return nil
	}
	s := n.s
	s.last.instance++
	config := proto.Clone(c.GetConfig()).(*messages.DataSourceConfig)
	config.TargetBuffer = proto.Uint32(n.buffers.ids[target])
	config.TraceDurationMs = proto.Uint32(n.config.GetDurationMs())
	config.TracingSessionId = proto.Uint64(n.id)
	config.EnableExtraGuardrails = proto.Bool(n.config.GetEnableExtraGuardrails())
	config.StopTimeoutMs = proto.Uint32(n.stopTimeoutMs())
	if n.config.GetPreferSuspendClockForDuration() {
		config.PreferSuspendClockForDuration = proto.Bool(true) // must be set, since start-up tracing compares configs
	}
	config.SessionInitiator = messages.DataSourceConfig_SESSION_INITIATOR_UNSPECIFIED.Enum()
	i := &instance{id: s.last.instance, session: n, producer: p, source: d, config: config}
	n.instances = append(n.instances, i)
	p.instances = append(p.instances, i)
	p.targets[n.buffers.ids[target]] = true
	n.observe(i)
	p.command(&messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_SetupDataSource_{
		SetupDataSource: &messages.GetAsyncCommandResponse_SetupDataSource{NewInstanceId: proto.Uint64(i.id), Config: config},
	}})
	return i
}

// startInstance asks the producer to start an instance.
func (n *session) startInstance(i *instance) {
	i.state = started
	if i.source.GetWillNotifyOnStart() {
		i.state = starting
	}
	n.observe(i)
	i.producer.command(&messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_StartDataSource_{
		StartDataSource: &messages.GetAsyncCommandResponse_StartDataSource{NewInstanceId: proto.Uint64(i.id), Config: i.config},
	}})
	n.maybeAllStarted()
}

// stopInstance asks the producer to stop an instance; with atOnce it does not wait for the
// answer.
func (n *session) stopInstance(i *instance, atOnce bool) {
	if i.state == stopped || i.state == stopping && !atOnce {
		return
	}
	asked := i.state == stopping
	i.state = stopped
	if i.source.GetWillNotifyOnStop() && !atOnce {
		i.state = stopping
	}
	n.observe(i)
	if asked {
		return
	}
	i.producer.command(&messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_StopDataSource_{
		StopDataSource: &messages.GetAsyncCommandResponse_StopDataSource{InstanceId: proto.Uint64(i.id)},
	}})
}

// instanceGone removes an instance whose data source is gone.
func (n *session) instanceGone(i *instance) {
	if i.producer.state == producerGone {
		if i.state != stopped {
			i.state = stopped
			n.observe(i)
		}
	} else {
		n.stopInstance(i, true)
	}
	n.forget(i)
	if n.state == sessionStopping {
		n.maybeStopped()
	}
	if n.state == sessionStarted {
		n.maybeAllStarted()
	}
}

// forget removes an instance from the lists. Its producer may still write into its
// buffer: data not yet committed when it unregistered the data source is wanted.
func (n *session) forget(i *instance) {
	is := func(other *instance) bool { return other == i }
	n.instances = slices.DeleteFunc(n.instances, is)
	i.producer.instances = slices.DeleteFunc(i.producer.instances, is)
}

func (p *producer) instance(id uint64) *instance {
	for _, i := range p.instances {
		if i.id == id {
			return i
		}
	}
	return nil
}

func (p *producer) notifyStarted(r *ipc.Request, m *messages.NotifyDataSourceStartedRequest) {
	if i := p.instance(m.GetDataSourceId()); i != nil && i.state == starting && i.session.state == sessionStarted {
		i.state = started
		i.session.observe(i)
		i.session.maybeAllStarted()
	}
	_ = r.Reply(&messages.NotifyDataSourceStartedResponse{})
}

func (p *producer) notifyStopped(r *ipc.Request, m *messages.NotifyDataSourceStoppedRequest) {
	if i := p.instance(m.GetDataSourceId()); i != nil && i.state == stopping {
		i.state = stopped
		i.session.observe(i)
		i.session.maybeStopped()
	}
	_ = r.Reply(&messages.NotifyDataSourceStoppedResponse{})
}

// flushAndDisable flushes a session and then stops it.
func (n *session) flushAndDisable() {
	n.flush(0, flushStop, func(ok bool) {
		if n.s.sessions[n.id] != n {
			return
		}
		n.flushes.last = outcome(ok)
		if n.consumer == nil {
			// No consumer can read it; only its file, if any, remains.
			n.s.free(n)
			return
		}
		n.stop("")
	})
}

// passes reports whether a session wants a data source from this producer. One
// matching name filter is enough, and without name filters all producers pass; other
// machines must be asked for explicitly.
func (p *producer) passes(n *session, d *messages.TraceConfig_DataSource) bool {
	here := p.from.Machine == 0
	switch machines := d.MachineNameFilter; {
	case len(machines) == 0 && !here && !n.config.GetTraceAllMachines():
		return false
	case len(machines) > 0 && !slices.Contains(machines, p.machine) && !(here && slices.Contains(machines, "host")):
		return false
	case len(d.ProducerNameFilter) == 0 && len(d.ProducerNameRegexFilter) == 0:
		return true
	}
	return slices.Contains(d.ProducerNameFilter, p.name) ||
		slices.ContainsFunc(d.ProducerNameRegexFilter, func(pattern string) bool { return matches(pattern, p.name) })
}

// writeSome has the goroutine write the data recorded so far.
func (n *session) writeSome() {
	if n.out.flushes() {
		n.flush(0, flushPeriodic, func(bool) { n.out.kick() })
		return
	}
	n.out.kick()
}
