package ipc

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/perfettotest"
)

// dialogue is one connection of a capture.
type dialogue struct {
	name   string
	frames []perfettotest.Record
}

// dialogues are all connections of all captures.
func dialogues(t *testing.T) (all []dialogue) {
	t.Helper()
	captures, err := perfettotest.All()
	if err != nil || len(captures) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	for _, capture := range captures {
		byConn := map[int]int{}
		for _, r := range capture.Records {
			if r.Event != "frame" {
				continue
			}
			if _, ok := byConn[r.Conn]; !ok {
				byConn[r.Conn] = len(all)
				all = append(all, dialogue{name: fmt.Sprintf("%s, connection %d", capture.Name, r.Conn)})
			}
			d := &all[byConn[r.Conn]]
			d.frames = append(d.frames, r)
		}
	}
	return all
}

// service returns the service of the dialogue. Its handlers call got.
func (d *dialogue) service(got func(method string, r *Request)) (s Service, reply *messages.IPCFrame) {
	for _, r := range d.frames {
		frame := decodeFrame(r.Frame[lengthSize:])
		if b := frame.GetBindService(); b != nil {
			s.Name = b.GetServiceName()
		}
		for _, m := range frame.GetBindServiceReply().GetMethods() {
			reply = frame
			s.Methods = append(s.Methods, Method{m.GetName(), func(r *Request) { got(m.GetName(), r) }})
		}
	}
	return s, reply
}

// TestReplayClients passes the streams of real clients to a host, joined and cut in all
// ways. It answers their binds as the real service did.
func TestReplayClients(t *testing.T) {
	calls := 0
	for _, d := range dialogues(t) {
		var got []string
		ended := make(chan struct{})
		service, bindReply := d.service(func(method string, r *Request) {
			got = append(got, fmt.Sprintf("%d %s %x %v", r.id, method, r.Args, r.Dropped()))
		})
		var want []string
		var stream []byte
		for _, r := range d.frames {
			if !r.ToService() {
				continue
			}
			stream = append(stream, r.Frame...)
			frame := decodeFrame(r.Frame[lengthSize:])
			if call := frame.GetInvokeMethod(); call != nil {
				method := service.Methods[call.GetMethodId()-1].Name
				want = append(want, fmt.Sprintf("%d %s %x %v", frame.GetRequestId(), method, call.GetArgsProto(), call.GetDropReply()))
			}
		}
		calls += len(want)
		for _, size := range []int{len(stream), 7, 4093} {
			got, ended = nil, make(chan struct{})
			_, sock := host(t, HostOptions{Disconnected: func(*Conn, error) { close(ended) }}, service)
			for part := range slices.Chunk(stream, size) {
				if _, err := sock.Write(part); err != nil {
					t.Fatal(err)
				}
			}
			if bindReply != nil {
				reply := decodeFrame((&raw{t: t, sock: sock}).next())
				if !proto.Equal(reply, bindReply) {
					t.Errorf("%s: the binding is %v, want %v", d.name, reply, bindReply)
				}
			}
			_ = sock.CloseWrite()
			receive(t, ended, "the end")
			if !slices.Equal(got, want) {
				t.Errorf("%s, parts of %d: %q, want %q", d.name, size, got, want)
			}
		}
	}
	if calls < 146 {
		t.Errorf("only %d calls were replayed", calls)
	}
}

// TestReplayService has a client do what real clients did: it sends exactly their
// frames, and gets the answers of the real service.
func TestReplayService(t *testing.T) {
	replies := 0
	for _, d := range dialogues(t) {
		t.Run(d.name, func(t *testing.T) { replies += replayService(t, &d) })
	}
	if replies < 100 {
		t.Errorf("only %d replies were replayed", replies)
	}
}

func replayService(t *testing.T, d *dialogue) int {
	service, _ := d.service(nil)
	sock, there := pair(t)
	peer := &raw{t: t, sock: there}
	c := NewClient(sock, Options{})

	type answer struct {
		number uint64
		body   string
		more   bool
		failed bool
	}
	var got, want []answer // got: of the callbacks
	var b *Binding
	bound := make(chan error, 1)
	for _, r := range d.frames {
		frame := decodeFrame(r.Frame[lengthSize:])
		switch body := frame.Body.(type) {
		case *messages.IPCFrame_BindService_:
			go func() {
				var err error
				b, err = c.Bind(context.Background(), body.BindService.GetServiceName())
				bound <- err
			}()
		case *messages.IPCFrame_InvokeMethod_:
			number, call := frame.GetRequestId(), body.InvokeMethod
			method := service.Methods[call.GetMethodId()-1].Name
			var err error
			if call.GetDropReply() {
				err = b.Send(method, Raw(call.ArgsProto))
			} else {
				err = b.Call(method, Raw(call.ArgsProto), func(r Reply) {
					got = append(got, answer{number, string(r.Body), r.More, r.Err != nil})
				})
			}
			if err != nil {
				t.Fatal(err)
			}
		case *messages.IPCFrame_InvokeMethodReply_:
			reply := body.InvokeMethodReply
			want = append(want, answer{frame.GetRequestId(), string(reply.ReplyProto), reply.GetHasMore(), !reply.GetSuccess()})
		}
		if r.ToService() {
			if sent := peer.next(); !proto.Equal(decodeFrame(sent), frame) {
				t.Fatalf("sent %x, want %x", sent, r.Frame[lengthSize:])
			}
			continue
		}
		if _, err := there.Write(r.Frame); err != nil {
			t.Fatal(err)
		}
		if frame.GetBindServiceReply() != nil {
			if err := receive(t, bound, "the binding"); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = there.Close()
	receive(t, c.Done(), "the end of the client")
	// After the replies, the calls that were never answered fail.
	if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
		t.Errorf("%d answers, want %d, or they differ", len(got), len(want))
	}
	for _, a := range got[min(len(want), len(got)):] {
		if !a.failed || a.body != "" {
			t.Errorf("an answer that was not given: %+v", a)
		}
	}
	return len(want)
}

// TestRawIsVerbatim sends any bytes unchanged.
func TestRawIsVerbatim(t *testing.T) {
	for _, b := range [][]byte{nil, {8, 1}, {0x0a, 0x83, 0x80, 0x00, 1, 2, 3}, {0xff}} {
		if got, err := encode(Raw(b)); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%x became %x, %v", b, got, err)
		}
	}
}
