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
// A socket is a stream: frames arrive split and joined in any way. An empty frame,
// and one that is not a message, are ignored; a longer one ends the connection.
//
//	client                                  host
//	  | BindService{name}                     |
//	  |-------------------------------------->|
//	  |    BindServiceReply{id, methods[]}    |   methods by name: each host
//	  |<--------------------------------------|   numbers them in its own way
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
// A file travels beside the bytes of a frame, only over Unix sockets, and nothing
// ties it to that frame. Each end keeps the last file that arrived, until
// [Request.TakeFile] or [Reply.TakeFile] takes it. If another file replaces it, or
// the connection ends, it is closed. A sender must therefore not send a second file
// before the first has been handled. A [Client] makes sure of that; a host must send
// at most one file for each that its peer asked for.
//
// # Goroutines
//
// Each connection has two goroutines. One reads: it calls the handlers of a host
// ([Method.Handle]) or the callbacks of a client, one at a time, in the order of
// the frames. The other writes the queued frames. Sending never waits: it appends
// to the queue. A peer that does not read makes the queue grow until the
// connection's send timeout, or its limit, ends the connection; other connections
// are not affected. A peer that reads slowly is waited for. A sender of many frames
// calls Wait before each of them: the queue then stays below some 400 KiB. A host
// stops reading requests from a peer while too many replies wait for it.
//
// All that a peer sent before it died is still read. [Conn.Pending] reports when
// everything that had arrived at some moment has been handled.
package ipc
