package service

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// TestTriggerChance has triggers that are skipped by chance, and one that several
// sessions wait for: each has its own rules.
func TestTriggerChance(t *testing.T) {
	s, clock := serveAt(t, Config{})
	s.lock()
	s.random = func() float64 { return 0.5 }
	s.unlock()
	p := connect(t, s, "prog", offer("words"))
	var list []*reader
	for i, chance := range []float64{0.6, 0.5, 0} {
		c := consume(t, s)
		cfg := awaiting(messages.TraceConfig_TriggerConfig_STOP_TRACING, "halt", 100)
		cfg.TriggerConfig.Triggers[0].SkipProbability = proto.Float64(chance)
		if i == 2 {
			cfg.TriggerConfig.Triggers[0].ProducerNameRegex = proto.String("ro") // not all of the name
		}
		c.enable(cfg)
		p.waitFor([]string{"start 1", "start 2", "start 3"}[i])
		list = append(list, c)
	}
	p.activate("halt")
	clock.pass(100 * time.Millisecond)
	if why := list[1].end(); why != "" {
		t.Error(why)
	}
	for _, i := range []uint64{1, 3} {
		if state := list[0].state(i); state != "STARTED" {
			t.Errorf("session %d is %s", i, state)
		}
	}
	// Without a trigger they end with their time, and have nothing.
	clock.pass(10 * time.Second)
	for _, i := range []int{0, 2} {
		if why := list[i].end(); why != "" {
			t.Error(why)
		}
		if got := list[i].read(); len(got) != 0 {
			t.Errorf("session %d has %d packets", i+1, len(got))
		}
	}
}

// TestSnapshotInstead has a session that would stop at a trigger be cloned
// instead, since the service can.
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
