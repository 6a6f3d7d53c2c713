package smb

import "testing"

// TestScrapeStops ends a Scrape early, and has chunks that cannot be scraped.
func TestScrapeStops(t *testing.T) {
	mem := make([]byte, 4<<10)
	r, _ := NewReader(mem, 4<<10)
	w := partitioned(Div7)
	states := []State{BeingWritten, BeingWritten, BeingWritten, BeingRead, Free, Complete, Complete}
	for i, s := range states {
		w = w.with(i, s)
		storeWord(word(r.mem.chunk(0, Div7, i), 4), newPackets(uint16(i+1), i, NeedsPatching))
	}
	storeWord(r.mem.page(0), w)
	var c Chunk
	var got []uint16
	visit := func(c *Chunk) bool {
		got = append(got, c.Writer)
		if want := c.Complete; (c.Flags == NeedsPatching) != want {
			t.Errorf("writer %d: flags %d", c.Writer, c.Flags)
		}
		return c.Writer != 6
	}
	if err := r.Scrape(&c, visit); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0] != 3 || got[1] != 6 {
		t.Errorf("scraped chunks of writers %d, want 3 and 6", got)
	}
	if loadWord[pageWord](r.mem.page(0)) != w {
		t.Error("scraping changed the page word")
	}
}
