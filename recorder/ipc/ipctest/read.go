// Package ipctest reads what a consumer's session recorded. It is for tests.
package ipctest

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/ipc"
	"tracex/recorder/perfetto"
)

// patience is how long the end of a trace may be away. A test that passes never
// waits it out.
const patience = 2 * time.Minute

// ReadEncoded returns the packets that the session of a consumer has, encoded, and
// takes them from it. consumer is bound to ConsumerPort.
func ReadEncoded(t testing.TB, consumer *ipc.Binding) (packets [][]byte) {
	t.Helper()
	done := make(chan error, 1)
	var packet []byte
	err := consumer.Call("ReadBuffers", &perfetto.ReadBuffersRequest{}, func(r ipc.Reply) {
		m := new(perfetto.ReadBuffersResponse)
		if err := r.Decode(m); err != nil {
			done <- err
			return
		}
		for _, s := range m.Slices {
			if packet = append(packet, s.Data...); s.GetLastSliceForPacket() {
				packets, packet = append(packets, packet), nil
			}
		}
		if !r.More {
			done <- nil
		}
	})
	if err == nil {
		select {
		case err = <-done:
		case <-time.After(patience):
			t.Fatal("the trace does not end")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return packets
}

// Read is [ReadEncoded] for who wants to look into the packets.
func Read(t testing.TB, consumer *ipc.Binding) (packets []*perfetto.TracePacket) {
	t.Helper()
	for _, b := range ReadEncoded(t, consumer) {
		p := new(perfetto.TracePacket)
		if err := proto.Unmarshal(b, p); err != nil {
			t.Error(err)
		}
		packets = append(packets, p)
	}
	return packets
}
