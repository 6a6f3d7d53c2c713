package ipc

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestListen accepts connections at each kind of address, and leaves no files.
func TestListen(t *testing.T) {
	dir := folder(t)
	addresses := []string{filepath.Join(dir, "new", "producer"), "127.0.0.1:0", filepath.Join(dir, "consumer")}
	if runtime.GOOS == "linux" {
		addresses = append(addresses, "@"+filepath.Join(dir, "abstract"))
	}
	h := NewHost(HostOptions{}, Service{"Port", []Method{{"Echo", echo}}})
	if err := h.Listen(strings.Join(addresses, ",")); err != nil {
		t.Fatal(err)
	}
	if got := h.Addresses(); len(got) != len(addresses) {
		t.Fatalf("listening at %q", got)
	}
	for _, address := range h.Addresses() {
		c, err := Dial(within(t), address, Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := c.Bind(within(t), "Port")
		if err == nil {
			err = b.Invoke(within(t), "Echo", nil, nil)
		}
		if err != nil {
			t.Errorf("%s: %v", address, err)
		}
		if local := !strings.Contains(address, "127.0.0.1"); c.Local() != local && runtime.GOOS != "windows" {
			t.Errorf("%s: local is %v", address, c.Local())
		}
		c.Close()
		receive(t, c.Done(), "the end of the client")
	}
	closeHost(t, h)
	for _, address := range h.Addresses() {
		if _, err := Dial(within(t), address, Options{}); err == nil {
			t.Errorf("%s still takes connections", address)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "new")); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if err := h.Listen("127.0.0.1:0"); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestDialTriesAll connects to the first that answers.
func TestDialTriesAll(t *testing.T) {
	dir := folder(t)
	there := filepath.Join(dir, "there")
	h := NewHost(HostOptions{})
	if err := h.Listen(there); err != nil {
		t.Fatal(err)
	}
	defer closeHost(t, h)
	c, err := Dial(within(t), filepath.Join(dir, "missing")+","+there, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	receive(t, c.Done(), "the end of the client")
	if _, err := Dial(within(t), filepath.Join(dir, "missing"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Dial(ctx, there, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestBadAddresses: bad addresses are refused, and so are lists with one.
func TestBadAddresses(t *testing.T) {
	dir := folder(t)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct{ address, says string }{
		{"", "empty"},
		{"vsock://2:20001", "vsock"},
		{filepath.Join(dir, strings.Repeat("x", 120)), "use a shorter one"},
		{file, "not a socket"},
		{taken.Addr().String(), "in use"},
	} {
		good := filepath.Join(dir, "good")
		h := NewHost(HostOptions{})
		err := h.Listen(good + "," + c.address)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.address, err)
		}
		if _, err := os.Lstat(good); err == nil || len(h.Addresses()) != 0 {
			t.Errorf("%q: the other address is listened at", c.address)
		}
		closeHost(t, h)
	}
	if content, err := os.ReadFile(file); string(content) != "precious" {
		t.Errorf("the file holds %q, %v", content, err)
	}
}

// TestStaleSocket: a stale socket is replaced, one in use is not.
func TestStaleSocket(t *testing.T) {
	path := filepath.Join(folder(t), "s")
	dead, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	dead.(interface{ SetUnlinkOnClose(bool) }).SetUnlinkOnClose(false) // not on every system
	_ = dead.Close()

	first, second := NewHost(HostOptions{}), NewHost(HostOptions{})
	defer closeHost(t, second)
	if err := first.Listen(path); err != nil {
		t.Fatal(err)
	}
	if err := second.Listen(path); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Error(err)
	}
	closeHost(t, first)
	if err := second.Listen(path); err != nil {
		t.Error(err)
	}
}

// TestAddressOfTheService: the variables name the service.
func TestAddressOfTheService(t *testing.T) {
	t.Setenv(ProducerVariable, "/some/where")
	t.Setenv(ConsumerVariable, "@name")
	if p, c := ProducerAddress(), ConsumerAddress(); p != "/some/where" || c != "@name" {
		t.Errorf("%s, %s", p, c)
	}
	t.Setenv(ProducerVariable, "")
	t.Setenv(ConsumerVariable, "")
	p, c := ProducerAddress(), ConsumerAddress()
	if p == c || !strings.Contains(p, "producer") && !strings.Contains(p, ":") {
		t.Errorf("%s, %s", p, c)
	}
}
