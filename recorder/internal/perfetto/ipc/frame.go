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
