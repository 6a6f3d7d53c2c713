// Package shared records through memory that is shared with a tracing service of
// Perfetto's protocol: what is recorded becomes packets that outlive the program. It
// registers itself, as a driver of database/sql does:
//
//	import _ "tracex/recorder/shared"
//
// A program that imports it is recorded by tracex record, and by any service that
// PERFETTO_PRODUCER_SOCK_NAME names, without another change. See recorder.SharedMemory.
package shared

import (
	"tracex/recorder/internal/sink"
	"tracex/recorder/perfetto/producer"
)

func init() { sink.Register(Service{}) }

// Service is a way to a tracing service, for recorder.Config.
type Service struct{ producer *producer.Producer }

// Via returns the way by a producer that the program has. It stays open when the
// recording has ended.
func Via(p *producer.Producer) Service { return Service{p} }

// Open opens a sink for a recorder.
func (s Service) Open(r sink.Recorder, o sink.Options) (sink.Sink, error) {
	if o.TrackEvents {
		return newEventSink(r, o, s.producer)
	}
	return newCallSink(r, o, s.producer)
}
