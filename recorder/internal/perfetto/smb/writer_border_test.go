package smb

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestBorder writes at the end of a chunk with 284 bytes of payload: what begins in
// it, what continues in the next, and what does not begin in it.
func TestBorder(t *testing.T) {
	size4 := func(n int) string { return fmt.Sprintf("%02x%02x%02x%02x", n&127|128, n>>7|128, 128, 0) }
	for _, test := range []struct {
		name  string
		room  int // left in the first chunk
		write func(w *Writer)
		// The end of the first chunk, after what was there, and the beginning of the second;
		// counts; flags.
		end, begin    string
		count1, flag1 int
		count2, flag2 int
	}{
		{"11 left", 11, func(w *Writer) { w.Packet([]byte("abc")) }, "00", "03616263", 2, 0, 2, 0},
		{"12 left", 12, func(w *Writer) { w.Packet([]byte("abc")) }, "03616263", "", 3, 0, 0, 0},
		{"fits with a long size", 12, func(w *Writer) { w.Packet([]byte("01234567")) }, "083031323334353637", "", 3, 0, 0, 0},
		{"fits with a short size only", 12, func(w *Writer) { w.Packet([]byte("012345678")) },
			size4(8) + "3031323334353637", size4(1) + "38", 2, 2, 2, 1},
		{"fits to the last byte", 4 + 127, func(w *Writer) { w.Packet(make([]byte, 127)) },
			size4(127) + strings.Repeat("00", 127), "", 2, 0, 0, 0},
		{"leaves one byte", 4 + 128, func(w *Writer) { w.Packet(make([]byte, 127)) },
			size4(127) + strings.Repeat("00", 128), "", 3, 0, 0, 0},
		{"in the middle of a tag", 12, func(w *Writer) {
			w.Begin()
			w.Append([]byte("1234567"))
			w.Append([]byte{0xe2, 0x12})
			w.End()
		}, size4(8) + "31323334353637e2", size4(1) + "12", 2, 2, 2, 1},
	} {
		mem := make([]byte, 8<<10)
		a, err := New(Config{Memory: mem, PageSize: 4 << 10, Layout: Div14}, nil)
		if err != nil {
			t.Fatal(err)
		}
		w := newWriter(t, a, Drop)
		w.first = false
		w.Packet(make([]byte, 284-test.room-4))
		test.write(w)
		for i, want := range []struct {
			bytes        string
			at           int
			count, flags int
		}{{test.end, 284 - test.room, test.count1, test.flag1}, {test.begin, 0, test.count2, test.flag2}} {
			chunk := a.mem.chunk(0, Div14, i)
			p := loadWord[packetsWord](word(chunk, 4))
			got := fmt.Sprintf("%x", chunk[chunkHeader+want.at:])
			if p.count() != want.count || p.flags() != Flags(want.flags) || !strings.HasPrefix(got, want.bytes) {
				t.Errorf("%s: chunk %d has %d packets, flags %d and\n%.60s, want %d, %d\n%.60s",
					test.name, i, p.count(), p.flags(), got, want.count, want.flags, want.bytes)
			}
		}
		a.Close()
	}
}

// TestResetIsLost loses the packet that was to reset the state.
func TestResetIsLost(t *testing.T) {
	a, s := setUp(t, Config{PageSize: 4 << 10, Delay: time.Hour, CommitBytes: 1 << 30}, make([]byte, 4<<10))
	w := newWriter(t, a, Drop)
	if w.Next() != Reset || w.Packet(make([]byte, 5000)) {
		t.Fatal("5000 bytes went into 4 KiB")
	}
	a.Flush()
	if !w.Packet([]byte("a")) || !w.Packet([]byte("b")) { // without calling Next
		t.Error("a packet was dropped although there is room")
	}
	if w.Next() != Reset {
		t.Error("no packet has reset, and the next packet may be plain")
	}
	w.Packet([]byte("c"))
	if w.Next() != Plain {
		t.Error("the next packet may not be plain")
	}
	w.Flush()
	a.Flush()
	if got, losses := s.packets(w.ID()); len(got) < 2 || losses != 1 {
		t.Errorf("%d packets, %d given up", len(got), losses)
	}
}

// TestStallSeesOthers lets a writer wait for the chunk of another writer, which
// ends.
func TestStallSeesOthers(t *testing.T) {
	a, s := setUp(t, Config{PageSize: 4 << 10, Delay: time.Hour, CommitBytes: 1 << 30, StallLimit: time.Hour}, make([]byte, 4<<10))
	one, two := newWriter(t, a, Stall), newWriter(t, a, Stall)
	one.Packet([]byte("one"))
	done := make(chan bool)
	go func() { done <- two.Packet([]byte("two")) }()
	for a.Stats().Stalls == 0 {
		select {
		case <-done:
			t.Fatal("there was a chunk")
		default:
			runtime.Gosched()
		}
	}
	a.Flush() // there is nothing to commit yet
	one.Close()
	if !<-done {
		t.Error("dropped")
	}
	two.Close()
	a.Flush()
	if got, _ := s.packets(two.ID()); len(got) != 1 {
		t.Errorf("%d packets", len(got))
	}
}

// TestSmall writes packets in place, before the end of a chunk: the memory is the
// same as if they had been copied, and packets that do not fit are refused.
func TestSmall(t *testing.T) {
	for room := 5; room < 140; room++ {
		for _, n := range []int{0, 1, 7, 8, 9, 100, 126, 127} {
			var images [2][]byte
			for i, inPlace := range []bool{false, true} {
				images[i] = make([]byte, 4<<10)
				a, err := New(Config{Memory: images[i], PageSize: 4 << 10, Layout: Div14}, nil)
				if err != nil {
					t.Fatal(err)
				}
				w := newWriter(t, a, Drop)
				w.Packet(nil)
				w.Packet(make([]byte, 284-room-4-4)) // 4 is the first packet's
				packet := bytes.Repeat([]byte{'x'}, n)
				if b := w.Small(n); !inPlace {
					w.Packet(packet)
				} else if b != nil {
					copy(b, packet)
					w.EndSmall(n)
				} else if w.Packet(packet); n < oneByte && room >= max(sizeBytes+n, minRoom) {
					t.Errorf("%d bytes do not fit into %d", n, room)
				}
				w.Flush()
				a.Close()
			}
			if !bytes.Equal(images[0], images[1]) {
				t.Errorf("%d bytes in front of the last %d: the memory differs", n, room)
			}
		}
	}
	a, _ := setUp(t, Config{PageSize: 32 << 10}, make([]byte, 32<<10))
	w := newWriter(t, a, Drop)
	if w.Small(1) != nil {
		t.Error("the first packet of a writer is taken without what has to be in it")
	}
	w.Packet(nil)
	for n := 1; n < maxStarted; n++ {
		if w.Small(1) == nil {
			t.Fatalf("packet %d is refused", n)
		}
		w.EndSmall(0)
	}
	if w.Small(1) != nil {
		t.Error("a chunk takes more packets than can be counted")
	}
	if w.Renew(); w.Next() != Reset || w.Small(1) != nil {
		t.Error("a packet that has to reset is taken for any")
	}
}
