package ipc

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"tracex/recorder/perfetto/messages"
)

// small makes the buffers of a socket as small as the system allows.
func small(t *testing.T, sock *net.UnixConn) {
	t.Helper()
	if err := sock.SetWriteBuffer(1); err != nil {
		t.Fatal(err)
	}
	if err := sock.SetReadBuffer(1); err != nil {
		t.Fatal(err)
	}
}

// flood is a method that sends more than any socket holds, until it fails.
func flood(failed chan<- error) Method {
	return Method{"Flood", func(r *Request) {
		for {
			if err := r.Stream(text(string(make([]byte, 10_000)))); err != nil {
				failed <- err
				return
			}
			if err := r.Conn.Wait(context.Background()); err != nil {
				failed <- err
				return
			}
		}
	}}
}

// TestSilentPeerIsCutOff: the timeout ends the connection of a peer that reads nothing,
// as in Perfetto's service, where a producer has 10 ms. Another client of the same host
// is served meanwhile.
func TestSilentPeerIsCutOff(t *testing.T) {
	failed, ends := make(chan error, 1), make(chan error, 2)
	begun := make(chan struct{})
	m := flood(failed)
	handle := m.Handle
	m.Handle = func(r *Request) { close(begun); handle(r) }
	options := HostOptions{Options: Options{SendTimeout: 300 * time.Millisecond}, Disconnected: func(_ *Conn, err error) { ends <- err }}
	h, silent := host(t, options, Service{"Port", []Method{m, {"Echo", echo}}})
	small(t, silent)
	if _, err := silent.Write(framed(unhex(t, "1001 2a08 0801 1001 1a00 2000"))); err != nil {
		t.Fatal(err)
	}
	receive(t, begun, "the call")

	other, sock := pair(t)
	h.Serve(sock)
	good := client(t, other)
	b, err := good.Bind(within(t), "Port")
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if err := b.Invoke(within(t), "Echo", text("still here"), nil); err != nil {
			t.Fatal(err)
		}
	}

	if err := receive(t, failed, "the failure"); !errors.Is(err, ErrSendTimeout) {
		t.Error(err)
	}
	if err := receive(t, ends, "the end"); !errors.Is(err, ErrSendTimeout) {
		t.Error(err)
	}
	if err := good.Err(); err != nil {
		t.Error(err)
	}
}

// slowConn is a connection whose writes time out after a few bytes.
type slowConn struct{ net.Conn }

