package smb

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// sdkRun is the memory left by another writer: see testdata/sdk/README.md.
type sdkRun struct {
	Chunks []struct {
		Page, Index      uint32
		Word             pageWord
		Size, Count      int
		ID               uint32
		Writer           uint16
		Flags            Flags
		Head, Data       hexBytes
		Incomplete, Skip bool
	}
	Patches []sdkPatch
	Packets map[uint16][]hexBytes
}

// sdkPatch is the late lengths of a chunk.
type sdkPatch struct {
	Writer  uint16
	Chunk   uint32
	More    bool
	Patches []struct {
		Offset uint32
		Data   hexBytes
	}
}

type hexBytes []byte

func (h *hexBytes) UnmarshalJSON(b []byte) (err error) {
	*h, err = hex.DecodeString(string(bytes.Trim(b, `"`)))
	return err
}

func sdkRuns(t *testing.T) map[string]*sdkRun {
	t.Helper()
	files, err := filepath.Glob("testdata/sdk/*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("no files in testdata/sdk:", err)
	}
	runs := map[string]*sdkRun{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(name, err)
		}
		run := new(sdkRun)
		if err := json.NewDecoder(z).Decode(run); err != nil {
			t.Fatal(name, err)
		}
		runs[filepath.Base(name)] = run
	}
	return runs
}

// TestReadSDK assembles the packets of whole chunks and compares them with the
// trace.
func TestReadSDK(t *testing.T) {
	run := sdkRuns(t)["09_emulated.json.gz"]
	s := newService(t, nil)
	for _, c := range run.Chunks {
		if err := ParseChunk(&s.taken, c.Data, !c.Incomplete); err != nil {
			t.Fatal(err)
		}
		s.store(1)
	}
	for _, p := range run.Patches {
		s.patch(&p)
	}
	if len(run.Packets) != 3 {
		t.Fatalf("%d writers", len(run.Packets))
	}
	for w, want := range run.Packets {
		got, losses := s.packets(w)
		if losses != 0 || !slices.EqualFunc(got, want, func(a []byte, b hexBytes) bool { return bytes.Equal(a, b) }) {
			t.Errorf("writer %d: %d packets, %d lost; the trace has %d, or others", w, len(got), losses, len(want))
		}
	}
}

// TestScrapeSDK writes captured chunks into memory, with header and the known part
// of the payload, and lets a Reader copy them.
func TestScrapeSDK(t *testing.T) {
	for name, run := range sdkRuns(t) {
		seen := 0
		for _, c := range run.Chunks {
			if c.Head == nil {
				continue
			}
			mem := make([]byte, c.Size+pageHeader)
			binary.LittleEndian.PutUint32(mem, uint32(c.Word))
			binary.LittleEndian.PutUint32(mem[8:], c.ID)
			binary.LittleEndian.PutUint32(mem[12:], uint32(newPackets(c.Writer, c.Count, c.Flags)))
			copy(mem[16:], c.Head)
			r, err := NewReader(mem, len(mem))
			if err != nil {
				t.Fatal(name, err)
			}
			var got Chunk
			whole := c.Word.state(0) == Complete
			if whole {
				err = r.Take(0, 0, &got)
			} else {
				err = r.Scrape(&got, func(*Chunk) bool { return true })
			}
			count, flags := c.Count, c.Flags
			if !whole {
				count, flags = count-1, flags&ContinuesFromPrev
			}
			if err != nil || got.ID != c.ID || got.Writer != c.Writer || got.Count != count || got.Flags != flags ||
				got.Complete != whole || got.Size != c.Size {
				t.Errorf("%s: %v, got %+v; want %+v", name, err, got, c)
			}
			if it := got.Fragments(); !it.Next() || len(it.Data) == 0 || it.FromPrev != (flags&ContinuesFromPrev != 0) {
				t.Errorf("%s, writer %d, chunk %d: first packet %+v, %v", name, c.Writer, c.ID, it.Fragment, it.Err())
			}
			if word := binary.LittleEndian.Uint32(mem); whole != (word == 0) {
				t.Errorf("%s: page word %#x after", name, word)
			}
			seen++
		}
		if seen == 0 && name != "09_emulated.json.gz" {
			t.Error(name, "has no chunks")
		}
	}
}

