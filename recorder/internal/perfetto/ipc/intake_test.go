package ipc

import (
	"net"
	"slices"
	"sync/atomic"
	"testing"

	"tracex/recorder/perfetto/messages"
)

// held is a host whose handler waits, so that a test decides when calls are handled.
type held struct {
	conn    *Conn
	begun   chan struct{} // a call has arrived
	more    chan struct{} // one may end
	handled atomic.Int32
	gone    atomic.Bool
}

func hold(t *testing.T, sock net.Conn) *held {
	t.Helper()
	h := &held{begun: make(chan struct{}, 100), more: make(chan struct{}, 100)}
	conns := make(chan *Conn, 1)
	host := NewHost(HostOptions{
		Connected:    func(c *Conn) error { conns <- c; return nil },
		Disconnected: func(*Conn, error) { h.gone.Store(true) },
	}, Service{"Port", []Method{{"Take", func(*Request) {
		h.begun <- struct{}{}
		<-h.more
		h.handled.Add(1)
	}}}})
	host.Serve(sock)
	t.Cleanup(func() {
		close(h.more)
		closeHost(t, host)
	})
	h.conn = receive(t, conns, "the connection")
	return h
}

// mark waits for everything that has arrived by now. The channel gets the number of
// calls that were handled by then, or -1 if the end was reported before. It is nil if
// there is nothing to wait for.
func (h *held) mark() chan int {
	reached := make(chan int, 1)
	if !h.conn.Pending(func() {
		n := int(h.handled.Load())
		if h.gone.Load() {
			n = -1
		}
		reached <- n
	}) {
		return nil
	}
	return reached
}

// none checks that a mark is not reached yet.
func none(t *testing.T, mark chan int, when string) {
	t.Helper()
	if mark == nil {
		t.Fatalf("%s: nothing is waited for", when)
	}
	select {
	case n := <-mark:
		t.Fatalf("%s: it is reached after %d calls", when, n)
	default:
	}
}

// reached checks that a mark is reached, and after how many calls.
func reached(t *testing.T, mark chan int, want int) {
	t.Helper()
	if mark == nil {
		t.Fatalf("nothing is waited for, want %d calls", want)
	}
	if n := receive(t, mark, "the mark"); n != want {
		t.Fatalf("the mark is reached after %d calls, want %d", n, want)
	}
}

// callBytes are of a call that wants no reply.
func callBytes(t *testing.T) []byte { return framed(unhex(t, "1001 2a08 0801 1001 1a00 2001")) }

// TestAfterWhatWasRead waits for calls that were read together: data that a peer sends
// later does not count. This works on every system.
func TestAfterWhatWasRead(t *testing.T) {
	peer, sock := net.Pipe()
	h := hold(t, sock)
	if h.mark() != nil {
		t.Error("something has come of a peer that has sent nothing")
	}
	send := func(b []byte) {
		t.Helper()
		if _, err := peer.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	send(slices.Repeat(callBytes(t), 2))
	receive(t, h.begun, "the first call")
	mark, same := h.mark(), h.mark()
	none(t, mark, "while the first is handled")
	h.more <- struct{}{}
	receive(t, h.begun, "the second call")
	none(t, mark, "while the second is handled")
	h.more <- struct{}{}
	reached(t, mark, 2)
	reached(t, same, 2)
	// An incomplete frame does not count.
	send(append(callBytes(t), 1))
	receive(t, h.begun, "the third call")
	mark = h.mark()
	none(t, mark, "while the third is handled")
	h.more <- struct{}{}
	reached(t, mark, 3)
	_ = peer.Close()
	receive(t, h.conn.Done(), "the end")
	if h.mark() != nil {
		t.Error("something is pending after the end")
	}
}

// TestNothingInTheSocket has a mark that was set too far: an empty socket shows
// that it is reached.
func TestNothingInTheSocket(t *testing.T) {
	in := &intake{taken: 10, handled: 10}
	got := 0
	in.marks = []mark{{11, func() { got += 1 }}, {12, func() { got += 10 }}, {atEnd, func() { got += 100 }}}
	if !in.empty() {
		t.Error("no request waits")
	}
	if in.settle(0); got != 11 {
		t.Errorf("%d: those before the end were to be reached", got)
	}
	if in.empty() {
		t.Error("the end comes with an empty socket")
	}
	if in.end(); got != 111 {
		t.Errorf("%d: all were to be reached", got)
	}
}

// TestSplitterLeft checks how many bytes are left after frames were taken.
func TestSplitterLeft(t *testing.T) {
	frame, err := appendFrame(nil, &messages.IPCFrame{})
	if err != nil {
		t.Fatal(err)
	}
	var s splitter
	s.filled(copy(s.room(), slices.Concat(frame, frame, frame[:2])))
	for want := len(frame) + 2; ; want -= len(frame) {
		if _, ok, err := s.next(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if got := s.left(); got != want {
			t.Fatalf("%d bytes are left, want %d", got, want)
		}
		if want == 2 {
			return
		}
	}
}
