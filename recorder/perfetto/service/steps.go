package service

import (
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"tracex/recorder/perfetto/messages"
)

// step is something that happened to a session, as its trace tells. The numbers
// are fields of TracingServiceEvent: on the wire, do not change.
type step protoreflect.FieldNumber

const (
	stepAllStarted   step = 1
	stepStarted      step = 2
	stepFlushed      step = 3
	stepRead         step = 4
	stepDisabled     step = 5
	stepSlowStart    step = 7
	stepSlowFlush    step = 8
	stepFlushStarted step = 9
	stepCloneStarted step = 10
	stepCloned       step = 11
)

// most is how many steps of a kind are kept until they are read: of those that
// come once, the last.
func (k step) most() int {
	switch k {
	case stepFlushed, stepFlushStarted:
		return 64
	case stepCloned:
		return maxBuffers
	}
	return 1
}

// stepTaken is a step that was taken.
type stepTaken struct {
	step step
	at   uint64 // boot time, ns
	// What the event says: true for most.
	value protoreflect.Value
}

// event notes a step of the session, and reads the clocks first if told so.
func (k *servicePackets) event(n *session, s step, clocks bool) {
	if clocks {
		k.snapshotClocks(n)
	}
	k.keep(stepTaken{s, bootTime(), protoreflect.ValueOfBool(true)})
}

func (k *servicePackets) keep(t stepTaken) {
	same := 0
	for _, other := range k.steps {
		if other.step == t.step {
			same++
		}
	}
	if same >= t.step.most() {
		oldest := slices.IndexFunc(k.steps, func(other stepTaken) bool { return other.step == t.step })
		k.steps = slices.Delete(k.steps, oldest, oldest+1)
	}
	k.steps = append(k.steps, t)
}

// takeSteps returns the steps of the session that were not read, by time.
func (n *session) takeSteps() (list []*messages.TracePacket) {
	k := &n.packets
	steps := append(k.steps, k.slowFlush...)
	k.steps, k.slowFlush = nil, nil
	if n.config.GetBuiltinDataSources().GetDisableServiceEvents() {
		return nil
	}
	slices.SortStableFunc(steps, func(a, b stepTaken) int {
		return int(int64(a.at - b.at))
	})
	for _, t := range steps {
		e := new(messages.TracingServiceEvent)
		m := e.ProtoReflect()
		m.Set(m.Descriptor().Fields().ByNumber(protoreflect.FieldNumber(t.step)), t.value)
		list = append(list, n.own(&messages.TracePacket{
			Timestamp: proto.Uint64(t.at),
			Data:      &messages.TracePacket_ServiceEvent{ServiceEvent: e},
		}))
	}
	return list
}

// noteSlow notes the data sources that have not started in time.
func (n *session) noteSlow() {
	if n.packets.allStarted {
		return
	}
	n.packets.keep(n.slow(stepSlowStart, func(i *instance) bool { return i.state != started }))
}

// noteSlowFlush notes the data sources that a last flush waited for in vain.
func (n *session) noteSlowFlush(f *flush, flags uint64) {
	if reason := flags & flushReason; reason == flushStop&flushReason || reason == flushClone&flushReason {
		t := n.slow(stepSlowFlush, func(i *instance) bool { return f.waiting[i.producer] })
		n.packets.slowFlush = append(n.packets.slowFlush, t)
	}
}

// slowMost is how many slow data sources are named.
const slowMost = 32

func (n *session) slow(s step, which func(*instance) bool) stepTaken {
	list := new(messages.TracingServiceEvent_DataSources)
	for _, i := range n.instances {
		if which(i) && len(list.DataSource) < slowMost {
			list.DataSource = append(list.DataSource, &messages.TracingServiceEvent_DataSources_DataSource{
				ProducerName: proto.String(i.producer.name), DataSourceName: proto.String(i.source.GetName()),
			})
		}
	}
	return stepTaken{s, bootTime(), protoreflect.ValueOfMessage(list.ProtoReflect())}
}
