package ipc

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestNothingIsLeft ends connections in every way, and waits until all their goroutines
// have ended.
func TestNothingIsLeft(t *testing.T) {
	for _, address := range []string{filepath.Join(folder(t), "s"), "127.0.0.1:0"} {
		var parked Parked
		h := NewHost(HostOptions{Options: Options{SendTimeout: ProducerSendTimeout}},
			Service{"Port", []Method{{"Echo", echo}, {"Wait", parked.Park}, {"Bye", func(r *Request) { r.Conn.Close() }}, flood(make(chan error, 24))}})
		if err := h.Listen(address); err != nil {
			t.Fatal(err)
		}
		for i := range 24 {
			sock, err := connect(within(t), h.Addresses()[0])
			if err != nil {
				t.Fatal(err)
			}
			if i%6 == 0 { // one that says nothing, or half of something
				_, _ = sock.Write([]byte{5, 0, 0, 0, 1}[:i%5])
				_ = sock.Close()
				continue
			}
			c := NewClient(sock, Options{})
			b, err := c.Bind(within(t), "Port")
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Call("Wait", nil, func(Reply) {}); err != nil {
				t.Fatal(err)
			}
			switch i % 6 {
			case 1:
				c.Close()
			case 2: // ended by the host
				_ = b.Send("Bye", nil)
				receive(t, c.Done(), "the end of the client")
			case 3: // ended by both
				_ = b.Send("Bye", nil)
				c.Close()
			case 4: // ended while much is under way
				_ = b.Call("Flood", nil, func(Reply) {})
				_ = sock.Close()
			default: // ended with the host
			}
		}
		closeHost(t, h)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for stacks := make([]byte, 1<<20); ; {
		all := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(all, "ipc.(*link)") && !strings.Contains(all, "ipc.(*Host)") {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("still running:\n%s", all)
		}
	}
}
