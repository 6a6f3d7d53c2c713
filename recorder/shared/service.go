// Package shared records through memory that is shared with a tracing service of Perfetto's
// protocol: the recording becomes packets that outlive the program. The package registers
// itself, as a database/sql driver does:
//
//	import _ "tracex/recorder/shared"
//
// A program that imports it can be recorded by tracex record, and by any service that
// PERFETTO_PRODUCER_SOCK_NAME names, without another change. See recorder.SharedMemory.
package shared

import (
	"tracex/recorder/internal/sink"
	"tracex/recorder/perfetto/producer"
)

// Service is a way to reach a tracing service, for recorder.Config.
type Service struct{ producer *producer.Producer }

// Via returns a Service that uses p, a producer of the program. p stays open after the
// recording has ended.
func Via(p *producer.Producer) Service { return Service{p} }

// Open opens a sink for a recorder.
func (s Service) Open(r sink.Recorder, o sink.Options) (sink.Sink, error) {
	if o.TrackEvents {
		return newEventSink(r, o, s.producer)
	}
	return newCallSink(r, o, s.producer)
}

func init() { sink.Register(Service{}) }
