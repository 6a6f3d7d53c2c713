package smb

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestMap shares a file between two mappings.
func TestMap(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "memory"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := Map(f, 64<<10); !errors.Is(err, ErrGeometry) {
		t.Errorf("an empty file was mapped: %v", err)
	}
	if err := f.Truncate(64 << 10); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, -1, 64<<10 + 1} {
		if _, err := Map(f, size); !errors.Is(err, ErrGeometry) {
			t.Errorf("%d bytes were mapped: %v", size, err)
		}
	}
	one, two := mapped(t, f, 64<<10), mapped(t, f, 64<<10)
	r, err := NewReader(two.Bytes(), 4<<10)
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t, r)
	a, err := New(Config{Memory: one.Bytes(), PageSize: 4 << 10}, s)
	if err != nil {
		t.Fatal(err)
	}
	w := newWriter(t, a, Drop)
	w.Packet([]byte("through the file"))
	s.scrape()
	w.Close()
	a.Flush()
	a.Close()
	<-a.Done()
	got, _ := s.packets(w.ID())
	if len(got) != 1 || s.scrapes != 1 {
		t.Fatalf("%d packets, %d chunks scraped", len(got), s.scrapes)
	}
	if p, _, _ := marks(got[0]); string(p) != "through the file" {
		t.Errorf("got %q", p)
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if err := one.Close(); err != nil {
		t.Error("closed twice:", err)
	}
}

func mapped(t *testing.T, f *os.File, size int) *Mapping {
	t.Helper()
	m, err := Map(f, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}
