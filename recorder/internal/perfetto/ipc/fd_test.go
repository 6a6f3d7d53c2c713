//go:build unix && !aix

package ipc

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tracex/recorder/perfetto/messages"
)

// named makes a file with its name in it.
func named(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if _, err := f.WriteString(name); err != nil {
		t.Fatal(err)
	}
	return f
}

// nameIn reads what named wrote, and closes the file.
func nameIn(t *testing.T, f *os.File) string {
	t.Helper()
	if f == nil {
		return "none"
	}
	defer f.Close()
	b := make([]byte, 100)
	n, err := f.ReadAt(b, 0)
	if err != io.EOF {
		t.Error(err)
	}
	return string(b[:n])
}

// watched returns a file, and a way to know that all handles of it are closed.
func watched(t *testing.T) (f *os.File, closed func()) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return w, func() {
		t.Helper()
		_ = w.Close()
		_ = r.SetReadDeadline(time.Now().Add(patience))
		if n, err := r.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the file is still open: %d, %v", n, err)
		}
	}
}

// TestFilesBothWays sends a file to the host with a call, and one back with one of the
// replies.
func TestFilesBothWays(t *testing.T) {
	var parked Parked
	got := make(chan string, 10)
	_, b := bound(t, HostOptions{},
		Method{"Commands", parked.Park},
		Method{"Start", func(r *Request) {
			f := r.TakeFile()
			if r.TakeFile() != nil {
				t.Error("taken twice")
			}
			for i := range 3 {
				_ = parked.Peek().Stream(number(i))
			}
			if err := parked.Peek().StreamFile(number(3), f); err != nil {
				t.Error(err)
			}
			_ = parked.Peek().Stream(number(4))
			got <- nameIn(t, f)
			_ = r.Reply(nil)
		}})
	files := make(chan string, 10)
	err := b.Call("Commands", nil, func(r Reply) {
		var m messages.FlushRequest
		switch err := r.Decode(&m); {
		case err != nil: // the end
		case m.GetFlags() < 3:
			// The file may be there already: nothing ties it to a frame.
		case m.GetFlags() == 3:
			files <- nameIn(t, r.TakeFile())
		default:
			files <- nameIn(t, r.TakeFile())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.CallFile("Start", nil, named(t, "memory"), func(Reply) {}); err != nil {
		t.Fatal(err)
	}
	if name := receive(t, got, "the file"); name != "memory" {
		t.Errorf("the host got %s", name)
	}
	if name := receive(t, files, "the file"); name != "memory" {
		t.Errorf("the client got %s", name)
	}
	if name := receive(t, files, "the next reply"); name != "none" {
		t.Errorf("the client got %s as well", name)
	}
}

// TestSecondFileWaits: a file is refused until a reply shows that the previous one was
// handled.
func TestSecondFileWaits(t *testing.T) {
	names := make(chan string, 10)
	_, b := bound(t, HostOptions{},
		Method{"Keep", func(r *Request) { names <- nameIn(t, r.TakeFile()) }}, // answers never
		Method{"Echo", echo})
	first, second := named(t, "first"), named(t, "second")
	if err := b.CallFile("Keep", nil, first, func(Reply) {}); err != nil {
		t.Fatal(err)
	}
	if err := b.CallFile("Keep", nil, second, func(Reply) {}); !errors.Is(err, ErrFilePending) {
		t.Error(err)
	}
	if err := b.Invoke(within(t), "Echo", nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.CallFile("Keep", nil, second, func(Reply) {}); err != nil {
		t.Error(err)
	}
	if a, b := receive(t, names, "the first"), receive(t, names, "the second"); a != "first" || b != "second" {
		t.Errorf("%s, %s", a, b)
	}
}

// TestFilesAreClosed receives files that are not taken: each is closed.
func TestFilesAreClosed(t *testing.T) {
	var wait [5]func()
	var f [5]*os.File
	for i := range f {
		f[i], wait[i] = watched(t)
	}
	_, sock := host(t, HostOptions{}, Service{"Port", []Method{{"Ignore", func(r *Request) { _ = r.Reply(nil) }}}})
	c := client(t, sock)
	b, err := c.Bind(within(t), "Port")
	if err != nil {
		t.Fatal(err)
	}
	// One takes the place of the other.
	for i := range 2 {
		answered := make(chan error, 1)
		if err := b.CallFile("Ignore", nil, f[i], func(r Reply) { answered <- r.Err }); err != nil {
			t.Fatal(err)
		}
		if err := receive(t, answered, "the answer"); err != nil {
			t.Fatal(err)
		}
	}
	wait[0]()
	// Several at once: the first counts, which closes the one before.
	handles := unix.UnixRights(int(f[2].Fd()), int(f[3].Fd()), int(f[4].Fd()))
	if _, _, err := sock.WriteMsgUnix(framed(unhex(t, "1009 2a08 0801 1001 1a00 2000")), handles, nil); err != nil {
		t.Fatal(err)
	}
	wait[1]()
	wait[3]()
	wait[4]()
	// The end of the connection closes the last.
	c.Close()
	wait[2]()
}

// TestQueuedFileIsClosed ends a connection while a file waits to be sent.
func TestQueuedFileIsClosed(t *testing.T) {
	sock, there := pair(t)
	small(t, sock)
	c := client(t, sock)
	b := newBinding(c, "Port", &messages.IPCFrame_BindServiceReply{})
	b.number, b.methods["Keep"] = 1, 1
	for range 20 { // more than fits between the two
		if err := b.Send("Keep", text(string(make([]byte, MaxFrame/2)))); err != nil {
			t.Fatal(err)
		}
	}
	f, wait := watched(t)
	if err := b.CallFile("Keep", nil, f, func(Reply) {}); err != nil {
		t.Fatal(err)
	}
	_ = there.Close()
	receive(t, c.Done(), "the end of the client")
	wait()
}

// TestSplitSendHasOneFile sends a frame that does not fit into the socket: the
// file arrives once, with its beginning, beside the right bytes.
func TestSplitSendHasOneFile(t *testing.T) {
	sock, there := pair(t)
	small(t, sock)
	c := client(t, sock)
	b := newBinding(c, "Port", &messages.IPCFrame_BindServiceReply{})
	b.number, b.methods["Keep"] = 1, 1
	before, long := text("before"), text(string(bytes.Repeat([]byte{'x'}, 100_000)))
	if err := errors.Join(b.Send("Keep", before), b.CallFile("Keep", long, named(t, "file"), func(Reply) {}), b.Send("Keep", before)); err != nil {
		t.Fatal(err)
	}
	var in splitter
	var frames []int // sizes
	var files []int  // how many frames were begun or whole when each came
	_ = there.SetReadDeadline(time.Now().Add(patience))
	for len(frames) < 3 {
		n, f, err := receiveFile(there, in.room())
		if err != nil {
			t.Fatal(err)
		}
		in.filled(n)
		if f != nil {
			files = append(files, len(frames))
			if name := nameIn(t, f); name != "file" {
				t.Errorf("%s came", name)
			}
		}
		for {
			content, ok, err := in.next()
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			frames = append(frames, len(content))
		}
	}
	// It may be read together with the end of the frame before, never later.
	if len(files) != 1 || files[0] > 1 {
		t.Errorf("files came at %v", files)
	}
	if !slices.IsSortedFunc(frames[:2], func(a, b int) int { return a - b }) || frames[1] < 100_000 {
		t.Errorf("frames of %v bytes", frames)
	}
}

// TestMemoryIsHandedOver maps a received file, as both ends do with shared memory.
func TestMemoryIsHandedOver(t *testing.T) {
	seen := make(chan byte, 1)
	_, b := bound(t, HostOptions{}, Method{"Share", func(r *Request) {
		f := r.TakeFile()
		defer f.Close()
		page := make([]byte, 1)
		if _, err := f.ReadAt(page, 4095); err != nil {
			t.Error(err)
		}
		seen <- page[0]
		_ = r.Reply(nil)
	}})
	f := named(t, "shared")
	if err := f.Truncate(4096); err != nil {
		t.Fatal(err)
	}
	memory, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(memory) }()
	memory[4095] = 42
	if err := b.CallFile("Share", nil, f, func(Reply) {}); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, seen, "the byte"); got != 42 {
		t.Errorf("the byte is %d", got)
	}
}
