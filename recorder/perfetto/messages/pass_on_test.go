package messages

import (
	"bytes"
	"encoding/hex"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestUnknownFieldsArePassedOn takes a data source's config out of a session's,
// as a service does. It has settings that our messages do not know.
func TestUnknownFieldsArePassedOn(t *testing.T) {
	// data_sources { config { name: "linux.ftrace" 100 { 1: "sched/sched_switch" } 999: 5 } }
	settings := unhex(t, "a2 06 14 0a 12 73636865642f73636865645f737769746368 b8 3e 05")
	config := append(unhex(t, "0a 0c 6c696e75782e667472616365"), settings...)
	session := &TraceConfig{}
	if err := proto.Unmarshal(wrap(0x12, wrap(0x0a, config)), session); err != nil {
		t.Fatal(err)
	}
	start := &GetAsyncCommandResponse{Cmd: &GetAsyncCommandResponse_StartDataSource_{
		StartDataSource: &GetAsyncCommandResponse_StartDataSource{
			NewInstanceId: proto.Uint64(1), Config: session.DataSources[0].Config,
		},
	}}
	start.GetStartDataSource().Config.TargetBuffer = proto.Uint32(7)
	encoded, err := proto.Marshal(start)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(encoded, settings) {
		t.Errorf("the settings %x are not in what the producer gets: %x", settings, encoded)
	}
}

// TestPresence encodes and decodes absent fields and zeros: they differ on the wire.
func TestPresence(t *testing.T) {
	for _, c := range []struct {
		message proto.Message
		hex     string
	}{
		{&InitializeConnectionRequest{}, ""},
		{&InitializeConnectionRequest{SharedMemorySizeHintBytes: proto.Uint32(0)}, "10 00"},
		{&GetAsyncCommandResponse{}, ""},
		{&GetAsyncCommandResponse{Cmd: &GetAsyncCommandResponse_SetupTracing_{
			SetupTracing: &GetAsyncCommandResponse_SetupTracing{}}}, "1a 00"},
		{&EnableTracingResponse{State: &EnableTracingResponse_Disabled{}}, "08 00"},
	} {
		want := unhex(t, c.hex)
		encoded, err := proto.Marshal(c.message)
		if err != nil || !bytes.Equal(encoded, want) {
			t.Errorf("%T is %x, %v; want %x", c.message, encoded, err, want)
		}
		back := c.message.ProtoReflect().New().Interface()
		if err := proto.Unmarshal(want, back); err != nil || !proto.Equal(back, c.message) {
			t.Errorf("%x is %v, %v; want %v", want, back, err, c.message)
		}
	}
}

// TestCanonical shows what the comparison of captures sees, and what it does not.
func TestCanonical(t *testing.T) {
	commit := (&CommitDataRequest{}).ProtoReflect().Descriptor()
	stats := (&TraceStats_WriterStats{}).ProtoReflect().Descriptor()
	for _, c := range []struct {
		name string
		d    protoreflect.MessageDescriptor
		a, b string
		same bool
	}{
		{"a longer length", commit, "0a 02 08 01", "0a 82 80 80 00 08 01", true},
		{"a longer integer in a message", commit, "0a 02 08 01", "0a 03 08 81 00", true},
		{"another order", commit, "0a 02 08 01 18 05", "18 05 0a 02 08 01", true},
		{"packed or not", stats, "12 02 03 04", "10 03 10 04", true},
		{"another order of a list", stats, "12 02 03 04", "12 02 04 03", false},
		{"another value", commit, "0a 02 08 01", "0a 02 08 02", false},
		{"a field less", commit, "0a 02 08 01 18 05", "0a 02 08 01", false},
		{"zero or absent", commit, "0a 02 08 00", "0a 00", false},
	} {
		a, errA := canonical(unhex(t, c.a), c.d, map[string]int{})
		b, errB := canonical(unhex(t, c.b), c.d, map[string]int{})
		if errA != nil || errB != nil || bytes.Equal(a, b) != c.same {
			t.Errorf("%s: %x, %v and %x, %v", c.name, a, errA, b, errB)
		}
	}
	unknown := map[string]int{}
	if _, err := canonical(unhex(t, "0a 04 08 01 78 02 a0 06 01"), commit, unknown); err != nil ||
		len(unknown) != 2 || unknown["ChunksToMove.15"] != 1 || unknown["CommitDataRequest.100"] != 1 {
		t.Errorf("unknown: %v, %v", unknown, err)
	}
}

func wrap(tag byte, content []byte) []byte {
	return append([]byte{tag, byte(len(content))}, content...)
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(string(bytes.ReplaceAll([]byte(text), []byte(" "), nil)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
