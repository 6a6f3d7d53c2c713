package consumer_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/consumer"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/producer"
	"tracex/recorder/perfetto/service"
)

// tracing starts a service, here in this process instead of Perfetto's traced, and a
// program that greets each session. It returns the address for consumers.
func tracing() (address string, stop func()) {
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		log.Fatal(err)
	}
	s, err := service.Start(service.Config{Producers: filepath.Join(dir, "p"), Consumers: filepath.Join(dir, "c")})
	if err != nil {
		log.Fatal(err)
	}
	p, err := producer.Start(producer.Options{Name: "greeter", Address: filepath.Join(dir, "p")})
	if err != nil {
		log.Fatal(err)
	}
	_, err = p.Register(producer.DataSourceSpec{Name: "greetings", Start: func(i *producer.Instance) {
		text := "hello " + i.Config().GetLegacyConfig()
		packet, _ := proto.Marshal(&messages.TracePacket{
			Data: &messages.TracePacket_ForTesting{ForTesting: &messages.TestEvent{Str: proto.String(text)}},
		})
		i.Write(packet)
	}})
	if err != nil {
		log.Fatal(err)
	}
	if err := p.Settle(context.Background()); err != nil {
		log.Fatal(err)
	}
	return filepath.Join(dir, "c"), func() {
		p.Close()
		_ = s.Close()
		_ = os.RemoveAll(dir)
	}
}

// A session from its start to its end.
func Example() {
	address, stop := tracing()
	defer stop()
	ctx := context.Background()

	c, err := consumer.Connect(ctx, address)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	config, err := consumer.ParseConfig([]byte(`
		buffers { size_kb: 1024 }
		data_sources { config { name: "greetings" legacy_config: "world" } }
	`))
	if err != nil {
		log.Fatal(err)
	}
	session, err := c.Start(ctx, config)
	if err != nil {
		log.Fatal(err)
	}
	if err := session.Started(ctx); err != nil {
		log.Fatal(err)
	}
	if err := session.Flush(ctx, 0); err != nil {
		log.Fatal(err)
	}
	if err := session.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	err = session.Read(ctx, func(b []byte) error {
		packet := new(messages.TracePacket)
		if err := proto.Unmarshal(b, packet); err != nil {
			return err
		}
		if event := packet.GetForTesting(); event != nil {
			fmt.Println(event.GetStr())
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: hello world
}

// A second connection takes a copy of a session, which continues, and writes it as a
// trace file.
func ExampleConsumer_Clone() {
	address, stop := tracing()
	defer stop()
	ctx := context.Background()
	connect := func() *consumer.Consumer {
		c, err := consumer.Connect(ctx, address)
		if err != nil {
			log.Fatal(err)
		}
		return c
	}

	first := connect()
	defer first.Close()
	session, err := first.Start(ctx, &messages.TraceConfig{
		UniqueSessionName: proto.String("always"),
		Buffers:           []*messages.TraceConfig_BufferConfig{{SizeKb: proto.Uint32(1024)}},
		DataSources:       []*messages.TraceConfig_DataSource{{Config: &messages.DataSourceConfig{Name: proto.String("greetings")}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := session.Started(ctx); err != nil {
		log.Fatal(err)
	}

	second := connect()
	defer second.Close()
	copied, err := second.Clone(ctx, consumer.CloneTarget{Name: "always"})
	if err != nil {
		log.Fatal(err)
	}
	file, err := os.CreateTemp("", "*.pftrace")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(file.Name())
	if err := copied.Copy(ctx, file); err != nil {
		log.Fatal(err)
	}
	trace := new(messages.Trace)
	b, err := os.ReadFile(file.Name())
	if err == nil {
		err = proto.Unmarshal(b, trace)
	}
	if err != nil {
		log.Fatal(err)
	}
	for _, packet := range trace.Packet {
		if packet.GetForTesting() != nil {
			fmt.Printf("%q\n", packet.GetForTesting().GetStr())
		}
	}
	// Output: "hello "
}

// What a service knows.
func ExampleConsumer_State() {
	address, stop := tracing()
	defer stop()
	ctx := context.Background()
	c, err := consumer.Connect(ctx, address)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	state, err := c.State(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range state.GetProducers() {
		fmt.Println("program", p.GetName())
	}
	for _, d := range state.GetDataSources() {
		fmt.Println("data source", d.GetDsDescriptor().GetName())
	}
	// Output:
	// program greeter
	// data source greetings
}
