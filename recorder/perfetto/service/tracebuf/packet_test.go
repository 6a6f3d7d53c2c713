package tracebuf

import (
	"bytes"
	"encoding/hex"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

func TestAcceptable(t *testing.T) {
	packet := &messages.TracePacket{
		Timestamp: proto.Uint64(1 << 60),
		Data: &messages.TracePacket_ForTesting{ForTesting: &messages.TestEvent{
			Str: proto.String("some text"), IsLast: proto.Bool(true)}},
		PreviousPacketDropped: proto.Uint32(257),
	}
	good, err := proto.Marshal(packet)
	if err != nil {
		t.Fatal(err)
	}
	good = protowire.AppendFixed32(protowire.AppendTag(good, 2000, protowire.Fixed32Type), 7)
	ends := map[int]bool{0: true}
	for at := 0; at < len(good); {
		_, _, n := protowire.ConsumeField(good[at:])
		at += n
		ends[at] = true
	}
	for n := range len(good) + 1 {
		if got := Acceptable(good[:n]); got != ends[n] {
			t.Errorf("cut to %d of %d bytes: %v", n, len(good), got)
		}
	}
	for _, field := range []protowire.Number{3, 10, 33, 35, 36, 50, 69, 79, 98, 124, 125, 133} {
		bad := protowire.AppendVarint(protowire.AppendTag(bytes.Clone(good), field, protowire.VarintType), 1)
		if Acceptable(bad) {
			t.Errorf("field %d is taken from a producer", field)
		}
	}
	for _, bad := range []string{"00", "0b0c", "07", "ffffffffffffffffffff01", "08", "0aff", "0affffffffffffffffff01", "09ff"} {
		b, err := hex.DecodeString(bad)
		if err != nil {
			t.Fatal(err)
		}
		if Acceptable(b) {
			t.Errorf("%s is taken for a message", bad)
		}
	}
}
