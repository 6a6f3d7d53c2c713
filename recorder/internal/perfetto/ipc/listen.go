package ipc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
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
