//go:build unix && !aix

package ipc

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSocketIsTheOwners: a socket has mode 0600 from the start, and its directory 0700,
// whatever the umask of the process is.
func TestSocketIsTheOwners(t *testing.T) {
	path := filepath.Join(folder(t), "private", "s")
	old := syscall.Umask(0)
	h := NewHost(HostOptions{})
	err := h.Listen(path)
	syscall.Umask(old)
	defer closeHost(t, h)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

// TestModeIsThereBeforeTheName binds without any change of the mode afterwards.
func TestModeIsThereBeforeTheName(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems do not heed a mode that is set before")
	}
	path := filepath.Join(folder(t), "s")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), "socket")
	defer f.Close()
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := ownerOnly("unix", path, raw); err != nil {
		t.Fatal(err)
	}
	old := syscall.Umask(0)
	err = unix.Bind(fd, &unix.SockaddrUnix{Name: path})
	syscall.Umask(old)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestPeer: the peer is the one that the system names, for a Unix socket, or the first
// one that a relay names, over TCP.
func TestPeer(t *testing.T) {
	peers := make(chan Peer, 1)
	h := NewHost(HostOptions{}, Service{"Port", []Method{{"Who", func(r *Request) { peers <- r.Conn.Peer(); _ = r.Reply(nil) }}}})
	defer closeHost(t, h)
	if err := h.Listen(filepath.Join(folder(t), "s") + ",127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	local := Peer{UID: os.Getuid(), PID: os.Getpid(), Local: true}
	remote := Peer{UID: -1, PID: -1}
	relayed := Peer{UID: 7, PID: 5, Relayed: true, MachineHint: "h", MachineName: "m"}
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		local.UID, local.PID = -1, -1
	}
	const (
		who   = "1001 2a08 0801 1001 1a00 2000"
		relay = "420a 0805 1007 1a0168 22016d"
		other = "4204 0801 1001"
	)
	for i, want := range [][3]Peer{{local, local, local}, {remote, relayed, relayed}} {
		c, err := connect(within(t), h.Addresses()[i])
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		peer := &raw{t: t, sock: c}
		for j, said := range []string{"", relay, other} {
			peer.send(unhex(t, said))
			peer.send(unhex(t, who))
			if got := receive(t, peers, "the peer"); got != want[j] {
				t.Errorf("%s: %+v, want %+v", h.Addresses()[i], got, want[j])
			}
			if got := peer.next(); !slices.Equal(got, unhex(t, "1001 3206 0801 1000 1a00")) {
				t.Errorf("%x", got) // and nothing in answer to a relay
			}
		}
	}
}

// TestNoFilesOverTCP: sending a file over TCP fails at once.
func TestNoFilesOverTCP(t *testing.T) {
	refused := make(chan error, 1)
	h := NewHost(HostOptions{}, Service{"Port", []Method{{"Get", func(r *Request) {
		f, err := os.Open(os.DevNull)
		if err != nil {
			t.Error(err)
		}
		defer f.Close()
		refused <- r.StreamFile(nil, f)
		_ = r.Reply(nil)
	}}}})
	defer closeHost(t, h)
	if err := h.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	c, err := Dial(within(t), h.Addresses()[0], Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b, err := c.Bind(within(t), "Port")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.CallFile("Get", nil, named(t, "file"), func(Reply) {}); !errors.Is(err, ErrNoFiles) {
		t.Error(err)
	}
	if err := b.Invoke(within(t), "Get", nil, nil); err != nil {
		t.Error(err)
	}
	if err := receive(t, refused, "the call"); !errors.Is(err, ErrNoFiles) {
		t.Error(err)
	}
}
