package ipc

import (
	"fmt"
	"os"
	"sync"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// Request is a client's call. The answer is any number of calls of Stream, then one
// of Reply or Reject. They may be called from any goroutine, and never wait. If one
// fails, nothing was sent. Few callers need to check the error: apart from
// [ErrTooLarge], it means that the connection has ended, which Disconnected reports
// as well.
type Request struct {
	Conn *Conn
	Args []byte // the encoded request message

	id      uint64
	dropped bool

	mu       sync.Mutex
	answered bool
}

// Decoded makes a handler from one that takes the decoded request message. A request
// that cannot be decoded is rejected.
func Decoded[M any, P interface {
	*M
	proto.Message
}](handle func(*Request, P)) func(*Request) {
	return func(r *Request) {
		message := P(new(M))
		if proto.Unmarshal(r.Args, message) != nil {
			r.refuse()
			return
		}
		handle(r, message)
	}
}

// Raw returns a message whose encoding is these bytes.
func Raw(encoded []byte) proto.Message {
	message := new(messages.SyncRequest)
	message.ProtoReflect().SetUnknown(encoded)
	return message
}

// TakeFile returns the last file that the client sent, if it was not taken before, or
// nil. The caller owns it. Handlers must call TakeFile before they return.
func (r *Request) TakeFile() *os.File { return r.Conn.link.file.take() }

// Dropped reports whether the client wants no reply: replies are not sent.
func (r *Request) Dropped() bool { return r.dropped }

// Reply sends the last, or only, reply; nil is an empty message.
func (r *Request) Reply(message proto.Message) error { return r.answer(message, false, nil) }

// Stream sends a reply that others will follow.
func (r *Request) Stream(message proto.Message) error { return r.answer(message, true, nil) }

// StreamFile is Stream with a file. The caller still owns the file.
func (r *Request) StreamFile(message proto.Message, file *os.File) error {
	return r.answer(message, true, file)
}

// Reject ends the request without a reply: the call failed, or the stream is
// over.
func (r *Request) Reject() error {
	return r.send(&messages.IPCFrame_InvokeMethodReply{HasMore: proto.Bool(false)}, true, nil)
}

func (r *Request) answer(message proto.Message, more bool, file *os.File) error {
	body, err := encode(message)
	if err != nil {
		return fmt.Errorf("ipc: encoding a reply: %w", err)
	}
	return r.send(&messages.IPCFrame_InvokeMethodReply{
		Success: proto.Bool(true), HasMore: proto.Bool(more), ReplyProto: body,
	}, !more, file)
}

// refuse answers a call that makes no sense.
func (r *Request) refuse() {
	r.dropped = false
	_ = r.send(&messages.IPCFrame_InvokeMethodReply{Success: proto.Bool(false)}, true, nil)
}

func (r *Request) send(reply *messages.IPCFrame_InvokeMethodReply, last bool, file *os.File) error {
	// Held until the frame is queued, so that nothing follows the last reply.
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered {
		return fmt.Errorf("ipc: %w", ErrAnswered)
	}
	if !r.dropped {
		err := r.Conn.link.send(&messages.IPCFrame{
			RequestId: proto.Uint64(r.id),
			Body:      &messages.IPCFrame_InvokeMethodReply_{InvokeMethodReply: reply},
		}, file)
		if err != nil {
			return err
		}
	}
	r.answered = last
	return nil
}

// Parked holds a request until there is something to answer. The zero value holds
// none.
type Parked struct {
	mu      sync.Mutex
	request *Request
}

// Park keeps a request, and rejects the previous one: a client that asks again gives
// that up.
func (p *Parked) Park(r *Request) {
	p.mu.Lock()
	old := p.request
	p.request = r
	p.mu.Unlock()
	if old != nil {
		_ = old.Reject()
	}
}

// Peek returns the request, for a reply that others will follow, or nil.
func (p *Parked) Peek() *Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.request
}

// Take removes and returns the request, for its last reply, or returns nil.
func (p *Parked) Take() *Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.request
	p.request = nil
	return r
}
