package ipc

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"sync"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// Client is a connection to a host. Its methods may be called from any
// goroutine, callbacks included, unless they say otherwise.
type Client struct {
	link *link

	mu       sync.Mutex // held while a request is queued, so numbers on the wire ascend
	last     uint64     // number of the last request
	calls    map[uint64]*call
	fileSent uint64 // number of a request whose file may not be taken yet; 0 if none
}

// call is a request that is not fully answered.
type call struct {
	what string // for errors
	on   func(*messages.IPCFrame, error)
}

// Dial connects to the first address of the list that accepts a connection. See
// [Host.Listen] for the form of addresses. The context is only for connecting.
func Dial(ctx context.Context, addresses string, options Options) (*Client, error) {
	sock, err := connect(ctx, addresses)
	if err != nil {
		return nil, err
	}
	return NewClient(sock, options), nil
}

// NewClient returns a client on a connection that was made in another way. The client
// owns the connection.
func NewClient(sock net.Conn, options Options) *Client {
	c := &Client{link: newLink(sock, options), calls: map[uint64]*call{}}
	c.link.run(false, func() {}, c.handle, c.ended)
	return c
}

// Close sends the queued frames and ends the connection. Calls without an answer fail
// with ErrClosed, in callbacks that may run after Close returns. Done is closed after
// the last of them.
func (c *Client) Close() {
	c.link.close()
	<-c.link.written
}

// Done is closed when the connection has ended and every callback has returned.
func (c *Client) Done() <-chan struct{} { return c.link.done }

// Err returns why the connection has ended or is about to end, or nil.
func (c *Client) Err() error { return c.link.outbox.reason() }

// Wait returns when the host has read most of the data sent to it, or with an error
// when nothing further can be sent. A client that sends a lot calls Wait between
// calls, but never in a callback.
func (c *Client) Wait(ctx context.Context) error { return c.link.outbox.wait(ctx) }

// Local reports whether the connection is a Unix socket, so that files can be sent.
func (c *Client) Local() bool { return c.link.unix != nil }

// Bind asks for a service by its name. It must not be called in a callback: the answer
// could arrive only after that callback.
func (c *Client) Bind(ctx context.Context, service string) (*Binding, error) {
	var b *Binding
	err := c.ask(ctx, func(done chan<- error) (uint64, error) {
		frame := &messages.IPCFrame{Body: &messages.IPCFrame_BindService_{
			BindService: &messages.IPCFrame_BindService{ServiceName: proto.String(service)},
		}}
		return c.send(frame, nil, &call{service, func(frame *messages.IPCFrame, err error) {
			reply := frame.GetBindServiceReply()
			if err == nil && !reply.GetSuccess() {
				err = fmt.Errorf("ipc: %s: %w", service, ErrNoService)
			}
			if err == nil {
				b = newBinding(c, service, reply)
			}
			done <- err
		}})
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// ask starts a request and waits for its result, which start's callback sends to done.
func (c *Client) ask(ctx context.Context, start func(done chan<- error) (uint64, error)) error {
	done := make(chan error, 1)
	number, err := start(done)
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	c.mu.Lock()
	_, waiting := c.calls[number]
	delete(c.calls, number)
	c.mu.Unlock()
	if !waiting {
		return <-done // it is being answered right now
	}
	return fmt.Errorf("ipc: waiting for the service: %w", ctx.Err())
}

// send numbers a request and queues it. answered is nil if no reply is wanted.
func (c *Client) send(frame *messages.IPCFrame, file *os.File, answered *call) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if file != nil && c.fileSent != 0 {
		return 0, fmt.Errorf("ipc: %w", ErrFilePending)
	}
	number := c.last + 1
	frame.RequestId = proto.Uint64(number)
	if err := c.link.send(frame, file); err != nil {
		return 0, err
	}
	c.last = number
	if file != nil {
		c.fileSent = number
	}
	if answered != nil {
		c.calls[number] = answered
	}
	return number, nil
}

// handle passes a reply to the call that waits for it.
func (c *Client) handle(frame *messages.IPCFrame) {
	number := frame.GetRequestId()
	c.mu.Lock()
	// The host handles requests in their order, so files that were sent with this one
	// or earlier ones have been taken.
	if number >= c.fileSent && number <= c.last {
		c.fileSent = 0
	}
	waiting := c.calls[number]
	if reply := frame.GetInvokeMethodReply(); !reply.GetSuccess() || !reply.GetHasMore() {
		delete(c.calls, number)
	}
	c.mu.Unlock()
	if waiting == nil {
		return
	}
	var err error
	if fault, ok := frame.Body.(*messages.IPCFrame_RequestError_); ok {
		err = fmt.Errorf("ipc: %s: %w: %q", waiting.what, ErrRejected, fault.RequestError.GetError())
	}
	waiting.on(frame, err)
}

// ended ends calls without an answer with an error, in the order of the requests.
func (c *Client) ended(err error) {
	c.mu.Lock()
	calls := c.calls
	c.calls = map[uint64]*call{}
	c.mu.Unlock()
	for _, number := range slices.Sorted(maps.Keys(calls)) {
		calls[number].on(nil, err)
	}
}

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
