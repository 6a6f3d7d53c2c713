package ipc

import (
	"net"
	"runtime"
	"testing"
)

// tcpPair returns both ends of a connection over TCP.
func tcpPair(t *testing.T) (client, host net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	host, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = client.Close(), host.Close() })
	return client, host
}

// lies returns when so many bytes are in the socket. Over TCP they may arrive some time
// after they were written.
func (h *held) lies(bytes int) {
	in := &h.conn.link.intake
	for n := 0; n < bytes; runtime.Gosched() {
		in.mu.Lock()
		n, _ = h.conn.link.unread()
		in.mu.Unlock()
	}
}

// TestWaitForReceived waits for the data in the socket, but not for the data that the
// peer keeps sending.
func TestWaitForReceived(t *testing.T) {
	for network, both := range map[string]func(*testing.T) (client, host net.Conn){
		"unix": func(t *testing.T) (net.Conn, net.Conn) { return pair(t) }, "tcp": tcpPair,
	} {
		t.Run(network, func(t *testing.T) {
			peer, sock := both(t)
			h := hold(t, sock)
			send := func(b []byte) {
				t.Helper()
				if _, err := peer.Write(b); err != nil {
					t.Fatal(err)
				}
			}
			send(callBytes(t))
			receive(t, h.begun, "the first call")
			before := h.mark()
			send(callBytes(t))
			h.lies(len(callBytes(t))) // in the socket: the reader is held up
			mark := h.mark()
			send(callBytes(t))
			h.more <- struct{}{}
			reached(t, before, 1)
			receive(t, h.begun, "the second call")
			none(t, mark, "while the second is handled")
			h.more <- struct{}{}
			receive(t, h.begun, "the third call")
			reached(t, mark, 2)
			send(callBytes(t)[:3])
			h.lies(3)
			mark = h.mark()
			none(t, mark, "with the third that is handled")
			h.more <- struct{}{}
			reached(t, mark, 3)
			if h.mark() != nil {
				t.Error("something has come, where all was handled")
			}
			_ = peer.Close()
			receive(t, h.conn.Done(), "the end")
		})
	}
}

// TestWaitAfterTheEnd: the end of the peer counts as unhandled until the host has
// handled it.
func TestWaitAfterTheEnd(t *testing.T) {
	peer, sock := pair(t)
	h := hold(t, sock)
	if _, err := peer.Write(callBytes(t)); err != nil {
		t.Fatal(err)
	}
	receive(t, h.begun, "the call")
	if _, err := peer.Write(callBytes(t)); err != nil {
		t.Fatal(err)
	}
	before := h.mark()
	if err := peer.Close(); err != nil {
		t.Fatal(err)
	}
	mark := h.mark()
	h.more <- struct{}{}
	h.more <- struct{}{}
	reached(t, before, 2)
	reached(t, mark, -1)
	receive(t, h.conn.Done(), "the end")
	if h.mark() != nil {
		t.Error("something is pending after the end")
	}
}
