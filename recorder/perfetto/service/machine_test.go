package service

import (
	"encoding/binary"
	"io"
	"net"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// relay forwards connections to an address, as another machine's relay does: it
// first sends its identity. It returns the address where it listens.
func relay(t *testing.T, to string, who *messages.IPCFrame_SetPeerIdentity) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	frame, err := proto.Marshal(&messages.IPCFrame{Body: &messages.IPCFrame_SetPeerIdentity_{SetPeerIdentity: who}})
	if err != nil {
		t.Fatal(err)
	}
	there, err := net.Dial("tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		_, _ = listener.Close(), there.Close() // running copies end
		<-done
	})
	go func() {
		defer close(done)
		here, err := listener.Accept()
		if err != nil {
			return
		}
		defer here.Close()
		back := make(chan struct{})
		go func() {
			defer close(back)
			_, _ = io.Copy(here, there) // until one of them ends
			_ = here.Close()
		}()
		_, _ = there.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(frame))), frame...)) // if it fails, no reply arrives
		_, _ = io.Copy(there, here)
		_ = there.Close()
		<-back
	}()
	return listener.Addr().String()
}

// TestOtherMachines has programs on other machines, as identified by a relay: they
// are recorded only if asked for. One that connects over TCP directly counts as a
// program of this machine.
func TestOtherMachines(t *testing.T) {
	t.Setenv(machineVariable, "this")
	c := addressed(t, Config{})
	c.Producers += ",127.0.0.1:0"
	s := serveWith(t, c, systemClock{})
	producers, _ := s.Addresses()
	far := relay(t, producers[1], &messages.IPCFrame_SetPeerIdentity{
		Pid: proto.Int32(7), Uid: proto.Int32(8), MachineIdHint: proto.String("hint"), MachineName: proto.String("that"),
	})
	for _, at := range []string{producers[0], producers[1], far} {
		_, b := dial(t, at, "ProducerPort")
		for _, call := range []struct {
			method string
			m      proto.Message
		}{
			{"InitializeConnection", &messages.InitializeConnectionRequest{ProducerName: proto.String("prog")}},
			{"RegisterDataSource", &messages.RegisterDataSourceRequest{DataSourceDescriptor: offer("words")}},
		} {
			if err := b.Invoke(t.Context(), call.method, call.m, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	k := consume(t, s)
	for _, c := range []struct {
		what   string
		all    bool
		filter []string
		want   [3]bool // on this machine, over TCP, on another machine
	}{
		{"nothing said", false, nil, [3]bool{true, true, false}},
		{"all", true, nil, [3]bool{true, true, true}},
		{"this one", true, []string{"host"}, [3]bool{true, true, false}},
		{"this one by name", true, []string{"this"}, [3]bool{true, false, false}},
		{"another", false, []string{"that"}, [3]bool{false, false, true}},
		{"both", false, []string{"that", "host"}, [3]bool{true, true, true}},
		{"no such", true, []string{"no such"}, [3]bool{}},
	} {
		cfg := config(64, "words")
		cfg.TraceAllMachines = proto.Bool(c.all)
		cfg.DataSources[0].MachineNameFilter = c.filter
		k.enable(cfg)
		k.sync()
		var got [3]bool
		s.lock()
		for _, n := range s.sessions {
			for _, i := range n.instances {
				got[i.producer.id()-1] = true
			}
		}
		s.unlock()
		if got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
		k.invoke("FreeBuffers", &messages.FreeBuffersRequest{}, nil)
	}
	var state messages.QueryServiceStateResponse
	k.invoke("QueryServiceState", &messages.QueryServiceStateRequest{}, &state)
	for i, p := range state.ServiceState.Producers {
		there := i == 2
		if (p.GetMachineId() != 0) != there || (p.GetMachineName() == "that") != there || (p.GetPid() == 7) != there {
			t.Errorf("told of %v", p)
		}
	}
}
