package ipc

import (
	"context"
	"fmt"
	"os"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// Binding is a service of a host that a client may call.
type Binding struct {
	client  *Client
	name    string
	number  uint32
	methods map[string]uint32
}

func newBinding(c *Client, name string, reply *messages.IPCFrame_BindServiceReply) *Binding {
	b := &Binding{client: c, name: name, number: reply.GetServiceId(), methods: map[string]uint32{}}
	for _, m := range reply.GetMethods() {
		if m.GetName() != "" && m.GetId() != 0 {
			b.methods[m.GetName()] = m.GetId()
		}
	}
	return b
}

// Has reports whether the service has the method: an older one may lack it.
func (b *Binding) Has(method string) bool { return b.methods[method] != 0 }

// Reply is one answer to a call.
type Reply struct {
	Body []byte // the encoded reply message
	More bool   // other replies follow
	// Err is why there is no answer: ErrRejected, or the end of the connection. A
	// stream that the host stops ends with an Err.
	Err error

	client *Client
}

// TakeFile returns the last file that the host sent, if it was not taken before, or
// nil. The caller owns it. TakeFile must be called in the callback that got the
// reply.
func (r Reply) TakeFile() *os.File { return r.client.link.file.take() }

// Decode returns Err, or decodes the body into message.
func (r Reply) Decode(message proto.Message) error {
	if r.Err != nil {
		return r.Err
	}
	if err := proto.Unmarshal(r.Body, message); err != nil {
		return fmt.Errorf("ipc: cannot decode a reply: %w", err)
	}
	return nil
}

// Send calls a method without a reply. It does not wait, and the caller does not
// learn whether the host received the call.
func (b *Binding) Send(method string, request proto.Message) error {
	_, err := b.call(method, request, nil, nil)
	return err
}

// Call calls a method. It passes each reply to on, in order. The last one, and no
// other, lacks More or has an Err; it arrives when the connection ends, if not
// before. Callbacks of a client run one at a time, in its reading goroutine, and must
// not wait for replies. If Call fails, nothing was sent, and on is not called.
func (b *Binding) Call(method string, request proto.Message, on func(Reply)) error {
	_, err := b.call(method, request, nil, on)
	return err
}

// CallFile is Call with a file for the host. The caller still owns the file. Until a
// reply has shown that the host handled the last file, another one fails with
// ErrFilePending.
func (b *Binding) CallFile(method string, request proto.Message, file *os.File, on func(Reply)) error {
	_, err := b.call(method, request, file, on)
	return err
}

// Invoke calls a method, waits for its first reply, and decodes it into response,
// unless that is nil. Invoke must not be called in a callback: the reply could arrive
// only after that callback.
func (b *Binding) Invoke(ctx context.Context, method string, request, response proto.Message) error {
	return b.client.ask(ctx, func(done chan<- error) (uint64, error) {
		return b.call(method, request, nil, func(r Reply) {
			err := r.Err
			if response != nil {
				err = r.Decode(response)
			}
			select {
			case done <- err:
			default: // a further reply of a stream
			}
		})
	})
}

// call sends a call; on is nil if no reply is wanted.
func (b *Binding) call(method string, request proto.Message, file *os.File, on func(Reply)) (uint64, error) {
	number := b.methods[method]
	if number == 0 {
		return 0, fmt.Errorf("ipc: %s.%s: %w", b.name, method, ErrNoMethod)
	}
	args, err := encode(request)
	if err != nil {
		return 0, fmt.Errorf("ipc: encoding a request to %s.%s: %w", b.name, method, err)
	}
	frame := &messages.IPCFrame{Body: &messages.IPCFrame_InvokeMethod_{
		InvokeMethod: &messages.IPCFrame_InvokeMethod{
			ServiceId: proto.Uint32(b.number),
			MethodId:  proto.Uint32(number),
			ArgsProto: args,
			DropReply: proto.Bool(on == nil),
		},
	}}
	if on == nil {
		return b.client.send(frame, file, nil)
	}
	what := b.name + "." + method
	return b.client.send(frame, file, &call{what, func(frame *messages.IPCFrame, err error) {
		reply := frame.GetInvokeMethodReply()
		if err == nil && !reply.GetSuccess() {
			err = fmt.Errorf("ipc: %s: %w", what, ErrRejected)
		}
		on(Reply{Body: reply.GetReplyProto(), More: err == nil && reply.GetHasMore(), Err: err, client: b.client})
	}})
}
