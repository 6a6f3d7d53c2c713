package ipc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/perfettotest"
)

// framed is the content with its length.
func framed(content []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(content))), content...)
}

// cut feeds the parts to a splitter, and returns the frames.
func cut(parts ...[]byte) (contents [][]byte, err error) {
	var s splitter
	for _, part := range parts {
		for {
			n := copy(s.room(), part)
			s.filled(n)
			for {
				content, ok, err := s.next()
				if err != nil {
					return contents, err
				}
				if !ok {
					break
				}
				contents = append(contents, bytes.Clone(content))
			}
			if part = part[n:]; len(part) == 0 {
				break
			}
		}
	}
	return contents, nil
}

// TestSplitAnywhere cuts the streams of real peers at every byte.
func TestSplitAnywhere(t *testing.T) {
	records, err := perfettotest.Load("01_basic")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"c2s", "s2c"} {
		var stream []byte
		var want [][]byte
		for _, r := range records {
			// Trace data, which is long, is cut elsewhere.
			if r.Event == "frame" && r.Dir == dir && len(r.Frame) < 1024 {
				stream = append(stream, r.Frame...)
				want = append(want, r.Frame[4:])
			}
		}
		if len(want) < 8 {
			t.Fatalf("only %d frames", len(want))
		}
		for at := range len(stream) + 1 {
			got, err := cut(stream[:at], stream[at:])
			if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
				t.Fatalf("%s, cut at %d: %d frames, %v; want %d", dir, at, len(got), err, len(want))
			}
		}
		got, err := cut(slices.Collect(slices.Chunk(stream, 1))...)
		if err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
			t.Fatalf("%s, byte by byte: %d frames, %v; want %d", dir, len(got), err, len(want))
		}
		for _, content := range want {
			if decodeFrame(content) == nil {
				t.Errorf("%s: %x is passed over", dir, content)
			}
		}
	}
}

// TestLargeFrames goes to the limit and one byte over it.
func TestLargeFrames(t *testing.T) {
	largest := bytes.Repeat([]byte{7}, MaxFrame-lengthSize)
	stream := slices.Concat(framed([]byte{1}), framed(largest), framed([]byte{2}), framed(largest))
	for _, size := range []int{1, 4095, 65536, len(stream)} {
		got, err := cut(slices.Collect(slices.Chunk(stream, size))...)
		if err != nil || len(got) != 4 || !bytes.Equal(got[1], largest) || !bytes.Equal(got[3], largest) {
			t.Fatalf("parts of %d: %d frames, %v", size, len(got), err)
		}
	}
	// The length is enough to refuse it.
	for _, length := range []uint32{MaxFrame - lengthSize + 1, 1 << 31, 1<<32 - 1} {
		got, err := cut(framed([]byte{1}), binary.LittleEndian.AppendUint32(nil, length))
		if len(got) != 1 || !errors.Is(err, ErrTooLarge) {
			t.Errorf("a length of %d: %d frames, %v", length, len(got), err)
		}
	}
}

// TestLengthTakesNoMemory announces a large frame and sends little of it.
func TestLengthTakesNoMemory(t *testing.T) {
	var s splitter
	stream := binary.LittleEndian.AppendUint32(nil, MaxFrame-lengthSize)
	stream = append(stream, make([]byte, firstRoom-len(stream)-1)...)
	s.filled(copy(s.room(), stream))
	if _, ok, err := s.next(); ok || err != nil {
		t.Fatal(ok, err)
	}
	if len(s.room()) != 1 || len(s.buf) != firstRoom {
		t.Errorf("%d bytes are set aside for %d", len(s.buf), len(stream))
	}
}

// TestPassedOver has frames that are ignored.
func TestPassedOver(t *testing.T) {
	for _, content := range [][]byte{nil, {0xff}, {0x10}, {0x1a, 5, 1}, {0x0b}} {
		if frame := decodeFrame(content); frame != nil {
			t.Errorf("%x is taken for %v", content, frame)
		}
	}
}

// TestLongVarints reads lengths and numbers in more bytes than they need.
func TestLongVarints(t *testing.T) {
	frame := decodeFrame([]byte{0x10, 0x81, 0x00, 0x1a, 0x86, 0x80, 0x80, 0x00, 0x0a, 0x84, 0x00, 'P', 'o', 'r'})
	if frame != nil {
		t.Fatalf("cut short, and yet %v", frame)
	}
	frame = decodeFrame([]byte{0x10, 0x81, 0x00, 0x1a, 0x87, 0x80, 0x80, 0x00, 0x0a, 0x84, 0x00, 'P', 'o', 'r', 't'})
	if frame.GetRequestId() != 1 || frame.GetBindService().GetServiceName() != "Port" {
		t.Errorf("%v", frame)
	}
}

// TestAppendFrame appends a frame that is too large: the buffer stays as it was.
func TestAppendFrame(t *testing.T) {
	frame := func(size int) *messages.IPCFrame {
		return &messages.IPCFrame{DataForTesting: [][]byte{make([]byte, size)}}
	}
	before := []byte("before")
	const around = lengthSize + 4 // a tag and a length of three bytes
	out, err := appendFrame(before, frame(MaxFrame-around))
	if err != nil || len(out) != len(before)+MaxFrame || !bytes.HasPrefix(out, before) {
		t.Errorf("%d bytes, %v", len(out), err)
	}
	out, err = appendFrame(before, frame(MaxFrame-around+1))
	if !errors.Is(err, ErrTooLarge) || string(out) != "before" {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

// FuzzSplitter compares with the plain way: all bytes at once.
func FuzzSplitter(f *testing.F) {
	f.Add(slices.Concat(framed(nil), framed([]byte{0x10, 1}), framed(make([]byte, 300))), uint16(3))
	f.Add(binary.LittleEndian.AppendUint32(nil, MaxFrame), uint16(1))
	f.Fuzz(func(t *testing.T, stream []byte, size uint16) {
		var want [][]byte
		var tooLarge bool
		for rest := stream; len(rest) >= lengthSize && !tooLarge; {
			length := int(binary.LittleEndian.Uint32(rest))
			tooLarge = length > MaxFrame-lengthSize
			if tooLarge || len(rest) < lengthSize+length {
				break
			}
			want = append(want, rest[lengthSize:][:length])
			rest = rest[lengthSize+length:]
		}
		got, err := cut(slices.Collect(slices.Chunk(stream, 1+int(size)))...)
		if !slices.EqualFunc(got, want, bytes.Equal) || (err != nil) != tooLarge {
			t.Errorf("%d frames, %v; want %d, too large: %v", len(got), err, len(want), tooLarge)
		}
		for _, content := range got {
			if frame := decodeFrame(content); frame != nil {
				_ = fmt.Sprint(proto.Size(frame))
			}
		}
	})
}