func (s slowConn) Write(b []byte) (int, error) {
	n, err := s.Conn.Write(b[:min(len(b), 5000)])
	if err == nil && n < len(b) {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

// TestSlowPeerIsWaitedFor: a peer that reads some bytes within the timeout, but not all
// that waits, gets everything.
func TestSlowPeerIsWaitedFor(t *testing.T) {
	const frames, size = 20, 100_000
	a, b := net.Pipe()
	h := NewHost(HostOptions{}, Service{"Port", []Method{{"Flood", func(r *Request) {
		for range frames {
			_ = r.Stream(text(string(make([]byte, size))))
		}
	}}}})
	defer closeHost(t, h)
	h.Serve(slowConn{a})
	defer b.Close()
	if _, err := b.Write(framed(unhex(t, "1001 2a08 0801 1001 1a00 2000"))); err != nil {
		t.Fatal(err)
	}
	peer := &raw{t: t, sock: b}
	for i := range frames {
		if content := peer.next(); len(content) < size {
			t.Fatalf("frame %d has %d bytes", i, len(content))
		}
	}
}

// TestProducerTimeout has the shortest timeout in use: it never ends the connection of a
// peer that reads, however much is sent.
func TestProducerTimeout(t *testing.T) {
	ends := make(chan error, 1)
	_, sock := host(t, HostOptions{Options: Options{SendTimeout: ProducerSendTimeout}, Disconnected: func(_ *Conn, err error) { ends <- err }},
		Service{"Port", []Method{flood(make(chan error, 1))}})
	if _, err := sock.Write(framed(unhex(t, "1001 2a08 0801 1001 1a00 2000"))); err != nil {
		t.Fatal(err)
	}
	if err := receive(t, ends, "the end"); !errors.Is(err, ErrSendTimeout) {
		t.Error(err)
	}
	// The data that fitted into the socket can still be read; then the stream ends.
	peer := &raw{t: t, sock: sock}
	frames := 0
	for peer.next() != nil {
		frames++
	}
	if frames == 0 {
		t.Error("nothing was sent before the end")
	}
}

// TestWhatWasSentIsRead: everything that a peer sent before its connection ended, or it
// died, is handled.
func TestWhatWasSentIsRead(t *testing.T) {
	const calls = 100
	for _, how := range []string{"cut off", "dead"} {
		t.Run(how, func(t *testing.T) {
			n, total := 0, make(chan int, 1)
			over, begun := make(chan struct{}), make(chan struct{})
			_, sock := host(t, HostOptions{
				Options:      Options{SendTimeout: ProducerSendTimeout},
				Disconnected: func(*Conn, error) { total <- n },
			}, Service{"Port", []Method{{"Take", func(r *Request) {
				if n++; n > 1 {
					return
				}
				close(begun)
				<-over
				// Now this end cannot send, and the rest is unread.
				for r.Stream(text(string(make([]byte, 50_000)))) == nil && r.Conn.Wait(context.Background()) == nil {
				}
			}}}})
			for range calls {
				if _, err := sock.Write(framed(unhex(t, "1001 2a08 0801 1001 1a00 2000"))); err != nil {
					t.Fatal(err)
				}
			}
			receive(t, begun, "the first call")
			if how == "dead" {
				_ = sock.Close()
			}
			close(over)
			if got := receive(t, total, "the end"); got != calls {
				t.Errorf("%d of %d calls were handled", got, calls)
			}
		})
	}
}

// TestQueueLimit ends a connection for which too much waits.
func TestQueueLimit(t *testing.T) {
	failed := make(chan error, 1)
	_, sock := host(t, HostOptions{Options: Options{QueueLimit: 1 << 20}}, Service{"Port", []Method{{"Flood", func(r *Request) {
		for {
			if err := r.Stream(text(string(make([]byte, 10_000)))); err != nil {
				failed <- err
				return
			}
		}
	}}}})
	if _, err := sock.Write(framed(unhex(t, "1001 2a08 0801 1001 1a00 2000"))); err != nil {
		t.Fatal(err)
	}
	if err := receive(t, failed, "the failure"); !errors.Is(err, ErrSendTimeout) {
		t.Error(err)
	}
}

// TestUnreadRepliesHoldRequests: requests of a peer that reads no answers are no longer
// read after some time, so that memory does not grow.
func TestUnreadRepliesHoldRequests(t *testing.T) {
	handled := make(chan int, 1000)
	n := 0
	_, sock := host(t, HostOptions{}, Service{"Port", []Method{{"Large", func(r *Request) {
		n++
		handled <- n
		_ = r.Reply(text(string(make([]byte, 100_000))))
	}}}})
	const calls = 200
	go func() {
		for range calls {
			_, _ = sock.Write(framed([]byte{0x10, 1, 0x2a, 4, 8, 1, 0x10, 1}))
		}
	}()
	for range 3 {
		receive(t, handled, "a call")
	}
	// Together the answers exceed the limit; requests are read again as the answers are
	// taken.
	peer := &raw{t: t, sock: sock}
	for i := range calls {
		if peer.next() == nil {
			t.Fatalf("only %d answers arrived", i)
		}
	}
}

// TestWaitGivenUp: a wait ends with its context.
func TestWaitGivenUp(t *testing.T) {
	sock, _ := pair(t)
	small(t, sock)
	c := NewClient(sock, Options{})
	b := newBinding(c, "Port", &messages.IPCFrame_BindServiceReply{})
	b.number, b.methods["Keep"] = 1, 1
	for range 20 {
		if err := b.Send("Keep", text(string(make([]byte, MaxFrame/2)))); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_ = sock.Close()
	receive(t, c.Done(), "the end of the client")
}

// TestCloseOverTCP: data sent before the end arrives, even if data from the peer is
// unread.
func TestCloseOverTCP(t *testing.T) {
	const frames = 40
	h := NewHost(HostOptions{}, Service{"Port", []Method{{"Bye", func(r *Request) {
		for range frames {
			_ = r.Stream(text(string(make([]byte, 10_000))))
		}
		r.Conn.Close()
	}}}})
	defer closeHost(t, h)
	if err := h.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	sock, err := net.Dial("tcp", h.Addresses()[0])
	if err != nil {
		t.Fatal(err)
	}
	defer sock.Close()
	call := framed(unhex(t, "1001 2a08 0801 1001 1a00 2000"))
	if _, err := sock.Write(append(call, make([]byte, 64<<10)...)); err != nil {
		t.Fatal(err)
	}
	peer, got := &raw{t: t, sock: sock}, 0
	for peer.next() != nil {
		got++
	}
	if got != frames {
		t.Errorf("%d of %d frames arrived", got, frames)
	}
}
