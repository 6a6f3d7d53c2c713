package service

import (
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// TestObserve observes every change, those of one moment in one message, and the
// end.
func TestObserve(t *testing.T) {
	s := serve(t, Config{})
	plain := &messages.DataSourceDescriptor{Name: proto.String("plain")}
	p := connect(t, s, "prog", offer("words"), plain)
	c := consume(t, s)
	const all = messages.ObservableEvents_TYPE_DATA_SOURCES_INSTANCES | messages.ObservableEvents_TYPE_ALL_DATA_SOURCES_STARTED
	events := c.observe(all)
	cfg := config(64, "words", "plain")
	cfg.DeferredStart = proto.Bool(true)
	c.enable(cfg)
	next := func(want string) {
		t.Helper()
		e, got := <-events, ""
		for _, i := range e.InstanceStateChanges {
			got += fmt.Sprint(i.GetProducerName(), " ", i.GetDataSourceName(), " ", int(i.GetState()-1), "; ")
		}
		if e.GetAllDataSourcesStarted() {
			got += "all"
		}
		if got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
	next("prog words 0; prog plain 0; ")
	c.invoke("StartTracing", &messages.StartTracingRequest{}, nil)
	next("prog plain 1; ")
	next("prog words 1; all")
	c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
	next("prog plain 0; ")
	next("prog words 0; ")
	p.waitFor("stop 2")
	// A new request begins with the states; one for no events ends the previous one.
	events = c.observe(all)
	next("prog words 0; prog plain 0; ")
	ended := make(chan error, 1)
	if err := c.Call("ObserveEvents", &messages.ObserveEventsRequest{}, func(r ipc.Reply) { ended <- r.Err }); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("looking at nothing goes on")
	}
}

// TestManyChanges observes more instances than fit into one message.
func TestManyChanges(t *testing.T) {
	const sources = 2*maxChanges + 10
	s := serve(t, Config{})
	d := &messages.DataSourceDescriptor{Name: proto.String("words")}
	p := connect(t, s, "prog", d)
	c := consume(t, s)
	events := c.observe(messages.ObservableEvents_TYPE_DATA_SOURCES_INSTANCES)
	c.enable(config(64, slices.Repeat([]string{"words"}, sources)...))
	p.waitFor(fmt.Sprint("start ", sources))
	for changes := 0; changes < 2*sources; { // set up, started
		e := <-events
		changes += len(e.InstanceStateChanges)
		if n := len(e.InstanceStateChanges); n > maxChanges || changes > 2*sources {
			t.Fatalf("%d at once, %d in all", n, changes)
		}
	}
}
