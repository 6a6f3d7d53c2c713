package service

import (
	"slices"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

func (p *producer) registerDataSource(r *ipc.Request, m *messages.RegisterDataSourceRequest) {
	d := m.GetDataSourceDescriptor()
	reply := &messages.RegisterDataSourceResponse{}
	switch {
	case d.GetName() == "" || p.hasSource(d.GetId()): // accepted, but not used
	case len(p.sources) >= p.s.config.Limits.DataSources:
		reply.Error = proto.String("too many data sources")
	default:
		p.register(d)
	}
	_ = r.Reply(reply)
}

// hasSource reports whether a data source already has the id. Old producers use no
// ids: 0 means none.
func (p *producer) hasSource(id uint64) bool {
	return id != 0 && slices.ContainsFunc(p.sources, func(d *messages.DataSourceDescriptor) bool { return d.GetId() == id })
}

// register adds a data source, and sets it up for the sessions that want it.
func (p *producer) register(d *messages.DataSourceDescriptor) {
	p.sources = append(p.sources, d)
	for _, n := range p.s.inOrder() {
		if n.state != sessionConfigured && n.state != sessionStarted {
			continue
		}
		for _, c := range n.config.DataSources {
			if c.GetConfig().GetName() != d.GetName() {
				continue
			}
			if i := n.setUp(p, d, c); i != nil && n.state == sessionStarted {
				n.startInstance(i)
			}
		}
	}
}

func (p *producer) unregisterDataSource(r *ipc.Request, m *messages.UnregisterDataSourceRequest) {
	p.unregister(m.GetDataSourceName())
	_ = r.Reply(&messages.UnregisterDataSourceResponse{})
}

// unregister removes a data source and ends its instances.
func (p *producer) unregister(name string) {
	i := slices.IndexFunc(p.sources, func(d *messages.DataSourceDescriptor) bool { return d.GetName() == name })
	if i < 0 {
		return
	}
	p.sources = slices.Delete(p.sources, i, i+1)
	for _, in := range slices.Clone(p.instances) {
		if in.source.GetName() == name {
			in.session.instanceGone(in)
		}
	}
}

func (p *producer) updateDataSource(r *ipc.Request, m *messages.UpdateDataSourceRequest) {
	d := m.GetDataSourceDescriptor()
	for i, old := range p.sources {
		// Only a data source with an id can be identified, and it must keep its name.
		if d.GetId() != 0 && old.GetId() == d.GetId() && old.GetName() == d.GetName() {
			p.sources[i] = d
			for _, in := range p.instances {
				if in.source == old {
					in.source = d
				}
			}
		}
	}
	_ = r.Reply(&messages.UpdateDataSourceResponse{})
}

// setUpAll makes instances of all registered data sources that the session wants.
func (n *session) setUpAll() {
	for _, d := range n.config.DataSources {
		for _, p := range n.s.producersInOrder() {
			for _, source := range slices.Clone(p.sources) {
				if source.GetName() == d.GetConfig().GetName() {
					n.setUp(p, source, d)
				}
			}
		}
	}
}
