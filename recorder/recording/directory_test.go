package recording

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func create(t *testing.T, trace string, about About) *Directory {
	t.Helper()
	f, err := Create(trace, about)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A directory belongs to one process: the one that records, and after its end the one that
// makes the trace.
func TestDirectory(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "trace.bin")
	if _, err := Take(trace); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	f := create(t, trace, About{PID: 7, Command: []string{"prog"}, Replace: true})
	if _, err := Create(trace, About{}); !errors.Is(err, ErrRecording) || err.Error() != "still being recorded by process 7" {
		t.Errorf("another: %v", err)
	}
	if _, err := Take(trace); !errors.Is(err, ErrRecording) {
		t.Errorf("taken while it is recorded: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(trace, About{}); !errors.Is(err, ErrUnfinished) {
		t.Errorf("beside one that was left: %v", err)
	}
	f, err := Take(trace)
	if err != nil || f.About.PID != 7 || !f.About.Replace || f.About.Command[0] != "prog" {
		t.Fatalf("%+v, %v", f, err)
	}
	if _, err := Take(trace); !errors.Is(err, ErrFinishing) {
		t.Errorf("taken twice: %v", err)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if left := names(t, filepath.Dir(trace)); len(left) > 0 {
		t.Errorf("it leaves %q", left)
	}
	if err := create(t, trace, About{}).Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(filepath.Join(trace, "none", "trace.bin"), About{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nowhere: %v", err)
	}
}

// In the socket directory that about.json names only sockets are removed.
func TestRemoveSockets(t *testing.T) {
	dir, err := os.MkdirTemp("", SocketsPrefix)
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", filepath.Join(dir, "producers"))
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	strange := filepath.Join(dir, "strange")
	if err := os.WriteFile(strange, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "trace.bin")
	for _, want := range [][]string{{"strange"}, nil} {
		if err := create(t, trace, About{Sockets: dir}).Remove(); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			break
		}
		if left := names(t, dir); !slices.Equal(left, want) {
			t.Errorf("%q stay, want %q", left, want)
		}
		if err := os.Remove(strange); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s stays: %v", dir, err)
	}
	other := t.TempDir()
	if err := create(t, trace, About{Sockets: other}).Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("another directory: %v", err)
	}
}

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
