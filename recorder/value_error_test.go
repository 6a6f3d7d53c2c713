package recorder

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
)

// wrapped is an error of the program that another one has in its text.
type wrapped struct{}

func (wrapped) Error() string { return "wrapped" }

type textFailure string

func (textFailure) Error() string { panic("Error was called") }

type numberFailure int8

func (numberFailure) Error() string { panic("Error was called") }

// wrapping is an error of the program with another in it.
type wrapping struct{ Err error }

func (wrapping) Error() string { panic("Error was called") }

// TestErrorTexts: Of knows the texts of errors of Go's packages, and calls no method of the program.
func TestErrorTexts(t *testing.T) {
	r := start(t, Config{})
	own := errors.New("its own")
	for _, err := range []error{
		own, fmt.Errorf("wrapped: %w", own), fmt.Errorf("%w, %w", own, io.EOF), errors.Join(own, fmt.Errorf("second: %w", io.EOF)),
		&os.PathError{Op: "open", Path: "p", Err: errors.Join(own)}, os.NewSyscallError("read", io.EOF), context.DeadlineExceeded,
		&net.OpError{Op: "dial", Net: "tcp", Source: &net.UDPAddr{Port: 5}, Addr: &net.TCPAddr{IP: net.IPv6loopback, Port: 80}, Err: &net.DNSError{Err: "no such host", Name: "a.example"}},
		&url.Error{Op: "Get", URL: "http://a.example", Err: io.EOF}, json.Unmarshal([]byte("{x"), new(any)),
		net.UnknownNetworkError("foo"), &net.OpError{Op: "dial", Net: "foo", Err: net.UnknownNetworkError("foo")}, &net.AddrError{Err: "an error", Addr: "an address"},
		base64.CorruptInputError(5), url.EscapeError("%zz"), fmt.Errorf("%w", wrapped{}),
	} {
		if text, ok := r.Text(err); !ok || text != PanicType(err)+": "+err.Error() {
			t.Errorf("%T: %q, want %q", err, text, err.Error())
		}
	}
	for err, want := range map[error]string{textFailure("a text"): `recorder.textFailure("a text")`, numberFailure(-5): "recorder.numberFailure(-5)"} {
		if text, ok := r.Text(err); !ok || text != want {
			t.Errorf("%T: %q, want %q", err, text, want)
		}
	}
	endless := &os.PathError{Op: "open"}
	endless.Err = endless
	for _, err := range []error{
		wrapping{io.EOF}, &wrapping{io.EOF}, &os.PathError{Op: "open", Err: wrapping{}}, errors.Join(io.EOF, wrapping{}), &url.Error{Err: &net.OpError{Err: wrapping{}}},
		(*os.PathError)(nil), endless, &net.OpError{Op: "read", Addr: programAddr{}, Err: io.EOF},
	} {
		if text, ok := r.Text(err); ok {
			t.Errorf("%T has the text %q", err, text)
		}
	}
}

// programAddr is a network address of the program.
type programAddr struct{}

func (programAddr) Network() string { return "" }
func (programAddr) String() string  { panic("String was called") }

// TestErrorCut: 1,024 characters of the text of an error are kept, whatever is kept of strings, unless nothing is.
func TestErrorCut(t *testing.T) {
	err := errors.New(strings.Repeat("é", 2000))
	for most, want := range map[int]string{
		0: strings.Repeat("é", 1024) + "…+1952", 5: strings.Repeat("é", 1024) + "…+1952", 1500: strings.Repeat("é", 1500) + "…+1000", -1: "…+4000",
	} {
		r := start(t, Config{MaxString: most})
		if text, _ := r.Text(err); text != "errors.errorString: "+want {
			t.Errorf("with MaxString %d the text is %.60q… of %d bytes", most, text, len(text))
		}
	}
}
