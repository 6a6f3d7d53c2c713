package ipc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// listen makes a listener for each address of the list, or none.
//
// A socket in a directory has mode 0600 from its first moment, so only its owner can
// connect. The directory is created, with mode 0700, if it is missing. A stale socket
// is replaced; one in use is not.
func listen(list string) (all []net.Listener, err error) {
	addresses, err := parseAddresses(list)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			for _, l := range all {
				_ = l.Close()
			}
			all = nil
		}
	}()
	for _, a := range addresses {
		config := net.ListenConfig{}
		path := a.network == "unix" && !a.abstract()
		if path {
			if err := clearPath(a.name); err != nil {
				return all, err
			}
			config.Control = ownerOnly
		}
		l, err := config.Listen(context.Background(), a.network, a.name)
		if err != nil {
			return all, fmt.Errorf("ipc: %w", err)
		}
		all = append(all, l)
		if path {
			// For systems that ignore ownerOnly.
			if err := os.Chmod(a.name, 0o600); err != nil {
				return all, fmt.Errorf("ipc: %w", err)
			}
		}
	}
	return all, nil
}

// clearPath makes room for a socket.
func clearPath(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("ipc: %w", err)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("ipc: %w", err)
	case info.Mode().Type() != os.ModeSocket:
		return fmt.Errorf("ipc: %s exists and is not a socket; use another path", path)
	}
	sock, err := net.Dial("unix", path)
	if err == nil {
		_ = sock.Close()
	}
	if !refused(err) {
		return fmt.Errorf("ipc: %s is in use by another service; stop that service, or use another path", path)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("ipc: %w", err)
	}
	return nil
}

// The environment variables with the addresses of a service's sockets.
const (
	ProducerVariable = "PERFETTO_PRODUCER_SOCK_NAME"
	ConsumerVariable = "PERFETTO_CONSUMER_SOCK_NAME"
)

// ProducerAddress returns where producers of this machine find the service: the value
// of ProducerVariable, or Perfetto's own address.
func ProducerAddress() string {
	return cmp.Or(os.Getenv(ProducerVariable), defaultAddress("producer", "127.0.0.1:32278"))
}

// ConsumerAddress returns where consumers of this machine find the service.
func ConsumerAddress() string {
	return cmp.Or(os.Getenv(ConsumerVariable), defaultAddress("consumer", "127.0.0.1:32279"))
}

func defaultAddress(port, onWindows string) string {
	if runtime.GOOS == "windows" {
		return onWindows
	}
	const folder = "/run/perfetto/"
	if _, err := os.Stat(folder + "."); runtime.GOOS == "linux" && err == nil {
		return folder + "traced-" + port + ".sock"
	}
	return "/tmp/perfetto-" + port
}

// address is one address of a list: a path, "@" with an abstract name, or host:port.
type address struct{ network, name string }

// parseAddresses splits a list at its commas.
func parseAddresses(list string) ([]address, error) {
	var all []address
	for text := range strings.SplitSeq(list, ",") {
		a := address{"unix", text}
		if colon := strings.LastIndexByte(text, ':'); colon >= 0 && text[0] != '@' {
			if _, err := strconv.ParseUint(text[colon+1:], 10, 16); err == nil {
				a.network = "tcp"
			}
		}
		if err := a.check(); err != nil {
			return nil, fmt.Errorf("ipc: the address %q: %w", text, err)
		}
		all = append(all, a)
	}
	return all, nil
}

func (a address) check() error {
	switch {
	case !supported:
		return ErrPlatform
	case a.name == "":
		return errors.New("it is empty")
	case strings.HasPrefix(a.name, "vsock://"):
		return errors.New("vsock is not supported; use a path or host:port")
	case a.network != "unix":
		return nil
	case a.abstract() && runtime.GOOS != "linux":
		return errors.New("only Linux has abstract names; use a path")
	case len(a.name) > longestPath:
		return fmt.Errorf("it has %d bytes, but a socket's path has at most %d; use a shorter one", len(a.name), longestPath)
	}
	return nil
}

func (a address) abstract() bool { return a.network == "unix" && a.name[0] == '@' }

// connect returns a connection to the first address of the list that accepts one.
func connect(ctx context.Context, list string) (net.Conn, error) {
	addresses, err := parseAddresses(list)
	if err != nil {
		return nil, err
	}
	var faults []error
	for _, a := range addresses {
		sock, err := (&net.Dialer{}).DialContext(ctx, a.network, a.name)
		if err == nil {
			return sock, nil
		}
		faults = append(faults, fmt.Errorf("ipc: cannot connect: %w", err))
	}
	return nil, errors.Join(faults...)
}

var (
	// ErrPlatform is returned where a program and a service cannot share memory:
	// WebAssembly, Plan 9 and AIX.
	ErrPlatform = errors.New("no shared memory on this platform")

	// ErrTooLarge is returned for a frame of more than [MaxFrame] bytes. If such a frame
	// arrives, the connection ends; none is sent.
	ErrTooLarge = errors.New("a frame may have at most 128 KiB")

	// ErrClosed is returned after this end has closed the connection.
	ErrClosed = errors.New("the connection is closed")

	// ErrDisconnected is returned when the peer has ended the connection.
	ErrDisconnected = errors.New("the peer is gone")

	// ErrSendTimeout is returned when the connection was ended because the peer did not
	// read in time.
	ErrSendTimeout = errors.New("the peer does not read what is sent to it")

	// ErrRejected is returned for a call that the host did not carry out. The
	// protocol does not say why.
	ErrRejected = errors.New("the service rejected the call")

	// ErrNoService is returned if a host does not have the service asked for.
	ErrNoService = errors.New("the peer does not offer this service")

	// ErrNoMethod is returned if a service, being older, lacks a method.
	ErrNoMethod = errors.New("the service does not have this method")

	// ErrNoFiles is returned for a file on a connection that cannot carry files.
	ErrNoFiles = errors.New("this connection cannot carry files")

	// ErrFilePending is returned for a file while the peer may not have taken the
	// previous one. The caller must wait for a reply first.
	ErrFilePending = errors.New("the peer may not have taken the last file yet")

	// ErrAnswered is returned for a reply to a request after its last reply.
	ErrAnswered = errors.New("the request was already answered")
)
