package messages

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"tracex/recorder/perfetto/perfettotest"
)

// TestCaptures decodes and encodes everything that the real service and its clients
// sent to each other: the frames, their contents, and the packets of the traces. The
// result has the same meaning, and our messages know every field.
func TestCaptures(t *testing.T) {
	unknown := map[string]int{}
	seen := map[string]int{}
	captures, err := perfettotest.All()
	if err != nil || len(captures) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	for _, capture := range captures {
		c := conversation{t: t, unknown: unknown, seen: seen, methods: map[string]string{}, packets: map[int][]byte{}}
		for i, r := range capture.Records {
			if r.Event == "frame" {
				c.where = fmt.Sprintf("%s, record %d", capture.Name, i)
				c.frame(&r)
			}
		}
	}
	for _, field := range slices.Sorted(maps.Keys(unknown)) {
		t.Errorf("%s is unknown and came %d times", field, unknown[field])
	}
	for name, least := range map[string]int{
		"IPCFrame": 300, "CommitDataRequest": 26, "GetAsyncCommandResponse": 49, "EnableTracingRequest": 12,
		"QueryServiceStateResponse": 3, "ObserveEventsResponse": 1, "CloneSessionResponse": 1, "TracePacket": 6000,
	} {
		if seen[name] < least {
			t.Errorf("only %d of %s were seen, of %d", seen[name], name, least)
		}
	}
}

// conversation follows the connections of a capture.
type conversation struct {
	t             *testing.T
	where         string
	unknown, seen map[string]int
	methods       map[string]string // names, by connection and number
	packets       map[int][]byte    // slices of a packet that is not whole, by connection
}

func (c *conversation) frame(r *perfettotest.Record) {
	frame := &IPCFrame{}
	c.same(frame, r.Frame[4:])
	at := func(kind string, number uint64) string { return fmt.Sprint(r.Conn, kind, number) }
	switch body := frame.Body.(type) {
	case *IPCFrame_BindServiceReply_:
		for _, m := range body.BindServiceReply.Methods {
			c.methods[at("method", uint64(m.GetId()))] = m.GetName()
		}
	case *IPCFrame_InvokeMethod_:
		method := c.methods[at("method", uint64(body.InvokeMethod.GetMethodId()))]
		c.methods[at("call", frame.GetRequestId())] = method
		c.message(method+"Request", body.InvokeMethod.ArgsProto)
	case *IPCFrame_InvokeMethodReply_:
		if !body.InvokeMethodReply.GetSuccess() {
			return
		}
		method := c.methods[at("call", frame.GetRequestId())]
		reply := c.message(method+"Response", body.InvokeMethodReply.ReplyProto)
		if read, ok := reply.(*ReadBuffersResponse); ok {
			for _, s := range read.Slices {
				c.packets[r.Conn] = append(c.packets[r.Conn], s.Data...)
				if s.GetLastSliceForPacket() {
					c.same(&TracePacket{}, c.packets[r.Conn])
					c.packets[r.Conn] = nil
				}
			}
		}
	}
}

// message is same for the message of that name.
func (c *conversation) message(name string, encoded []byte) proto.Message {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("tracex.perfetto." + name))
	if err != nil {
		c.t.Fatalf("%s: %s: %v", c.where, name, err)
	}
	message := kind.New().Interface()
	c.same(message, encoded)
	return message
}

// same decodes into an empty message, encodes it, and compares.
func (c *conversation) same(message proto.Message, encoded []byte) {
	c.t.Helper()
	d := message.ProtoReflect().Descriptor()
	c.seen[string(d.Name())]++
	if err := proto.Unmarshal(encoded, message); err != nil {
		c.t.Fatalf("%s: %s: %v", c.where, d.Name(), err)
	}
	again, err := proto.Marshal(message)
	if err != nil {
		c.t.Fatalf("%s: %s: %v", c.where, d.Name(), err)
	}
	want, err := canonical(encoded, d, c.unknown)
	if err != nil {
		c.t.Fatalf("%s: %v", c.where, err)
	}
	got, err := canonical(again, d, map[string]int{})
	if err != nil {
		c.t.Fatalf("%s: %v", c.where, err)
	}
	if !bytes.Equal(got, want) {
		c.t.Errorf("%s: %s came out different:\n%x\nwant\n%x", c.where, d.Name(), got, want)
	}
}
