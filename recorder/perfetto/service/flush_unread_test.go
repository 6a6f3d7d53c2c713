//go:build linux

package service

import (
	"encoding/binary"
	"errors"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// unreadProducer is a producer that has sent a commit, and perhaps has died, while the
// service is held up and has not read it.
type unreadProducer struct {
	*stepper
	sock   net.Conn
	resume func() // releases the service
}

// The numbers of a port and of its methods, as assigned by the service.
const (
	producerPort = 1
	commitMethod = 4
	syncMethod   = 11
)

// send writes a call directly to the socket.
func (p *unreadProducer) send(method uint32, m proto.Message) {
	p.t.Helper()
	args, err := proto.Marshal(m)
	if err != nil {
		p.t.Fatal(err)
	}
	frame, err := proto.Marshal(&messages.IPCFrame{
		RequestId: proto.Uint64(pingID),
		Body: &messages.IPCFrame_InvokeMethod_{InvokeMethod: &messages.IPCFrame_InvokeMethod{
			ServiceId: proto.Uint32(producerPort), MethodId: proto.Uint32(method), ArgsProto: args, DropReply: proto.Bool(true),
		}},
	})
	if err == nil {
		_, err = p.sock.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(frame))), frame...))
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// commitUnread has a producer that is not asked for flushes commit two chunks with a
// missing one between them, of an unregistered writer, so that scraping finds
// nothing, and then die, if dies is set. The commit is in the service's socket, and
// is read when p.resume is called.
func commitUnread(t *testing.T, s *Service, start func(), dies bool) *unreadProducer {
	t.Helper()
	sock, err := net.Dial("unix", s.config.Producers)
	if err != nil {
		t.Fatal(err)
	}
	client := ipc.NewClient(sock, ipc.Options{})
	t.Cleanup(client.Close)
	b, err := client.Bind(t.Context(), "ProducerPort")
	if err != nil {
		t.Fatal(err)
	}
	held := make(chan struct{})
	p := &unreadProducer{newStepperOver(t, s, client, b, true), sock, sync.OnceFunc(func() { close(held) })}
	t.Cleanup(p.resume)
	start()
	<-p.ready
	p.sync()
	if set, ok := s.clock.(*fakeClock); ok {
		set.settle = nil // the time advances although the connection is held up
	}
	// Callbacks that wait for a connection's requests run in the goroutine that reads
	// them: such a callback can hold up only that goroutine.
	reached := make(chan struct{})
	s.lock()
	p.send(syncMethod, &messages.SyncRequest{})
	waits := s.connected[1].conn.Pending(func() {
		close(reached)
		<-held
	})
	s.unlock()
	if !waits {
		t.Fatal("a request that was sent is not to come")
	}
	<-reached
	p.put(rawChunk{page: 0, writer: 1, id: 0, count: 1, payload: named("first")})
	p.put(rawChunk{page: 1, writer: 1, id: 2, count: 1, payload: named("third")})
	p.send(commitMethod, &messages.CommitDataRequest{
		ChunksToMove: []*messages.CommitDataRequest_ChunksToMove{move(0, 0, 1), move(1, 0, 1)},
	})
	if dies {
		client.Close()
	}
	return p
}

// bothWays runs a test with a live producer and with one that has died: in the
// latter case the chunk after the missing one is read too.
func bothWays(t *testing.T, test func(t *testing.T, dies bool, want []string)) {
	for what, dies := range map[string]bool{"lives": false, "died": true} {
		t.Run(what, func(t *testing.T) {
			want := []string{"!first"}
			if dies {
				want = append(want, "!third")
			}
			test(t, dies, want)
		})
	}
}

// TestFlushUnread flushes: the packets that producers had committed are then in the
// trace, though they are not asked for a flush.
func TestFlushUnread(t *testing.T) {
	bothWays(t, func(t *testing.T, dies bool, want []string) {
		s, _ := serveAt(t, Config{})
		c := consume(t, s)
		p := commitUnread(t, s, func() { c.enable(config(64, "raw.ds")) }, dies)
		done := make(chan error, 1)
		if err := c.Call("Flush", &messages.FlushRequest{}, func(r ipc.Reply) { done <- r.Err }); err != nil {
			t.Fatal(err)
		}
		c.sync()
		if len(done) > 0 {
			t.Error("it is done before what was committed is there")
		}
		p.resume()
		if err := wait(t.Context(), done); err != nil {
			t.Error(err)
		}
		c.reads(want...)
	})
}

// TestFlushBehindFails checks that a flush does not wait beyond its timeout.
func TestFlushUnreadFails(t *testing.T) {
	s, clock := serveAt(t, Config{})
	c := consume(t, s)
	p := commitUnread(t, s, func() { c.enable(config(64, "raw.ds")) }, false)
	done := make(chan error, 1)
	if err := c.Call("Flush", &messages.FlushRequest{}, func(r ipc.Reply) { done <- r.Err }); err != nil {
		t.Fatal(err)
	}
	c.sync()
	clock.pass(defaultFlushTimeout)
	if err := wait(t.Context(), done); !errors.Is(err, ipc.ErrRejected) {
		t.Errorf("it ended with %v", err)
	}
	p.resume()
	p.sync()
	c.reads("!first")
}

// TestEndUnread ends a session, which is read or is written into a file, without a
// flush, or when its time is up: it has the packets that producers had committed.
func TestEndUnread(t *testing.T) {
	for _, how := range []string{"read", "file", "time"} {
		t.Run(how, func(t *testing.T) {
			bothWays(t, func(t *testing.T, dies bool, want []string) {
				s, clock := serveAt(t, Config{})
				c, file := consume(t, s), create(t)
				cfg := config(64, "raw.ds")
				cfg.DurationMs = proto.Uint32(1000)
				p := commitUnread(t, s, func() {
					if how == "file" {
						c.recordInto(cfg, file)
					} else {
						c.enable(cfg)
					}
				}, dies)
				if how == "time" {
					clock.pass(time.Second)
				} else {
					c.invoke("DisableTracing", &messages.DisableTracingRequest{}, nil)
				}
				if state := c.state(1); state == "DISABLED" || len(c.ended) > 0 {
					t.Error("it is over before what was committed is there")
				}
				p.resume()
				if why := c.end(); why != "" {
					t.Error(why)
				}
				if how == "file" {
					if got := texts(packetsOf(t, contents(t, file.Name()))); !slices.Equal(got, want) {
						t.Errorf("the file has %q, want %q", got, want)
					}
					return
				}
				c.reads(want...)
			})
		})
	}
}

// TestCloneUnread clones a session: the clone has the packets that producers had
// committed.
func TestCloneUnread(t *testing.T) {
	bothWays(t, func(t *testing.T, dies bool, want []string) {
		s, _ := serveAt(t, Config{})
		c, k := consume(t, s), consume(t, s)
		p := commitUnread(t, s, func() { c.enable(config(64, "raw.ds")) }, dies)
		done := make(chan error, 1)
		err := k.Call("CloneSession", &messages.CloneSessionRequest{Selector: &messages.CloneSessionRequest_SessionId{SessionId: 1}},
			func(r ipc.Reply) { done <- r.Err })
		if err != nil {
			t.Fatal(err)
		}
		k.sync()
		if len(done) > 0 {
			t.Error("it is made before what was committed is there")
		}
		p.resume()
		if err := wait(t.Context(), done); err != nil {
			t.Error(err)
		}
		k.reads(want...)
	})
}
