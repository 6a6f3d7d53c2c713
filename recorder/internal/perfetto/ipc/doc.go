// Package ipc speaks the protocol of Perfetto's sockets, at both ends. It moves
// requests, replies and files, and does not know what they mean.
//
// # On the wire
//
//	+-----------------+------------------+-----------------+-- ...
//	| length          | IPCFrame         | length          |
//	| 4 bytes, little | length bytes     |                 |
//	| endian          | (protobuf)       |                 |
//	+-----------------+------------------+-----------------+-- ...
//	 <----- at most MaxFrame bytes ------>
//
// A socket is a stream: frames come split and joined in any way. An empty frame
// and one that is no message are passed over; a longer one ends the connection.
//
//	client                                  host
//	  | BindService{name}                     |
//	  |-------------------------------------->|
//	  |    BindServiceReply{id, methods[]}    |   methods by name: their numbers
//	  |<--------------------------------------|   are the host's alone
//	  | InvokeMethod{method, args}            |
//	  |-------------------------------------->|
//	  |    InvokeMethodReply{has_more: true}  |   a stream: any number of these,
//	  |<--------------------------------------|   at any time
//	  |    InvokeMethodReply{has_more: false} |
//	  |<--------------------------------------|
//
// A reply carries the number of its request. Each direction keeps its order.
//
// # Files
//
// A file travels beside the bytes of a frame, over Unix sockets alone, and
// nothing ties it to that frame: each end keeps the last one that came, until
// [Request.TakeFile] or [Reply.TakeFile] takes it, another takes its place, or
// the connection ends; then it is closed. A sender must therefore not send a
// second one before the first was handled. A [Client] sees to that itself; a
// host has to send at most one for each that its peer asked for.
//
// # Goroutines
//
// Each connection has two goroutines. One reads: it calls the handlers of a host
// ([Method.Handle]) or the callbacks of a client, one at a time, in the order of
// the frames. The other writes what is queued. Sending never waits: it appends
// to the queue. A peer that does not read makes the queue grow until the
// connection's send timeout, or its limit, ends the connection; other connections
// are not affected. A sender of many frames calls Wait between them. A host stops reading
// requests from a peer while too many replies wait for it.
//
// What a dead peer sent before it died is still read to the end. [Conn.Pending]
// tells when what had come by some moment is handled.
package ipc
