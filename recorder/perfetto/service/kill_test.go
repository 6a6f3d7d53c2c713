//go:build linux

package service

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/perfetto/smb"
	"tracex/recorder/perfetto/messages"
)

// Environment variables of a process that TestKill starts.
const (
	childVariable = "TRACEX_TEST_SERVICE_CHILD" // the socket
	countVariable = "TRACEX_TEST_SERVICE_COUNT" // a file for the number of packets written
	// killsVariable is the number of processes that TestKill kills.
	killsVariable = "TRACEX_TEST_SERVICE_KILLS"
)

// maxPackets is how many packets a process writes at most; its buffer has room for
// them.
const maxPackets = 1_000_000

func TestMain(m *testing.M) {
	if address := os.Getenv(childVariable); address != "" {
		fmt.Fprintln(os.Stderr, child(address, os.Getenv(countVariable)))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestKill kills a program at a random moment while it writes: all packets that were
// whole by then are read, once, in order.
func TestKill(t *testing.T) {
	kills := 3
	if n, err := strconv.Atoi(os.Getenv(killsVariable)); err == nil {
		kills = n
	}
	s := serve(t, Config{})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for range kills {
		killOne(t, s, self, rng.Uint64N(20_000))
	}
}

func killOne(t *testing.T, s *Service, self string, least uint64) {
	t.Helper()
	c := consume(t, s)
	c.enable(config(64<<10, "words"))
	c.invoke("QueryCapabilities", &messages.QueryCapabilitiesRequest{}, nil)
	count := filepath.Join(t.TempDir(), "count")
	if err := os.WriteFile(count, make([]byte, 8), 0o600); err != nil {
		t.Fatal(err)
	}
	written, unmapCount := mapCount(t, count)
	defer unmapCount()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVariable+"="+s.config.Producers, countVariable+"="+count)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	begin := time.Now()
	for written.Load() <= least && time.Since(begin) < time.Minute {
		<-tick.C
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // killed
	waitUntil(t, s, func() bool { return len(s.connected) == 0 })
	next := uint64(0)
	for _, p := range c.read() {
		if e := p.GetForTesting(); e != nil {
			if e.GetStr() != fmt.Sprint(next) {
				t.Fatalf("packet %d is %q", next, e.GetStr())
			}
			next++
		}
	}
	if n := written.Load(); next < n || n <= least {
		t.Errorf("%d packets were written, %d arrived, more than %d were to be", n, next, least)
	}
	c.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
}

// mapCount maps the file in which a process counts its packets.
func mapCount(t *testing.T, path string) (*atomic.Uint64, func()) {
	t.Helper()
	m, err := openCount(path)
	if err != nil {
		t.Fatal(err)
	}
	return counter(m), func() { _ = m.Close() }
}

func openCount(path string) (*smb.Mapping, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return smb.Map(file, 8)
}

func counter(m *smb.Mapping) *atomic.Uint64 { return (*atomic.Uint64)(unsafe.Pointer(&m.Bytes()[0])) }

// child is the program: it writes numbered packets until it is killed.
func child(address, count string) error {
	m, err := openCount(count)
	if err != nil {
		return err
	}
	client, err := ipc.Dial(context.Background(), address, ipc.Options{})
	if err != nil {
		return err
	}
	b, err := client.Bind(context.Background(), "ProducerPort")
	if err != nil {
		return err
	}
	p := &program{Binding: b}
	err = b.Invoke(context.Background(), "InitializeConnection", &messages.InitializeConnectionRequest{
		ProducerName: proto.String("child"), SmbScrapingMode: messages.InitializeConnectionRequest_SMB_SCRAPING_ENABLED.Enum(),
	}, nil)
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	err = b.Call("GetAsyncCommand", &messages.GetAsyncCommandRequest{}, func(r ipc.Reply) { p.childCommand(r, counter(m), failed) })
	if err == nil {
		err = b.Invoke(context.Background(), "RegisterDataSource", &messages.RegisterDataSourceRequest{
			DataSourceDescriptor: &messages.DataSourceDescriptor{Name: proto.String("words"), NoFlush: proto.Bool(true)},
		}, nil)
	}
	if err != nil {
		return err
	}
	return <-failed
}

func (p *program) childCommand(r ipc.Reply, written *atomic.Uint64, failed chan<- error) {
	m := new(messages.GetAsyncCommandResponse)
	err := r.Decode(m)
	switch {
	case err != nil:
	case m.GetSetupTracing() != nil:
		err = p.childMemory(r.TakeFile(), int(m.GetSetupTracing().GetSharedBufferPageSizeKb())<<10)
	case m.GetStartDataSource() != nil:
		var w *smb.Writer
		if w, err = p.arbiter.NewWriter(p.arbiter.Target(m.GetStartDataSource().GetConfig().GetTargetBuffer()), smb.Stall); err != nil {
			break
		}
		go func() {
			// The service reads only chunks of writers that it knows.
			if err := p.Invoke(context.Background(), "Sync", &messages.SyncRequest{}, nil); err != nil {
				return
			}
			for i := uint64(0); i < maxPackets; i++ {
				w.Packet([]byte(body(fmt.Sprint(i))))
				written.Store(i + 1)
			}
		}()
	}
	if err != nil {
		select {
		case failed <- err:
		default: // the first is enough
		}
	}
}

func (p *program) childMemory(file *os.File, page int) error {
	defer file.Close()
	data, err := mapShared(file, defaultMemory)
	if err == nil {
		p.arbiter, err = smb.New(smb.Config{Memory: data, PageSize: page}, p)
	}
	return err
}
