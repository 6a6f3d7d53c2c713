package smb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBytes compares all bytes of a small chunk with what they have to be.
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
	w.OpenMessage(11)
	w.Varint(9, 1)
	w.String(23, "name")
	w.CloseMessage()
	w.Bytes(900, []byte{0xff})
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
// each byte of a size, a tag and a length comes to lie there.
func TestFragments(t *testing.T) {
	for length := 200; length < 330; length++ {
		a, s := setUp(t, Config{PageSize: 4 << 10, Layout: Div14}, make([]byte, 8<<10))
		w := newWriter(t, a, Drop)
		var want [][]byte
		filler := bytes.Repeat([]byte{7}, length)
		w.Packet(filler)
		want = append(want, filler)
		for i := range 6 {
			w.Begin()
			w.OpenMessage(2)
			w.Varint(3, uint64(i))
			w.OpenMessage(300)
			w.String(1, strings.Repeat("x", i))
			w.CloseMessage()
			w.CloseMessage()
			w.End()
			inner := append([]byte{0x0a, byte(i)}, strings.Repeat("x", i)...)
			outer := append([]byte{0x18, byte(i), 0xe2, 0x12, byte(len(inner))}, inner...)
			want = append(want, append([]byte{0x12, byte(len(outer))}, outer...))
		}
		w.Flush()
		a.Flush()
		got, losses := s.packets(w.ID())
		if len(got) != len(want) || losses != 0 {
			t.Fatalf("length %d: %d packets, %d lost; %d were written", length, len(got), losses, len(want))
		}
		for i := range want {
			p, _, first := marks(got[i])
			if first != (i == 0) || !bytes.Equal(minimal(p), want[i]) {
				t.Errorf("length %d, packet %d: got %x (first: %v), want %x", length, i, p, first, want[i])
			}
		}
	}
}

// minimal writes the lengths of messages in fields 2 and 300 with as few bytes as
// they need.
func minimal(p []byte) []byte {
	var out []byte
	for len(p) > 0 {
		tag, n := binary.Uvarint(p)
		out = binary.AppendUvarint(out, tag)
		p = p[n:]
		v, n := binary.Uvarint(p)
		if n <= 0 {
			return append(out, p...)
		}
		p = p[n:]
		if tag&7 != 2 {
			out = binary.AppendUvarint(out, v)
			continue
		}
		if v > uint64(len(p)) {
			return append(out, p...)
		}
		body := p[:v]
		if tag>>3 == 2 || tag>>3 == 300 {
			body = minimal(body)
		}
		out = append(binary.AppendUvarint(out, uint64(len(body))), body...)
		p = p[v:]
	}
	return out
}

// TestPatches gives chunks away while messages in them are open: the lengths
// follow in commits, or are written into chunks that still wait.
func TestPatches(t *testing.T) {
	for _, direct := range []bool{false, true} {
		for _, early := range []bool{false, true} {
			t.Run(fmt.Sprintf("direct=%v early=%v", direct, early), func(t *testing.T) {
				a, s := setUp(t, Config{PageSize: 4 << 10, Layout: Div7, DirectPatching: direct, Delay: time.Hour}, make([]byte, 256<<10))
				w := newWriter(t, a, Drop)
				body := strings.Repeat("0123456789", 300)
				w.Begin()
				w.OpenMessage(2)
				w.OpenMessage(2)
				w.String(5, body)
				w.CloseMessage()
				if early { // the chunk is committed before its lengths are known
					a.Flush()
				}
				w.OpenMessage(2)
				w.String(5, body)
				w.CloseMessage()
				w.CloseMessage()
				w.End()
				w.Flush()
				a.Flush()
				got, _ := s.packets(w.ID())
				if len(got) != 1 {
					t.Fatalf("%d packets, want 1", len(got))
				}
				p, _, _ := marks(got[0])
				inner := append(binary.AppendUvarint([]byte{0x2a}, uint64(len(body))), body...)
				inner = append(binary.AppendUvarint([]byte{0x12}, uint64(len(inner))), inner...)
				both := append(slices.Clone(inner), inner...)
				want := append(binary.AppendUvarint([]byte{0x12}, uint64(len(both))), both...)
				if !bytes.Equal(minimal(p), want) {
					t.Errorf("%d bytes came, which differ from the %d that were written", len(p), len(want))
				}
				if patched := s.patched > 0; patched != (!direct || early) {
					t.Errorf("%d lengths came in commits", s.patched)
				}
			})
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
		t.Errorf("%d packets came", len(got))
	}
	for id, want := range map[uint32]int{0: 1023, 1: 1023, 2: 2500 - 2*1022 + 1} {
		if c := s.chunks[w.ID()][id]; c.Count != want {
			t.Errorf("chunk %d counts %d packets, want %d", id, c.Count, want)
		}
	}
}

// TestChunkIDsWrap goes over the largest chunk id with a packet.
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
		t.Fatalf("%d packets came", len(got))
	}
	if p, _, _ := marks(got[0]); !bytes.Equal(p, want) {
		t.Error("the packet changed")
	}
	if s.chunks[w.ID()][0] == nil || s.chunks[w.ID()][1<<32-1] == nil {
		t.Error("no chunk on one of the sides")
	}
}

// TestMisuse calls methods where they make no sense: nothing may come of it.
func TestMisuse(t *testing.T) {
	a, s := setUp(t, Config{PageSize: 4 << 10}, make([]byte, 64<<10))
	w := newWriter(t, a, Drop)
	w.CloseMessage()
	w.Append([]byte("outside"))
	w.AppendString("outside")
	w.OpenMessage(1)
	if w.End() {
		t.Error("a packet that was not begun ended well")
	}
	w.Packet([]byte("one"))
	w.Append([]byte("outside"))
	w.Append(nil)
	w.Begin()
	w.Append([]byte("two"))
	w.Begin() // ends it
	w.OpenMessage(1)
	w.CloseMessage()
	w.CloseMessage()
	w.Packet([]byte("three")) // ends the one before too
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
	if want := []string{"one", "two", "\x0a\x00", "three", "four", "five"}; !slices.Equal(texts(got), want) {
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
