package producer_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/perfetto/service"
)

// record runs a program with a service and a session of their own, and prints what
// show makes of each packet. Usually these are other processes.
func record(source string, program func(address string), show func(*messages.TracePacket) string) {
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := service.Start(service.Config{Producers: filepath.Join(dir, "p"), Consumers: filepath.Join(dir, "c")})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	session, err := s.Record(service.SessionConfig{Buffer: 1 << 20, Sources: []service.DataSource{{Name: source}}})
	if err != nil {
		log.Fatal(err)
	}
	program(filepath.Join(dir, "p"))
	if err := session.Stop(context.Background()); err != nil {
		log.Fatal(err)
	}
	err = session.Read(context.Background(), func(batch service.Packets) error {
		trace := new(messages.Trace)
		if err := proto.Unmarshal(batch.Trace(), trace); err != nil {
			return err
		}
		for _, packet := range trace.Packet {
			if text := show(packet); text != "" {
				fmt.Println(text)
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
}

// Slices of a goroutine, as Perfetto's track events.
func ExampleProducer_Events() {
	program := func(address string) {
		p, err := producer.Start(producer.Options{Name: "shop", Address: address})
		if err != nil {
			log.Fatal(err)
		}
		defer p.Close()
		events, err := p.Events(producer.EventsOptions{})
		if err != nil {
			log.Fatal(err)
		}
		// Without Settle, what precedes the session's start is not recorded.
		if err := p.Settle(context.Background()); err != nil {
			log.Fatal(err)
		}
		order, pay, amount := events.Name("shop", "order"), events.Name("shop", "pay"), events.Key("amount")
		track := events.Goroutine("main")
		slice := track.Slice(order)
		track.Instant(pay, producer.Int(amount, 12))
		slice.End()
		if err := p.Flush(context.Background()); err != nil { // the service has all of it
			log.Fatal(err)
		}
	}
	record("track_event", program, func(p *messages.TracePacket) string {
		if p.GetTrackEvent() == nil {
			return ""
		}
		return p.GetTrackEvent().GetType().String()
	})
	// Output:
	// TYPE_SLICE_BEGIN
	// TYPE_INSTANT
	// TYPE_SLICE_END
}

// A data source with packets of its own.
func ExampleProducer_Register() {
	program := func(address string) {
		p, err := producer.Start(producer.Options{Name: "thermometer", Address: address})
		if err != nil {
			log.Fatal(err)
		}
		defer p.Close()
		source, err := p.Register(producer.DataSourceSpec{Name: "temperatures", Policy: producer.Stall})
		if err != nil {
			log.Fatal(err)
		}
		if err := p.Settle(context.Background()); err != nil {
			log.Fatal(err)
		}
		for _, degrees := range []string{"20.5", "21"} {
			packet, err := proto.Marshal(&messages.TracePacket{Data: &messages.TracePacket_ForTesting{
				ForTesting: &messages.TestEvent{Str: proto.String(degrees)},
			}})
			if err != nil {
				log.Fatal(err)
			}
			for _, session := range source.Instances() {
				session.Write(packet)
			}
		}
		if err := p.Flush(context.Background()); err != nil {
			log.Fatal(err)
		}
	}
	record("temperatures", program, func(p *messages.TracePacket) string { return p.GetForTesting().GetStr() })
	// Output:
	// 20.5
	// 21
}
