package smb

import (
	"errors"
	"strings"
	"testing"
)

// TestTake asks for chunks that do not exist, or are not complete.
func TestTake(t *testing.T) {
	for _, test := range []struct {
		name        string
		word        pageWord
		page, chunk uint32
		want        error
	}{
		{"no such page", 0, 2, 0, ErrNoChunk},
		{"page far off", 0, 1<<32 - 1, 0, ErrNoChunk},
		{"page without chunks", 0, 0, 0, ErrNoChunk},
		{"states without chunks", 3, 0, 0, ErrNoChunk},
		{"reserved layout 6", 6<<28 | 3, 0, 0, ErrNoChunk},
		{"reserved layout 7", 7<<28 | 3, 0, 0, ErrNoChunk},
		{"chunk after the last", 5<<28 | allStates, 0, 14, ErrNoChunk},
		{"chunk far off", 5<<28 | allStates, 0, 1<<32 - 1, ErrNoChunk},
		{"free", 1 << 28, 0, 0, ErrState},
		{"being written", 1<<28 | 1, 0, 0, ErrState},
		{"being read", 1<<28 | 2, 0, 0, ErrState},
		{"complete", 1<<28 | 3, 0, 0, nil},
		{"reserved bit", 1<<31 | 1<<28 | 3, 0, 0, nil},
		{"last of 14", 5<<28 | 3<<26, 0, 13, nil},
		{"one of 14", 5<<28 | 3<<26 | 1, 0, 13, nil},
	} {
		mem := make([]byte, 8<<10)
		r, err := NewReader(mem, 4<<10)
		if err != nil {
			t.Fatal(err)
		}
		storeWord(r.mem.page(0), test.word)
		var c Chunk
		err = r.Take(test.page, test.chunk, &c)
		if !errors.Is(err, test.want) || test.want == nil && err != nil {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		after := loadWord[pageWord](r.mem.page(0))
		want := test.word
		if test.want == nil {
			want = test.word.with(int(test.chunk), Free)
		}
		if after != want {
			t.Errorf("%s: page word %#x became %#x", test.name, test.word, after)
		}
	}
}

// TestTakeZeroesHeader checks what remains of a chunk that was taken, with a
// neighbor that is being written.
func TestTakeZeroesHeader(t *testing.T) {
	mem := make([]byte, 4<<10)
	r, _ := NewReader(mem, 4<<10)
	storeWord(r.mem.page(0), partitioned(Div2).with(0, Complete).with(1, BeingWritten))
	chunk := r.mem.chunk(0, Div2, 0)
	copy(chunk, "\x05\x00\x00\x00\x07\x00\x01\x00\x02hi")
	neighbour := r.mem.chunk(0, Div2, 1)
	for i := range neighbour {
		neighbour[i] = 0xee
	}
	var c Chunk
	if err := r.Take(0, 0, &c); err != nil {
		t.Fatal(err)
	}
	it := c.Fragments()
	if !it.Next() || string(it.Data) != "hi" || it.Next() || it.Err() != nil || c.ID != 5 || c.Writer != 7 || c.Count != 1 {
		t.Errorf("got %+v", c)
	}
	if string(chunk[:11]) != strings.Repeat("\x00", 8)+"\x02hi" {
		t.Errorf("left % x", chunk[:11])
	}
	for i := range neighbour {
		if neighbour[i] != 0xee {
			t.Fatal("the neighbour changed")
		}
	}
	if w := loadWord[pageWord](r.mem.page(0)); w != 0x20000004 {
		t.Errorf("page word %#x", w)
	}
}

// TestGeometry has memory and pages of invalid sizes.
func TestGeometry(t *testing.T) {
	aligned := make([]byte, 64<<10)
	for _, test := range []struct {
		mem  []byte
		page int
	}{
		{nil, 4 << 10},
		{aligned[:4<<10-1], 4 << 10},
		{aligned, 0},
		{aligned, -4096},
		{aligned, 2 << 10},
		{aligned, 12 << 10},
		{aligned, 64 << 10},
		{aligned[:12<<10], 8 << 10},
		{aligned[4 : 4+8<<10], 4 << 10},
		{make([]byte, MaxSize+4<<10), 4 << 10},
	} {
		if _, err := NewReader(test.mem, test.page); !errors.Is(err, ErrGeometry) {
			t.Errorf("%d bytes, pages of %d: %v", len(test.mem), test.page, err)
		}
		if _, err := New(Config{Memory: test.mem, PageSize: test.page}, nil); !errors.Is(err, ErrGeometry) {
			t.Errorf("%d bytes, pages of %d: %v", len(test.mem), test.page, err)
		}
	}
	if _, err := New(Config{Memory: aligned, PageSize: 4 << 10, Layout: 6}, nil); !errors.Is(err, ErrGeometry) {
		t.Errorf("layout 6: %v", err)
	}
	if a, err := New(Config{Memory: aligned, PageSize: 8 << 10, Layout: Div7}, nil); err != nil || a.Chunks() != 56 {
		t.Errorf("64 KiB in pages of 8 KiB of 7 chunks: %v", err)
	}
	for _, test := range []struct {
		layout Layout
		page   int
		want   int
	}{{Div1, 4096, 4088}, {Div2, 4096, 2044}, {Div4, 4096, 1020}, {Div7, 4096, 584}, {Div14, 4096, 292},
		{Div1, 32768, 32760}, {Div7, 32768, 4680}, {Unpartitioned, 4096, 0}, {7, 4096, 0}, {8, 4096, 0}} {
		if got := test.layout.ChunkSize(test.page); got != test.want {
			t.Errorf("layout %d of pages of %d: chunks of %d bytes, want %d", test.layout, test.page, got, test.want)
		}
	}
}

// TestFragmentsOfNonsense reads invalid payloads.
func TestFragmentsOfNonsense(t *testing.T) {
	for _, test := range []struct {
		name    string
		payload string
		count   int
		want    []string
		err     error
	}{
		{"nothing", "", 0, nil, nil},
		{"two", "\x01a\x02bc", 2, []string{"a", "bc"}, nil},
		{"long sizes", "\x81\x80\x80\x00a\x82\x00bc", 2, []string{"a", "bc"}, nil},
		{"empty ones", "\x00\x01a\x80\x80\x80\x00", 3, []string{"", "a", ""}, nil},
		{"more than counted", "\x01a\x02bc", 1, []string{"a"}, nil},
		{"more counted", "\x01a", 2, []string{"a"}, ErrCorrupt},
		{"counted, no payload", "", 1, nil, ErrCorrupt},
		{"one byte too long", "\x01a\x03bc", 2, []string{"a"}, ErrCorrupt},
		{"size of five bytes", "\x80\x80\x80\x80\x00", 1, nil, ErrCorrupt},
		{"size cut short", "\x01a\x80\x80", 2, []string{"a"}, ErrCorrupt},
		{"largest size but one", "\x01a\xfe\xff\xff\x7fbcd", 3, []string{"a"}, ErrCorrupt},
		{"given up", "\x01a\xff\xff\xff\x7fbcd", 3, []string{"a"}, ErrAborted},
	} {
		c := Chunk{Payload: []byte(test.payload), Count: test.count, Flags: ContinuesFromPrev | ContinuesOnNext}
		it := c.Fragments()
		n := 0
		for it.Next() {
			if n < len(test.want) && string(it.Data) != test.want[n] || it.FromPrev != (n == 0) || it.OnNext != (n == test.count-1) ||
				string(c.Payload[it.Offset:it.Offset+len(it.Data)]) != string(it.Data) {
				t.Errorf("%s: packet %d is %+v", test.name, n, it.Fragment)
			}
			n++
		}
		if n != len(test.want) || it.Read() != n || !errors.Is(it.Err(), test.err) || test.err == nil && it.Err() != nil {
			t.Errorf("%s: %d packets, %v; want %d, %v", test.name, n, it.Err(), len(test.want), test.err)
		}
		if it.Next() {
			t.Errorf("%s: more packets after the end", test.name)
		}
	}
}

// TestParseChunk parses bytes of sizes that no chunk has.
func TestParseChunk(t *testing.T) {
	var c Chunk
	for _, n := range []int{0, 7, 8, MaxPageSize - 7, MaxPageSize, 1 << 20} {
		if err := ParseChunk(&c, make([]byte, n), true); !errors.Is(err, ErrCorrupt) {
			t.Errorf("a chunk of %d bytes: %v", n, err)
		}
	}
	if err := ParseChunk(&c, make([]byte, 9), false); err != nil || c.Count != 0 {
		t.Errorf("a chunk without packets that is being written: %v, %d packets", err, c.Count)
	}
}
