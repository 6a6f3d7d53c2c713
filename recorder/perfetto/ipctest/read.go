// Package ipctest has helpers shared by tests of services and their clients: where
// sockets are, and what a consumer's session recorded.
package ipctest

import (
	"os"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/perfetto/messages"
)

// patience is how long the end of a trace may take. A test that passes never waits
// that long.
const patience = 2 * time.Minute

// Directory returns a new directory for sockets, which is removed after the test. Its
// path is short whatever the test is called, unlike TempDir's: on some systems the
// path of a socket has at most 103 bytes.
func Directory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// NoService makes the tests of a program find no service but their own, whatever the
// environment names, as under tracex record. It is for TestMain.
func NoService() {
	for _, name := range []string{ipc.ProducerVariable, ipc.ConsumerVariable} {
		if err := os.Unsetenv(name); err != nil {
			panic(err)
		}
	}
}

// ReadEncoded reads the packets of a consumer's session, encoded, and removes them
// from the session. consumer must be bound to ConsumerPort.
func ReadEncoded(t testing.TB, consumer *ipc.Binding) (packets [][]byte) {
	t.Helper()
	done := make(chan error, 1)
	var packet []byte
	err := consumer.Call("ReadBuffers", &messages.ReadBuffersRequest{}, func(r ipc.Reply) {
		m := new(messages.ReadBuffersResponse)
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

// Read is [ReadEncoded] with decoded packets.
func Read(t testing.TB, consumer *ipc.Binding) (packets []*messages.TracePacket) {
	t.Helper()
	for _, b := range ReadEncoded(t, consumer) {
		p := new(messages.TracePacket)
		if err := proto.Unmarshal(b, p); err != nil {
			t.Error(err)
		}
		packets = append(packets, p)
	}
	return packets
}
