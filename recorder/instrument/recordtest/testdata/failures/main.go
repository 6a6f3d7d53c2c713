// Command failures returns errors of many types, and panics with them. It prints their messages.
package main

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"time"
)

type text string

func (t text) Error() string { return "not " + string(t) }

type code int

func (c code) Error() string { return "not " + strconv.Itoa(int(c)) }

type small uint8

func (s small) Error() string { return "not " + strconv.Itoa(int(s)) }

// level is no error.
type level string

func (level) Error(...any) {}

func failures() (all []error) {
	add := func(_ any, err error) { all = append(all, err) }
	long := strings.Repeat("an argument of the call that failed, ", 20)
	deep := fmt.Errorf("%s: %w", long, fmt.Errorf("%s: %w", long, errors.New("the cause")))
	all = append(all,
		fmt.Errorf("%s: %w", long, os.ErrNotExist), deep, fmt.Errorf("%w and %w", io.EOF, io.ErrUnexpectedEOF),
		errors.New(strings.Repeat("0123456789", 150)), errors.New(strings.Repeat("x", 1023)+"é"),
		errors.Join(io.EOF), errors.Join(io.EOF, fmt.Errorf("second: %w", text("a\\b"))), errors.Join(errors.Join(url.EscapeError("a"), user.UnknownUserIdError(3)), io.EOF),
		fmt.Errorf("%w", errors.Join(io.EOF, io.EOF)), &os.PathError{Op: "op", Path: "p", Err: errors.Join(io.EOF, net.UnknownNetworkError("t"))},
		net.UnknownNetworkError("foo"), url.EscapeError(long), base64.CorruptInputError(7), hex.InvalidByteError('x'), tls.AlertError(40), context.DeadlineExceeded, context.Canceled,
		&net.DNSError{Err: "no such host", Name: "a.example"}, &net.DNSError{Err: "timeout", Name: "a.example", Server: "10.0.0.1:53", IsTimeout: true},
		&net.OpError{Op: "read", Net: "udp", Source: &net.UDPAddr{IP: net.ParseIP("fe80::1"), Port: 5, Zone: "eth0"}, Addr: &net.TCPAddr{Port: 80}, Err: io.EOF},
		&net.OpError{Op: "dial", Net: "ip4", Addr: &net.IPAddr{IP: net.IPv4(10, 0, 0, 1)}, Err: &net.DNSError{Err: "no such host", Name: "b.example"}},
		&net.OpError{Op: "close", Err: os.NewSyscallError("close", os.ErrClosed)},
		&net.ParseError{Type: "IP address", Text: "1.2"},
	)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	l.Close()
	add(l.Accept())
	add(net.Dial("tcp", l.Addr().String()))
	add((&net.Dialer{Deadline: time.Unix(1, 0)}).Dial("tcp", l.Addr().String()))
	add(http.Get("http://" + l.Addr().String() + "/path"))
	add(os.Open("/none/" + strings.Repeat("directory/", 20)))
	add(nil, os.Rename("/none/a", "/none/b"))
	add(os.Open("a\x00b"))
	add(strconv.Atoi("many"))
	add(exec.LookPath("no-such-program"))
	add(nil, json.Unmarshal([]byte("{x"), new(any)))
	add(net.Dial("foo", "a:1"))
	add(net.Dial("tcp", "a:b:c"))
	add(nil, (&net.AddrError{Err: "an error", Addr: "an address"}))
	add(time.Parse(time.RFC3339, "today"))
	return all
}

// get returns an error of the list.
func get(_ int, err error) error { return err }

// take takes an error as an argument.
func take(_ int, err error, l level) level { return l }

func throw(_ int, x any) {
	defer func() { recover() }()
	panic(x)
}

func main() {
	for i, err := range failures() {
		get(i, err)
		take(i, err, "l")
		throw(i, err)
		fmt.Printf("%d\t%q\n", i, err.Error())
	}
	throw(-1, strings.Repeat("0123456789", 110))
	for i, err := range []error{text("a text"), code(-7), small(7)} {
		get(-2-i, err)
		throw(-2-i, err)
	}
}
