package ipc

import (
	"context"
	"errors"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// Conn is a host's connection to one client. Its methods may be called from any
// goroutine.
type Conn struct {
	host *Host
	link *link

	// The reading goroutine owns these. It runs all hooks and handlers.
	peer    Peer
	refused error
	// Value is the host's data about the client. Handlers, Connected and Disconnected
	// may use it without a lock.
	Value any
}

// Peer describes the connected client. Only handlers and hooks may call it.
func (c *Conn) Peer() Peer { return c.peer }

// Wait returns when the client has read most of the data sent to it, or with an error
// when nothing further can be sent. A handler that sends a lot calls Wait between
// replies.
func (c *Conn) Wait(ctx context.Context) error { return c.link.outbox.wait(ctx) }

// Close ends the connection after the queued frames are sent. It returns at once. No
// further request is handled; Disconnected is still called.
func (c *Conn) Close() { c.link.close() }

// Done is closed when the connection has ended and Disconnected has returned.
func (c *Conn) Done() <-chan struct{} { return c.link.done }

// Pending reports whether data from the client, or the end of its connection, has
// arrived and is not handled yet. If so, then is called, once, in the connection's
// reading goroutine, when everything that has arrived by now has been handled, or when
// the connection has ended and Disconnected has returned. Pending does not wait for
// the client: data that arrives later does not count, nor does part of a frame. A
// handler's own request counts until the handler has returned.
//
// Only Linux reports how many bytes are in a socket, and only for real sockets.
// Elsewhere only bytes that were read count.
func (c *Conn) Pending(then func()) bool { return c.link.pending(then) }

func (c *Conn) start() {
	c.link.run(true, func() {
		if hook := c.host.options.Connected; hook != nil {
			if c.refused = hook(c); c.refused != nil {
				c.link.close()
			}
		}
	}, c.handle, func(err error) {
		if hook := c.host.options.Disconnected; hook != nil && c.refused == nil {
			hook(c, err)
		}
		c.link.intake.end()
		c.host.forget(c)
	})
}

func (c *Conn) handle(frame *messages.IPCFrame) {
	switch body := frame.Body.(type) {
	case *messages.IPCFrame_BindService_:
		_ = c.link.send(c.host.bind(frame), nil) // an error ends the connection anyhow
	case *messages.IPCFrame_InvokeMethod_:
		c.invoke(frame, body.InvokeMethod)
	case *messages.IPCFrame_SetPeerIdentity_:
		c.peer = c.peer.relayed(body.SetPeerIdentity)
	default:
		_ = c.link.send(&messages.IPCFrame{
			RequestId: frame.RequestId,
			Body: &messages.IPCFrame_RequestError_{
				RequestError: &messages.IPCFrame_RequestError{Error: proto.String("unknown request")},
			},
		}, nil)
	}
}

func (c *Conn) invoke(frame *messages.IPCFrame, call *messages.IPCFrame_InvokeMethod) {
	m := c.host.method(call.GetServiceId(), call.GetMethodId())
	r := &Request{Conn: c, Args: call.GetArgsProto(), id: frame.GetRequestId(), dropped: call.GetDropReply()}
	if m == nil {
		// Unlike any other rejection, this one is sent even if the client wants no
		// reply, and has Success set to false.
		r.refuse()
		return
	}
	m.Handle(r)
}

var (
	// ErrPlatform is returned where a program and a service cannot share memory:
	// WebAssembly, Plan 9 and AIX.
	ErrPlatform = errors.New("no shared memory on this platform")

	// ErrTooLarge is returned for a frame of more than [MaxFrame] bytes. If such a frame
	// arrives, the connection ends; none is sent.
	ErrTooLarge = errors.New("a frame may have at most 128 KiB")

	// ErrClosed is returned after this end has closed the connection.
	ErrClosed = errors.New("the connection is closed")

	// ErrDisconnected is returned when the peer has ended the connection.
	ErrDisconnected = errors.New("the peer is gone")

	// ErrSendTimeout is returned when the connection was ended because the peer did not
	// read in time.
	ErrSendTimeout = errors.New("the peer does not read what is sent to it")

	// ErrRejected is returned for a call that the host did not carry out. The
	// protocol does not say why.
	ErrRejected = errors.New("the service rejected the call")

	// ErrNoService is returned if a host does not have the service asked for.
	ErrNoService = errors.New("the peer does not offer this service")

	// ErrNoMethod is returned if a service, being older, lacks a method.
	ErrNoMethod = errors.New("the service does not have this method")

	// ErrNoFiles is returned for a file on a connection that cannot carry files.
	ErrNoFiles = errors.New("this connection cannot carry files")

	// ErrFilePending is returned for a file while the peer may not have taken the
	// previous one. The caller must wait for a reply first.
	ErrFilePending = errors.New("the peer may not have taken the last file yet")

	// ErrAnswered is returned for a reply to a request after its last reply.
	ErrAnswered = errors.New("the request was already answered")
)
