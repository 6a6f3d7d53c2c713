package ipc

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"testing"
	"time"
)

// memory is a connection to a peer that sent everything beforehand and is gone. It
// accepts all that is sent to it.
type memory struct {
	net.Conn
	in   *bytes.Reader
	size int // of a read
}

func (m *memory) Read(b []byte) (int, error)       { return m.in.Read(b[:min(len(b), m.size)]) }
func (m *memory) Write(b []byte) (int, error)      { return len(b), nil }
func (m *memory) Close() error                     { return nil }
func (m *memory) SetWriteDeadline(time.Time) error { return nil }

// hear passes the stream to a host, and returns the calls that the host got.
func hear(stream []byte, size int) (heard []string) {
	note := func(r *Request) {
		heard = append(heard, fmt.Sprintf("%d %x %v", r.id, r.Args, r.dropped))
		_ = r.Stream(nil)
		if len(heard)%2 == 0 {
			_ = r.Reject()
		}
	}
	ended := make(chan struct{})
	h := NewHost(HostOptions{Disconnected: func(*Conn, error) { close(ended) }},
		Service{"A", []Method{{"x", note}, {"y", echo}}}, Service{"B", []Method{{"z", note}}})
	h.Serve(&memory{in: bytes.NewReader(stream), size: size})
	<-ended
	_ = h.Close()
	return heard
}

// FuzzHost sends any bytes to a host: it survives, and the calls do not depend on how
// the bytes are cut.
func FuzzHost(f *testing.F) {
	call := []byte{0x10, 1, 0x2a, 8, 8, 1, 0x10, 1, 0x1a, 0, 0x20, 0}
	f.Add(slices.Concat(framed([]byte{0x10, 1, 0x1a, 3, 0x0a, 1, 'A'}), framed(call), framed(nil), framed(call)))
	f.Add(slices.Concat(framed([]byte{0x42, 2, 8, 1}), framed([]byte{0x10, 7}), framed(call)))
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole := hear(stream, MaxFrame)
		if parts := hear(stream, 3); !slices.Equal(whole, parts) {
			t.Errorf("%q at once, %q in parts", whole, parts)
		}
	})
}

// FuzzClient sends any bytes to a client: each of its calls ends, once.
func FuzzClient(f *testing.F) {
	f.Add(slices.Concat(framed([]byte{0x10, 1, 0x32, 6, 8, 1, 0x10, 1, 0x1a, 0}), framed([]byte{0x10, 1, 0x32, 2, 8, 1})))
	f.Add(framed([]byte{0x10, 2, 0x3a, 0}))
	f.Add(framed([]byte{0x10, 3, 0x22, 0}))
	f.Fuzz(func(t *testing.T, stream []byte) {
		// The peer sends nothing before the calls are made.
		begin := make(chan struct{})
		c := NewClient(&late{memory{in: bytes.NewReader(stream), size: MaxFrame}, begin}, Options{})
		b := &Binding{client: c, name: "A", number: 1, methods: map[string]uint32{"x": 1}}
		var ends [4]int
		for i := range ends {
			if err := b.Call("x", nil, func(r Reply) {
				if !r.More {
					ends[i]++
				}
				if r.More && (r.Err != nil || ends[i] > 0) {
					t.Errorf("%+v after %d ends", r, ends[i])
				}
			}); err != nil {
				t.Fatal(err)
			}
		}
		close(begin)
		<-c.Done()
		if ends != [4]int{1, 1, 1, 1} {
			t.Errorf("the calls ended %v times", ends)
		}
	})
}

// late is silent until begin is closed.
type late struct {
	memory
	begin chan struct{}
}

func (l *late) Read(b []byte) (int, error) {
	<-l.begin
	return l.memory.Read(b)
}
