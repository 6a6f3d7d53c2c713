package service

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// TestUpdateSource has a data source that supports flushes only later.
func TestUpdateSource(t *testing.T) {
	s := serve(t, Config{})
	d := offer("words")
	d.Id, d.NoFlush = proto.Uint64(7), proto.Bool(true)
	p := connect(t, s, "prog", d)
	c := consume(t, s)
	var state messages.QueryServiceStateResponse
	d.TrackEventDescriptor = &messages.TrackEventDescriptor{AvailableCategories: []*messages.TrackEventCategory{{Name: proto.String("cat")}}}
	p.invoke("RegisterDataSource", &messages.RegisterDataSourceRequest{DataSourceDescriptor: d}, nil) // the id is taken
	p.invoke("UpdateDataSource", &messages.UpdateDataSourceRequest{DataSourceDescriptor: d}, nil)
	c.invoke("QueryServiceState", &messages.QueryServiceStateRequest{}, &state)
	if list := state.ServiceState.DataSources; len(list) != 1 || !proto.Equal(list[0].DsDescriptor, d) {
		t.Errorf("%v", list)
	}
	c.enable(config(64, "words"))
	p.waitFor("start 1")
	p.write(1, "one")
	p.invoke("Sync", &messages.SyncRequest{}, nil)
	c.flush()
	p.hasNot("flush [1]")
	c.reads("!one")
}

// TestFilters has a session that is first for some producers only, and then for
// others too.
func TestFilters(t *testing.T) {
	s := serve(t, Config{})
	a, b := connect(t, s, "alpha", offer("words")), connect(t, s, "beta", offer("words"))
	c := consume(t, s)
	cfg := config(64, "words")
	cfg.DataSources[0].ProducerNameFilter = []string{"alpha", "gamma"}
	c.enable(cfg)
	a.waitFor("start 1")
	b.hasNot("set up 2")
	g := connect(t, s, "gamma", offer("other"), offer("words"))
	g.waitFor("start 2")
	cfg.DataSources[0].ProducerNameRegexFilter = []string{"be.*|nobody"}
	c.invoke("ChangeTraceConfig", &messages.ChangeTraceConfigRequest{TraceConfig: cfg}, nil)
	b.waitFor("start 3")
	// A data source that its program unregisters is stopped, and its packets remain.
	g.write(2, "last words")
	g.invoke("UnregisterDataSource", &messages.UnregisterDataSourceRequest{DataSourceName: proto.String("words")}, nil)
	g.waitFor("stop 2")
	c.flush()
	c.reads("!last words")
}
