package service_test

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

// A service that records the programs that connect, in its own process.
func Example() {
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := service.Start(service.Config{Producers: filepath.Join(dir, "producers"), Consumers: filepath.Join(dir, "consumers")})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	session, err := s.Record(service.SessionConfig{
		Buffer: 1 << 20,
		Sources: []service.DataSource{{
			Name:   "greetings",
			Config: &messages.DataSourceConfig{LegacyConfig: proto.String("world")},
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	greet(filepath.Join(dir, "producers")) // usually another process

	ctx := context.Background()
	if err := session.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	err = session.Read(ctx, func(batch service.Packets) error {
		for _, b := range batch.All() {
			packet := new(messages.TracePacket)
			if err := proto.Unmarshal(b, packet); err != nil {
				return err
			}
			if event := packet.GetForTesting(); event != nil {
				fmt.Println(event.GetStr())
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: hello world
}

// greet is the program: it offers a data source, and has written all that sessions want
// of it when it returns.
func greet(address string) {
	p, err := producer.Start(producer.Options{Name: "greeter", Address: address})
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	_, err = p.Register(producer.DataSourceSpec{Name: "greetings", Start: func(i *producer.Instance) {
		packet, _ := proto.Marshal(&messages.TracePacket{Data: &messages.TracePacket_ForTesting{
			ForTesting: &messages.TestEvent{Str: proto.String("hello " + i.Config().GetLegacyConfig())},
		}})
		i.Write(packet)
	}})
	if err != nil {
		log.Fatal(err)
	}
	if err := p.Settle(context.Background()); err != nil {
		log.Fatal(err)
	}
	if err := p.Flush(context.Background()); err != nil {
		log.Fatal(err)
	}
}
