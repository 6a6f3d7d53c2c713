package recording

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Wherever a service was killed, the whole packets are kept.
func TestTrim(t *testing.T) {
	var all []byte
	var ends []int
	for _, size := range []int{0, 1, 127, 128, 300, 20_000} {
		all = binary.AppendUvarint(append(all, packetTag), uint64(size))
		all = append(all, bytes.Repeat([]byte{packetTag}, size)...)
		ends = append(ends, len(all))
	}
	f := create(t, filepath.Join(t.TempDir(), "trace.bin"), About{})
	defer f.Remove()
	whole := 0
	for n := range len(all) + 1 {
		if slices.Contains(ends, n) {
			whole = n
		} else if n > 1000 && n%97 != 0 {
			continue
		}
		if err := os.WriteFile(f.Spool(), all[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		spool, cut, err := f.Trim()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(spool, "more"); err != nil {
			t.Fatal(err)
		}
		spool.Close()
		got, err := os.ReadFile(f.Spool())
		if err != nil || cut != int64(n-whole) || string(got) != string(all[:whole])+"more" {
			t.Fatalf("of %d bytes %d were cut, want %d: %v", n, cut, n-whole, err)
		}
	}
	strange := []byte("something else")
	if err := os.WriteFile(f.Spool(), strange, 0o600); err != nil {
		t.Fatal(err)
	}
	spool, cut, err := f.Trim()
	if err != nil || cut != 0 {
		t.Errorf("of what is no packet %d bytes were cut, %v", cut, err)
	}
	spool.Close()
}
