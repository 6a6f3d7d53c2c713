package producer

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service"
)

// remotely begins a session of a data source for a program that is connected over
// TCP, so that no memory is shared.
func remotely(t *testing.T, o Options, s DataSourceSpec) (*Producer, *consumer, *Instance) {
	t.Helper()
	dir := ipctest.Directory(t)
	host, err := service.Start(service.Config{Producers: "127.0.0.1:0", Consumers: filepath.Join(dir, "c")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = host.Close() })
	producers, _ := host.Addresses()
	p := beginAt(t, producers[0], o)
	d := register(t, p, s)
	settle(t, p)
	c := consume(t, dir)
	config := session(16<<10, s.Name)
	config.TraceAllMachines = proto.Bool(true)
	c.enable(config)
	return p, c, awaitInstance(t, d)
}

// TestEmulated records over TCP, where no memory is shared.
func TestEmulated(t *testing.T) {
	p, c, i := remotely(t, Options{}, DataSourceSpec{Name: "words", Policy: smb.Stall})
	var want []string
	for n := range 1000 {
		text := fmt.Sprint(n, strings.Repeat(" long", n))
		i.Write(word(t, text))
		want = append(want, text)
	}
	want[0] = "!" + want[0]
	if err := p.Flush(within(t)); err != nil {
		t.Fatal(err)
	}
	got := words(c.read())
	i.Write(word(t, "last"))
	c.invoke("Flush", &messages.FlushRequest{}, nil)
	if got = append(got, words(c.finish())...); !slices.Equal(got, append(want, "last")) {
		t.Errorf("read %d texts, want %d", len(got), len(want)+1)
	}
}

// TestEmulatedIsScraped flushes a session whose packets are in a writer that is not
// flushed otherwise: the program copies the writer's chunk, unless scraping is
// forbidden.
func TestEmulatedIsScraped(t *testing.T) {
	for _, c := range []struct {
		options Options
		source  DataSourceSpec
		want    []string
	}{
		{Options{}, DataSourceSpec{Name: "words"}, []string{"!own"}},
		{Options{}, DataSourceSpec{Name: "words", NoFlush: true}, []string{"!own"}},
		{Options{NoScraping: true}, DataSourceSpec{Name: "words"}, nil},
	} {
		_, session, i := remotely(t, c.options, c.source)
		w, err := i.NewWriter()
		if err != nil {
			t.Fatal(err)
		}
		w.Packet(word(t, "own"))
		session.invoke("Flush", &messages.FlushRequest{}, nil)
		got := words(session.read())
		w.Packet(word(t, "later"))
		w.Close()
		if !slices.Equal(got, c.want) {
			t.Errorf("after the flush the service has %q, want %q", got, c.want)
		}
		if got = append(got, words(session.finish())...); len(got) != 2 {
			t.Errorf("in the end the service has %q", got)
		}
	}
}
