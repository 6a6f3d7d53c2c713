package service

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// instance is a data source of a producer as one session uses it.
type instance struct {
	id       uint64
	session  *session
	producer *producer
	source   *messages.DataSourceDescriptor
	config   *messages.DataSourceConfig // as sent to the producer
	state    instanceState
}

type instanceState int

const (
	configured instanceState = iota
	starting                 // asked to start, and it will report when it has
	started
	stopping // asked to stop, and it will report when it has
	stopped
)

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
