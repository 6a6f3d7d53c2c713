//go:build unix

package smb

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestMemoryCutShort makes the file of the memory shorter while it is mapped.
func TestMemoryCutShort(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "memory"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(128 << 10); err != nil {
		t.Fatal(err)
	}
	m := mapped(t, f, 128<<10)
	r, err := NewReader(m.Bytes(), 32<<10)
	if err != nil {
		t.Fatal(err)
	}
	for page := range 4 {
		storeWord(r.mem.page(page), partitioned(Div1).with(0, Complete))
	}
	if err := f.Truncate(64 << 10); err != nil {
		t.Fatal(err)
	}
	var c Chunk
	if err := r.Take(1, 0, &c); err != nil {
		t.Error("a page that is there:", err)
	}
	if err := r.Take(2, 0, &c); !errors.Is(err, ErrFault) {
		t.Errorf("a page that is not there: %v", err)
	}
	seen := 0
	if err := r.Scrape(&c, func(*Chunk) bool { seen++; return true }); !errors.Is(err, ErrFault) || seen != 1 {
		t.Errorf("%d chunks scraped, then %v", seen, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a panic of the visitor was swallowed")
		}
	}()
	_ = r.Scrape(&c, func(*Chunk) bool { panic("not a fault") })
}
