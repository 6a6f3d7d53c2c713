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

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// MaxFrame is the maximum size of a frame in bytes, its length included. It is the
// size of the peer's buffer: do not change it.
const MaxFrame = 128 << 10

// lengthSize is the size of a frame's length in bytes.
const lengthSize = 4

// firstRoom is the initial size of a connection's read buffer in bytes. The buffer
// grows for larger frames, and only as their bytes arrive.
const firstRoom = 4 << 10

// splitter cuts a stream into frames. The caller reads into the slice that room
// returns, reports the number of bytes to filled, and takes frames with next.
type splitter struct {
	buf        []byte
	start, end int // of the bytes that were not taken yet
}

// room returns the slice to read the next bytes into. It is not empty if next was
// called until it returned no more frames.
func (s *splitter) room() []byte {
	if s.start == s.end {
		s.start, s.end = 0, 0
	}
	if s.end == len(s.buf) {
		switch {
		case s.start > 0:
			s.end = copy(s.buf, s.buf[s.start:s.end])
			s.start = 0
		case len(s.buf) < MaxFrame:
			grown := make([]byte, min(max(2*len(s.buf), firstRoom), MaxFrame))
			copy(grown, s.buf[:s.end])
			s.buf = grown
		}
	}
	return s.buf[s.end:]
}

// filled notes that n bytes were read into the room.
func (s *splitter) filled(n int) { s.end += n }

// left returns how many bytes were not taken yet.
func (s *splitter) left() int { return s.end - s.start }

// next returns the content of the next whole frame, which may be empty. It is
// valid until the next call of room. ok is false if no whole frame has arrived.
func (s *splitter) next() (content []byte, ok bool, err error) {
	have := s.buf[s.start:s.end]
	if len(have) < lengthSize {
		return nil, false, nil
	}
	length := uint64(binary.LittleEndian.Uint32(have))
	if length > MaxFrame-lengthSize {
		return nil, false, fmt.Errorf("ipc: a frame of %d bytes arrived: %w", length, ErrTooLarge)
	}
	size := lengthSize + int(length)
	if len(have) < size {
		return nil, false, nil
	}
	s.start += size
	return have[lengthSize:size], true, nil
}

// decodeFrame returns the frame, or nil for content that is ignored.
func decodeFrame(content []byte) *messages.IPCFrame {
	if len(content) == 0 {
		return nil
	}
	frame := new(messages.IPCFrame)
	if proto.Unmarshal(content, frame) != nil {
		return nil
	}
	return frame
}

// encode returns the encoded message for a frame. It is never nil: peers expect an
// empty message to be there too.
func encode(message proto.Message) ([]byte, error) {
	body, err := proto.MarshalOptions{}.MarshalAppend([]byte{}, message)
	if err != nil {
		return nil, fmt.Errorf("cannot encode a message: %w", err)
	}
	return body, nil
}

// appendFrame appends the frame and its length. On error it returns b unchanged.
func appendFrame(b []byte, frame *messages.IPCFrame) ([]byte, error) {
	start := len(b)
	out, err := proto.MarshalOptions{}.MarshalAppend(append(b, make([]byte, lengthSize)...), frame)
	if err != nil {
		return b, fmt.Errorf("ipc: cannot encode a frame: %w", err)
	}
	if size := len(out) - start; size > MaxFrame {
		return b, fmt.Errorf("ipc: cannot send a frame of %d bytes: %w", size-lengthSize, ErrTooLarge)
	}
	binary.LittleEndian.PutUint32(out[start:], uint32(len(out)-start-lengthSize))
	return out, nil
}
