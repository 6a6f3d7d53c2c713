package ipc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
)

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
