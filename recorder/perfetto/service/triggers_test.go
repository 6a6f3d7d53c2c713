package service

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// awaiting returns the config of a session that waits for a trigger.
func awaiting(mode messages.TraceConfig_TriggerConfig_TriggerMode, name string, delay uint32) *messages.TraceConfig {
	cfg := config(64, "words")
	cfg.TriggerConfig = &messages.TraceConfig_TriggerConfig{
		TriggerMode: mode.Enum(), TriggerTimeoutMs: proto.Uint32(10_000),
		Triggers: []*messages.TraceConfig_TriggerConfig_Trigger{{
			Name: proto.String(name), StopDelayMs: proto.Uint32(delay), ProducerNameRegex: proto.String("pr.+"),
		}},
	}
	return cfg
}

func (p *program) activate(name string) {
	p.t.Helper()
	p.invoke("ActivateTriggers", &messages.ActivateTriggersRequest{TriggerNames: []string{"nobody's", name}}, nil)
}

func TestStartTrigger(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	stranger := connect(t, s, "another")
	c := consume(t, s)
	c.enable(awaiting(messages.TraceConfig_TriggerConfig_START_TRACING, "go", 500))
	p.waitFor("set up 1")
	stranger.activate("go") // it is not allowed to
	p.hasNot("start 1")
	p.activate("go")
	p.waitFor("start 1")
	p.write(1, "one")
	p.invoke("Sync", &messages.SyncRequest{}, nil)
	clock.pass(500 * time.Millisecond)
	if why := c.end(); why != "" {
		t.Error(why)
	}
	packets := c.read()
	if !slices.ContainsFunc(packets, func(p *messages.TracePacket) bool {
		return p.GetTrigger().GetTriggerName() == "go" && p.GetTrigger().GetProducerName() == "prog"
	}) || !slices.Equal(texts(packets), []string{"!one"}) {
		t.Errorf("%q, or no trigger", texts(packets))
	}
	// Another session, whose trigger never arrives, ends by itself and is empty.
	k := consume(t, s)
	k.enable(awaiting(messages.TraceConfig_TriggerConfig_START_TRACING, "never", 500))
	k.invoke("QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
	clock.pass(10 * time.Second)
	if why := k.end(); why != "" {
		t.Error(why)
	}
	if got := k.read(); len(got) != 0 {
		t.Errorf("%d packets without a trigger", len(got))
	}
}

func TestStopTrigger(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	c.enable(awaiting(messages.TraceConfig_TriggerConfig_STOP_TRACING, "halt", 500))
	p.waitFor("start 1")
	p.write(1, "one")
	c.flush()
	if got := c.read(); len(got) != 0 {
		t.Errorf("%d packets before the trigger", len(got))
	}
	p.activate("halt")
	p.activate("halt") // counts once
	p.write(1, "two")
	clock.pass(500 * time.Millisecond)
	if why := c.end(); why != "" {
		t.Error(why)
	}
	c.reads("!one", "two")
}

// TestCloneTrigger clones a session at each trigger.
func TestCloneTrigger(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	events := c.observe(messages.ObservableEvents_TYPE_CLONE_TRIGGER_HIT)
	cfg := awaiting(messages.TraceConfig_TriggerConfig_CLONE_SNAPSHOT, "snap", 100)
	cfg.TriggerConfig.TriggerTimeoutMs = proto.Uint32(maxDurationMs)
	c.enable(cfg)
	p.waitFor("start 1")
	p.write(1, "one")
	p.activate("snap")
	clock.pass(100 * time.Millisecond)
	hit := (<-events).GetCloneTriggerHit()
	if hit.GetTriggerName() != "snap" || hit.GetTracingSessionId() != 1 || hit.GetTriggerDelayMs() != 100 {
		t.Errorf("%v", hit)
	}
	k := consume(t, s)
	var answer messages.CloneSessionResponse
	k.invoke("CloneSession", &messages.CloneSessionRequest{
		Selector:         &messages.CloneSessionRequest_SessionId{SessionId: 1},
		CloneTriggerName: proto.String("snap"), CloneTriggerProducerName: proto.String("prog"),
	}, &answer)
	if !answer.GetSuccess() {
		t.Fatal(answer.GetError())
	}
	packets := k.read()
	kinds := map[string]int{}
	for _, p := range packets {
		kinds[fmt.Sprintf("%T", p.Data)]++
	}
	if kinds["*messages.TracePacket_Trigger"] != 1 || kinds["*messages.TracePacket_CloneSnapshotTrigger"] != 1 ||
		!slices.Equal(texts(packets), []string{"!one"}) {
		t.Errorf("the clone has %q and %v", texts(packets), kinds)
	}
	p.activate("snap")
	clock.pass(time.Second)
	<-events
	if len(events) > 0 {
		t.Error("one trigger too many")
	}
}

// TestSnapshotInstead has a session that would stop at a trigger: it is cloned
// instead, since the service supports that.
func TestSnapshotInstead(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	events := c.observe(messages.ObservableEvents_TYPE_CLONE_TRIGGER_HIT)
	cfg := awaiting(messages.TraceConfig_TriggerConfig_STOP_TRACING, "snap", 100)
	cfg.TriggerConfig.UseCloneSnapshotIfAvailable = proto.Bool(true)
	c.enable(cfg)
	p.waitFor("start 1")
	p.activate("snap")
	clock.pass(100 * time.Millisecond)
	if hit := (<-events).GetCloneTriggerHit(); hit.GetProducerName() != "prog" {
		t.Errorf("%v", hit)
	}
	if got := c.state(1); got != "STARTED" {
		t.Errorf("the session is %s", got)
	}
}

// TestStartedBeforeTrigger has a session that waits for a trigger and is started by
// its consumer: the missing trigger then does not end it.
func TestStartedBeforeTrigger(t *testing.T) {
	s, clock := serveAt(t, Config{})
	p := connect(t, s, "prog", offer("words"))
	c := consume(t, s)
	c.enable(awaiting(messages.TraceConfig_TriggerConfig_START_TRACING, "never", 500))
	p.waitFor("set up 1")
	c.invoke("StartTracing", &messages.StartTracingRequest{}, nil)
	p.waitFor("start 1")
	clock.pass(time.Hour)
	if state := c.state(1); state != "STARTED" {
		t.Errorf("the session is %s", state)
	}
}