// TestWriteSDK writes the packets again and compares the memory: number, flags and
// bytes of each chunk. Cases that a Writer never produces are left out: opening a
// message on the border of a chunk, and sending lengths late.
func TestWriteSDK(t *testing.T) {
	for name, run := range sdkRuns(t) {
		if name == "10_split_messages.json.gz" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			pageSize := run.Chunks[0].Size + pageHeader
			if run.Chunks[0].Data != nil {
				pageSize = len(run.Chunks[0].Data) + pageHeader
			}
			for writer, packets := range run.Packets {
				if slices.ContainsFunc(run.Patches, func(p sdkPatch) bool { return p.Writer == writer }) {
					continue
				}
				again := rewrite(t, pageSize, packets)
				compareSDK(t, run, writer, again)
			}
		})
	}
}

// rewritten is the chunks that a Writer made from packets.
type rewritten struct {
	chunks map[uint32]Chunk // including the last one, which is not flushed
}

func (r *rewritten) Commit(*Commit)                {}
func (r *rewritten) RegisterWriter(uint16, uint32) {}
func (r *rewritten) UnregisterWriter(uint16)       {}

func rewrite(t *testing.T, pageSize int, packets []hexBytes) *rewritten {
	t.Helper()
	mem := make([]byte, 256<<10)
	r := &rewritten{chunks: map[uint32]Chunk{}}
	a, err := New(Config{Memory: mem, PageSize: pageSize}, r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { a.Close(); <-a.Done() }()
	w, err := a.NewWriter(a.Target(1), Drop)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, p := range packets {
		body, _, first := marks(p)
		if first != (i == 0) {
			t.Fatalf("packet %d of the trace: first is %v", i, first)
		}
		w.Begin()
		w.Append(body)
		if !w.End() {
			t.Fatalf("packet %d was dropped", i)
		}
	}
	a.Flush()
	for page := range a.mem.pages {
		word := loadWord[pageWord](a.mem.page(page))
		if word.layout() != Div1 {
			continue
		}
		var c Chunk
		c.copyWhole(page, 0, a.mem.chunk(page, Div1, 0))
		c.Complete = word.state(0) == Complete
		r.chunks[c.ID] = c
	}
	return r
}

func compareSDK(t *testing.T, run *sdkRun, writer uint16, again *rewritten) {
	t.Helper()
	compared := 0
	for _, want := range run.Chunks {
		var c Chunk
		payload := []byte(want.Head)
		if want.Data != nil {
			if err := ParseChunk(&c, want.Data, true); err != nil {
				t.Fatal(err)
			}
			want.ID, want.Writer, want.Count, want.Flags, payload = c.ID, c.Writer, c.Count, c.Flags, c.Payload
			it := c.Fragments()
			for it.Next() {
			}
			payload = payload[:it.Used()]
		}
		if want.Writer != writer {
			continue
		}
		got, ok := again.chunks[want.ID]
		if !ok {
			t.Errorf("writer %d, chunk %d: not written", writer, want.ID)
			continue
		}
		compared++
		if got.Count != want.Count || got.Flags != want.Flags || !bytes.HasPrefix(got.Payload, payload) {
			t.Errorf("writer %d, chunk %d: %d packets, flags %d, want %d, %d; begins with\n%x, want\n%x", writer, want.ID,
				got.Count, got.Flags, want.Count, want.Flags, got.Payload[:48], payload[:48])
		}
	}
	if compared == 0 || compared != len(again.chunks) {
		t.Errorf("writer %d: %d chunks, the run has %d", writer, len(again.chunks), compared)
	}
}
