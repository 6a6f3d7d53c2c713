package ipc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// Service is a set of methods that a host offers under a name.
type Service struct {
	Name string
	// Methods have the numbers 1, 2, … in this order; clients find them by name.
	Methods []Method
}

// Method is a method that clients may call.
type Method struct {
	Name string
	// Handle is called for each call, one after the other on a connection, and at
	// the same time for different connections. It may answer later, from any
	// goroutine. While it runs, nothing further of the connection is read.
	Handle func(*Request)
}

// HostOptions are how a host treats its clients.
type HostOptions struct {
	Options
	// Connected is called for each new connection before its first request. An
	// error turns the peer away. May be nil.
	Connected func(*Conn) error
	// Disconnected is called after the last request of each connection that was
	// not turned away, with the reason for its end. May be nil.
	Disconnected func(*Conn, error)
	// OnError is called with errors of listeners, which keep trying. May be nil.
	OnError func(error)
}

// Host accepts connections and passes the calls of clients to its services.
type Host struct {
	options  HostOptions
	services []Service

	group sync.WaitGroup // of accepting and of connections
	quit  chan struct{}  // closed by Close

	mu        sync.Mutex
	closed    bool
	listeners []net.Listener
	conns     map[*Conn]struct{}
}

// NewHost returns a host that does not listen yet.
func NewHost(options HostOptions, services ...Service) *Host {
	return &Host{
		options:  options,
		services: services,
		quit:     make(chan struct{}),
		conns:    map[*Conn]struct{}{},
	}
}

// Listen accepts connections at the addresses, a list separated by commas. An address
// is the path of a Unix socket, "@" with an abstract name, or host:port. Listen creates
// sockets with mode 0600, and missing directories with mode 0700. With an abstract name
// or a port, anyone on the machine, or on the network, can connect:
// HostOptions.Connected must check the Peer. If Listen fails, it listens at none of the
// addresses.
func (h *Host) Listen(addresses string) error {
	listeners, err := listen(addresses)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		for _, l := range listeners {
			_ = l.Close()
		}
		return fmt.Errorf("ipc: %w", ErrClosed)
	}
	h.listeners = append(h.listeners, listeners...)
	for _, l := range listeners {
		h.group.Go(func() { h.accept(l) })
	}
	return nil
}

// Addresses returns the addresses that the host listens at, with the ports that the
// system chose.
func (h *Host) Addresses() (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.listeners {
		all = append(all, l.Addr().String())
	}
	return all
}

// acceptPause is how long a listener rests when the system has no sockets left.
const acceptPause = 50 * time.Millisecond

func (h *Host) accept(l net.Listener) {
	for {
		sock, err := l.Accept()
		if err == nil {
			h.Serve(sock)
			continue
		}
		select {
		case <-h.quit:
			return
		default:
		}
		if h.options.OnError != nil {
			h.options.OnError(fmt.Errorf("ipc: accepting a connection: %w", err))
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
		select {
		case <-h.quit:
			return
		case <-time.After(acceptPause):
		}
	}
}

// Serve serves a connection that was made in another way. The host owns it. Serve does
// not wait.
func (h *Host) Serve(sock net.Conn) {
	c := &Conn{host: h, link: newLink(sock, h.options.Options), peer: peerOf(sock)}
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		_ = sock.Close()
		return
	}
	h.conns[c] = struct{}{}
	h.group.Add(1)
	h.mu.Unlock()
	c.start()
}

// forget removes a connection from the list.
func (h *Host) forget(c *Conn) {
	h.mu.Lock()
	delete(h.conns, c)
	h.mu.Unlock()
	h.group.Done()
}

// Close stops listening, which removes the sockets' files, sends the queued frames,
// ends all connections, and returns when every handler has returned. Handlers must not
// call it.
func (h *Host) Close() error {
	h.mu.Lock()
	var err error
	if !h.closed {
		h.closed = true
		close(h.quit)
		for _, l := range h.listeners {
			err = errors.Join(err, l.Close())
		}
		for c := range h.conns {
			c.link.close()
		}
	}
	h.mu.Unlock()
	h.group.Wait()
	return err
}

// bind answers a BindService.
func (h *Host) bind(request *messages.IPCFrame) *messages.IPCFrame {
	reply := &messages.IPCFrame_BindServiceReply{}
	for i, s := range h.services {
		if s.Name != request.GetBindService().GetServiceName() {
			continue
		}
		reply.Success = proto.Bool(true)
		reply.ServiceId = proto.Uint32(uint32(i + 1))
		for j, m := range s.Methods {
			reply.Methods = append(reply.Methods, &messages.IPCFrame_BindServiceReply_MethodInfo{
				Id: proto.Uint32(uint32(j + 1)), Name: proto.String(m.Name),
			})
		}
	}
	return &messages.IPCFrame{
		RequestId: request.RequestId,
		Body:      &messages.IPCFrame_BindServiceReply_{BindServiceReply: reply},
	}
}

// method returns the method that a call names, or nil.
func (h *Host) method(service, method uint32) *Method {
	if service == 0 || uint64(service) > uint64(len(h.services)) {
		return nil
	}
	methods := h.services[service-1].Methods
	if method == 0 || uint64(method) > uint64(len(methods)) {
		return nil
	}
	return &methods[method-1]
}

// Peer describes the other end of a connection to a host.
type Peer struct {
	// UID and PID are those of the process that connected, or -1 if unknown. For a
	// Unix socket they are from the system.
	UID, PID int
	// Local is set if the peer connected over a Unix socket, so from this machine: it
	// can share memory.
	Local bool
	// Relayed is set if a relay named the peer, over TCP, without any proof.
	// MachineHint and MachineName are its machine.
	Relayed                  bool
	MachineHint, MachineName string
}

// peerOf asks the system about the other end.
func peerOf(sock net.Conn) Peer {
	peer := Peer{UID: -1, PID: -1}
	if unix, ok := sock.(*net.UnixConn); ok {
		peer.Local = true
		if uid, pid, ok := credentials(unix); ok {
			peer.UID, peer.PID = uid, pid
		}
	}
	return peer
}

// relayed returns the peer with the identity that a relay sent. Only the first one for
// a peer of another machine counts.
func (p Peer) relayed(said *messages.IPCFrame_SetPeerIdentity) Peer {
	if p.Local || p.Relayed {
		return p
	}
	return Peer{
		UID:         int(said.GetUid()),
		PID:         int(said.GetPid()),
		Relayed:     true,
		MachineHint: said.GetMachineIdHint(),
		MachineName: said.GetMachineName(),
	}
}

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
