package ipc

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// patience is how long a test waits for something that must arrive. A test that
// passes never waits that long.
const patience = time.Minute

// receive waits for a value.
func receive[T any](t *testing.T, from <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
	}
	return v
}

// within is a context for calls that must be answered.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// folder returns a new directory with a path short enough for sockets.
func folder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ipc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// pair returns both ends of a Unix socket.
func pair(t *testing.T) (client, host *net.UnixConn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(folder(t), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	h, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = c.Close(), h.Close() })
	return c.(*net.UnixConn), h.(*net.UnixConn)
}

// host starts one that serves one end of a pair, and returns the other end.
func host(t *testing.T, options HostOptions, services ...Service) (*Host, *net.UnixConn) {
	t.Helper()
	h := NewHost(options, services...)
	client, sock := pair(t)
	h.Serve(sock)
	t.Cleanup(func() { closeHost(t, h) })
	return h, client
}

func closeHost(t *testing.T, h *Host) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- h.Close() }()
	if err := receive(t, done, "the end of the host"); err != nil {
		t.Error(err)
	}
}

// bound starts a host and a client that is bound to its first service.
func bound(t *testing.T, options HostOptions, methods ...Method) (*Client, *Binding) {
	t.Helper()
	_, sock := host(t, options, Service{"Port", methods})
	c := client(t, sock)
	b, err := c.Bind(within(t), "Port")
	if err != nil {
		t.Fatal(err)
	}
	return c, b
}

func client(t *testing.T, sock net.Conn) *Client {
	t.Helper()
	c := NewClient(sock, Options{})
	t.Cleanup(func() {
		c.Close()
		receive(t, c.Done(), "the end of the client")
	})
	return c
}

// raw is a client by hand: it sends and reads bytes.
type raw struct {
	t    *testing.T
	sock net.Conn
	in   splitter
}

func (r *raw) send(content []byte) {
	r.t.Helper()
	if _, err := r.sock.Write(framed(content)); err != nil {
		r.t.Fatal(err)
	}
}

// next returns the next frame's content; nil at the end.
func (r *raw) next() []byte {
	r.t.Helper()
	_ = r.sock.SetReadDeadline(time.Now().Add(patience))
	for {
		content, ok, err := r.in.next()
		if err != nil {
			r.t.Fatal(err)
		}
		if ok {
			return content
		}
		n, err := r.sock.Read(r.in.room())
		r.in.filled(n)
		if os.IsTimeout(err) {
			r.t.Fatal("no frame arrived")
		}
		if err != nil {
			return nil
		}
	}
}

// echo answers with the request.
func echo(r *Request) { _ = r.Reply(Raw(r.Args)) }

// text is a message with a string in it.
func text(s string) *messages.DetachRequest { return &messages.DetachRequest{Key: proto.String(s)} }

// number is a message with a number in it.
func number(n int) *messages.FlushRequest {
	return &messages.FlushRequest{Flags: proto.Uint64(uint64(n))}
}
