package service

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service/tracebuf"
)

func TestAppendPacket(t *testing.T) {
	p := tracebuf.Packet{From: &tracebuf.Origin{UID: -1, PID: 4242}, Lost: true, Parts: [][]byte{{0x40}, {0x05}}}
	var s stamp
	s.of(&p, func(tracebuf.SequenceID) uint32 { return 1<<32 - 1 })
	b := appendPacket(nil, &p, &s)
	var trace messages.Trace
	if err := proto.Unmarshal(b, &trace); err != nil {
		t.Fatal(err)
	}
	if len(trace.Packet) != 1 {
		t.Fatalf("%d packets", len(trace.Packet))
	}
	got := trace.Packet[0]
	if got.GetTimestamp() != 5 || got.GetTrustedUid() != -1 || got.GetTrustedPid() != 4242 ||
		got.GetTrustedPacketSequenceId() != 1<<32-1 || got.GetPreviousPacketDropped() != 1 {
		t.Errorf("%v", got)
	}
	if want := appendVarint(nil, fieldPreviousDropped, 1); stampLost != string(want) {
		t.Errorf("a loss is marked with %x, want %x", stampLost, want)
	}
}
