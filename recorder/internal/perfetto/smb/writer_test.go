package smb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestBytes compares all bytes of a small chunk with the expected ones.
func TestBytes(t *testing.T) {
	mem := make([]byte, 4<<10)
	a, err := New(Config{Memory: mem, PageSize: 4 << 10, Layout: Div14}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	w := newWriter(t, a, Drop)
	w.Packet([]byte{0x40, 0x01})
	w.Begin()
	w.Append([]byte{0x5a, 0x09, 0x48, 0x01, 0xba, 0x01, 0x04})
	w.Append([]byte("name"))
	w.Append([]byte{0xa2, 0x38, 0x01, 0xff})
	w.End()
	w.Packet(bytes.Repeat([]byte{0x70}, 127))
	want := "" +
		"01000050 00000000" + // Div14, chunk 0 being written
		"00000000 0100 0400" + // chunk 0 of writer 1: three packets, and the next
		"05 b80501 4001" + // the first of the sequence
		"0f 5a09 4801 ba01046e616d65 a23801ff" +
		"ff808000" + strings.Repeat("70", 127) + "00"
	want = strings.ReplaceAll(want, " ", "")
	if got := fmt.Sprintf("%x", mem)[:len(want)]; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	w.Flush()
	if got, want := binary.LittleEndian.Uint32(mem), uint32(0x50000003); got != want {
		t.Errorf("page word %#x after the flush, want %#x", got, want)
	}
}

// TestFragments writes packets of every length around the end of a chunk, so that
// each byte of a size, a tag and a length is at the end once.
func TestFragments(t *testing.T) {
	for length := 200; length < 330; length++ {
		a, s := setUp(t, Config{PageSize: 4 << 10, Layout: Div14}, make([]byte, 8<<10))
		w := newWriter(t, a, Drop)
		var want [][]byte
		filler := bytes.Repeat([]byte{7}, length)
		w.Packet(filler)
		want = append(want, filler)
		for i := range 6 {
			head, body := []byte{0x18, byte(i), 0x0a, byte(i)}, bytes.Repeat([]byte{'x'}, i)
			w.Begin()
			w.Append(head)
			w.Append(body)
			w.End()
			want = append(want, append(head, body...))
		}
		w.Flush()
		a.Flush()
		got, losses := s.packets(w.ID())
		if len(got) != len(want) || losses != 0 {
			t.Fatalf("length %d: %d packets, %d lost; %d were written", length, len(got), losses, len(want))
		}
		for i := range want {
			p, _, first := marks(got[i])
			if first != (i == 0) || !bytes.Equal(p, want[i]) {
				t.Errorf("length %d, packet %d: got %x (first: %v), want %x", length, i, p, first, want[i])
			}
		}
	}
}

// TestCountLimit writes more small packets than a chunk can count.
func TestCountLimit(t *testing.T) {
	a, s := setUp(t, Config{PageSize: 32 << 10}, make([]byte, 256<<10))
	w := newWriter(t, a, Drop)
	for i := range 2500 {
		if !w.Packet([]byte{0x40, byte(i), byte(i >> 8)}) {
			t.Fatal("packet", i, "was dropped")
		}
	}
	w.Flush()
	a.Flush()
	got, _ := s.packets(w.ID())
	for i, p := range got {
		if p, _, _ = marks(p); !bytes.Equal(p, []byte{0x40, byte(i), byte(i >> 8)}) {
			t.Fatalf("packet %d is %x", i, p)
		}
	}
	if len(got) != 2500 {
		t.Errorf("%d packets arrived", len(got))
	}
	for id, want := range map[uint32]int{0: 1023, 1: 1023, 2: 2500 - 2*1022 + 1} {
		if c := s.chunks[w.ID()][id]; c.Count != want {
			t.Errorf("chunk %d counts %d packets, want %d", id, c.Count, want)
		}
	}
}

// TestChunkIDsWrap writes a packet across the largest chunk id.
func TestChunkIDsWrap(t *testing.T) {
	a, s := setUp(t, Config{PageSize: 4 << 10}, make([]byte, 64<<10))
	w := newWriter(t, a, Drop)
	w.next = 1<<32 - 2
	want := bytes.Repeat([]byte("wrap"), 4000)
	w.Packet(want)
	w.Flush()
	a.Flush()
	got, _ := s.packets(w.ID())
	if len(got) != 1 {
		t.Fatalf("%d packets arrived", len(got))
	}
	if p, _, _ := marks(got[0]); !bytes.Equal(p, want) {
		t.Error("the packet changed")
	}
	if s.chunks[w.ID()][0] == nil || s.chunks[w.ID()][1<<32-1] == nil {
		t.Error("no chunk on one of the sides")
	}
}

// TestMisuse makes invalid calls, which must have no effect.
func TestMisuse(t *testing.T) {
	a, s := setUp(t, Config{PageSize: 4 << 10}, make([]byte, 64<<10))
	w := newWriter(t, a, Drop)
	w.Append([]byte("outside"))
	if w.End() {
		t.Error("a packet that was not begun ended well")
	}
	w.Packet([]byte("one"))
	w.Append([]byte("outside"))
	w.Append(nil)
	w.Begin()
	w.Append([]byte("two"))
	w.Begin() // ends it
	w.Append([]byte("too"))
	w.Packet([]byte("three")) // ends the previous one too
	w.Begin()
	w.Append([]byte("four"))
	w.Flush()
	w.Begin()
	w.Append([]byte("five"))
	w.Close()
	w.Close()
	if w.Packet([]byte("late")) || w.Next() != Skip {
		t.Error("a packet was written after Close")
	}
	w.Flush()
	a.Flush()
	got, _ := s.packets(w.ID())
	got[0], _, _ = marks(got[0])
	if want := []string{"one", "two", "too", "three", "four", "five"}; !slices.Equal(texts(got), want) {
		t.Errorf("got %q, want %q", texts(got), want)
	}
	if _, err := a.NewWriter(nil, Drop); err == nil {
		t.Error("a writer without a target")
	}
}

func texts(packets [][]byte) (s []string) {
	for _, p := range packets {
		s = append(s, string(p))
	}
	return s
}
