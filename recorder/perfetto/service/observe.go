package service

import (
	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// notify adds an event for the consumer, if it observes that kind. The event is sent
// when the lock is released.
func (k *consumer) notify(kind messages.ObservableEvents_Type, add func(*messages.ObservableEvents)) {
	if k == nil || k.types&kind == 0 {
		return
	}
	if k.events == nil {
		k.events = new(messages.ObservableEvents)
		k.s.notified = append(k.s.notified, k)
	}
	add(k.events)
}

// allStarted notes that all data sources have started.
func (k *consumer) allStarted() {
	k.notify(messages.ObservableEvents_TYPE_ALL_DATA_SOURCES_STARTED, func(e *messages.ObservableEvents) {
		e.AllDataSourcesStarted = proto.Bool(true)
	})
}

// observe tells the consumer the state of an instance. Transitional states are not
// reported.
func (n *session) observe(i *instance) {
	state := messages.ObservableEvents_DATA_SOURCE_INSTANCE_STATE_STOPPED
	switch i.state {
	case starting, stopping:
		return
	case started:
		state = messages.ObservableEvents_DATA_SOURCE_INSTANCE_STATE_STARTED
	}
	n.consumer.notify(messages.ObservableEvents_TYPE_DATA_SOURCES_INSTANCES, func(e *messages.ObservableEvents) {
		e.InstanceStateChanges = append(e.InstanceStateChanges, &messages.ObservableEvents_DataSourceInstanceStateChange{
			ProducerName: proto.String(i.producer.name), DataSourceName: proto.String(i.source.GetName()), State: state.Enum(),
		})
	})
}
