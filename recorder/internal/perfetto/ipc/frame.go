package ipc

import (
	"encoding/binary"
	"fmt"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/internal/perfetto/messages"
)

// MaxFrame is how many bytes a frame may have, its length included. It is the
// size of a peer's buffer: on the wire, do not change.
const MaxFrame = 128 << 10

// lengthSize is how many bytes a frame's length takes.
const lengthSize = 4

// firstRoom is what a connection sets aside to read into. It grows as frames
// demand, and only while their bytes really come.
const firstRoom = 4 << 10

// splitter cuts a stream into frames. Bytes are put where room says, told of by
// filled, and taken by next.
type splitter struct {
	buf        []byte
	start, end int // what was not taken yet
}

// room returns where the next bytes go; it is never empty unless next was not
// asked until it had no more.
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

// filled says that n bytes were put into the room.
func (s *splitter) filled(n int) { s.end += n }

// left is how many bytes were not taken yet.
func (s *splitter) left() int { return s.end - s.start }

// next returns the content of the next whole frame, which may be empty. It is
// valid until room is asked for. Without a whole frame, ok is false.
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

// decodeFrame returns the frame, or nil for content that is to be passed over.
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

// encode returns what a frame carries. It is never nil: peers want to see an
// empty message too.
func encode(message proto.Message) ([]byte, error) {
	body, err := proto.MarshalOptions{}.MarshalAppend([]byte{}, message)
	if err != nil {
		return nil, fmt.Errorf("cannot encode a message: %w", err)
	}
	return body, nil
}

// appendFrame appends the frame and its length. With an error, b is returned as
// it was.
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
