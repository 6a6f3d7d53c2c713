//go:build linux

//lint:file-ignore SA1000,SA1007,SA1019,SA1030 the errors of wrong arguments, and an old one, are compared
package instrumented_test

import (
	"compress/flate"
	"context"
	"crypto/aes"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/big"
	"net"
	"net/http"
	"net/mail"
	"net/netip"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/template"
	"time"

	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// recording writes Go's values as the recorder does.
type recording struct {
	f     *rawtest.File
	types map[reflect.Type]*raw.Type
}

// typ describes a type, and those of its parts.
func (r *recording) typ(t reflect.Type) *raw.Type {
	if d := r.types[t]; d != nil {
		return d
	}
	d := &raw.Type{ID: uint32(len(r.types)+1) << 3, Kind: t.Kind(), Name: t.String()}
	r.types[t] = d
	if t.PkgPath() != "" {
		d.Package, d.Flags = t.PkgPath(), raw.TypeNamed
		if t.Implements(reflect.TypeFor[error]()) {
			d.Flags |= raw.TypeError
		}
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		d.Element = r.typ(t.Elem()).ID
	case reflect.Struct:
		for i := range t.NumField() {
			d.Fields = append(d.Fields, raw.Field{Type: r.typ(t.Field(i).Type).ID, Name: t.Field(i).Name})
		}
	}
	r.f.Type(d)
	return d
}

// value writes a value, and follows so many pointers, one in the other.
func (r *recording) value(v reflect.Value, steps int) rawtest.Value {
	const address = 0xc000123450
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		return rawtest.Text(s, uint32(len(s)))
	case reflect.Bool:
		return rawtest.Bool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return rawtest.Int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return rawtest.Uint(v.Uint())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[net.OpError]() {
			steps = 2
		}
		var fields []rawtest.Value
		for i := range v.NumField() {
			fields = append(fields, r.value(v.Field(i), steps))
		}
		return rawtest.Struct(false, fields...)
	case reflect.Func, reflect.Map, reflect.Chan, reflect.UnsafePointer, reflect.Array:
		return rawtest.Address(address)
	}
	if v.IsNil() {
		return rawtest.Nil()
	}
	switch isErrors := v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[error](); {
	case v.Kind() == reflect.Interface:
		if v.Type() == reflect.TypeFor[error]() {
			steps = max(steps, 1)
		}
		return rawtest.Typed(r.typ(v.Elem().Type()), r.value(v.Elem(), steps))
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 && steps > 0:
		return rawtest.Bytes(address, uint32(v.Len()), string(v.Bytes()))
	case v.Kind() == reflect.Slice && (steps > 0 || isErrors):
		var elements []rawtest.Value
		for i := range v.Len() {
			elements = append(elements, r.value(v.Index(i), max(steps-1, 0)))
		}
		return rawtest.Elements(address, uint32(v.Len()), elements...)
	case v.Kind() == reflect.Slice:
		return rawtest.Slice(address, uint32(v.Len()))
	case v.Elem().Kind() == reflect.Struct && steps > 0:
		return rawtest.Pointee(address, r.value(v.Elem(), steps-1))
	}
	return rawtest.Address(address)
}

// shown converts calls that return the errors, and returns how each is shown.
func shown(t *testing.T, all []error) []string {
	t.Helper()
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
	r := recording{f, map[reflect.Type]*raw.Type{}}
	one := &raw.Function{ID: 1, Results: []uint32{r.typ(reflect.TypeFor[error]()).ID}, Package: "p", Name: "one"}
	g := f.Goroutine(1 << 10)
	g.Begin(1, 0, 0, 0)
	for i := range all {
		v := r.value(reflect.ValueOf(&all[i]).Elem(), 0)
		g.Enter(one, 0)
		g.Exit(one, v)
	}
	s, _, text := convert(t, instrumented.Options{}, f)
	if s.Processes[0].Damaged > 0 {
		t.Fatal(s.Processes[0].Problems)
	}
	var list []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "p.one(): "); ok {
			list = append(list, strings.TrimSuffix(rest, "\n"))
		}
	}
	if len(list) != len(all) {
		t.Fatalf("%d errors are shown, expected %d:\n%s", len(list), len(all), text)
	}
	return list
}

// failed returns the error of a call.
func failed[T any](_ T, err error) error { return err }

// thrown returns the error that a function panics with.
func thrown(f func()) (err error) {
	defer func() { err = recover().(error) }()
	f()
	return nil
}

type (
	ownText   string
	ownNumber int
	ownStruct struct{ N int }
	ownAddr   string
)

func (ownText) Error() string   { return "a text of its own" }
func (ownNumber) Error() string { return "a number of its own" }
func (ownStruct) Error() string { return "a struct of its own" }
func (ownAddr) Network() string { return "own" }
func (ownAddr) String() string  { return "an address of its own" }

// standardErrors are errors of Go's packages whose texts are known.
func standardErrors() []error {
	long := strings.Repeat("long ", 100)
	zero, nothing := 0, []int(nil)
	all := []error{
		errors.New("plain"), errors.New("a\n\\\"b"), fmt.Errorf("%s: %w", long, io.EOF), fmt.Errorf("%w %w", io.EOF, ownText("x")), fmt.Errorf("%w", ownNumber(5)),
		errors.Join(io.EOF), errors.Join(io.EOF, net.UnknownNetworkError("foo")), context.Canceled, context.DeadlineExceeded,
		failed(net.Dial("foo", "a:1")), failed(net.Dial("tcp", "a:b:c")), failed(net.Dial("tcp", "127.0.0.1:70000")), failed(net.Dial("tcp", "127.0.0.1")),
		&net.OpError{Op: "remote error", Err: tls.AlertError(40)}, tls.AlertError(40), tls.AlertError(3), net.InvalidAddrError("an address"), &net.AddrError{Err: "an error"},
		&net.OpError{Op: "read", Net: "unix", Source: &net.UnixAddr{Name: "/run/socket"}, Addr: &net.UDPAddr{IP: net.ParseIP("fe80::1"), Port: 5, Zone: "eth0"}, Err: os.ErrDeadlineExceeded},
		&net.OpError{Op: "read", Net: "udp", Source: &net.UDPAddr{IP: net.IPv4(1, 2, 3, 4), Zone: "z"}, Addr: &net.IPAddr{IP: net.IPv4(1, 2, 3, 4), Zone: "z"}, Err: syscall.EPIPE},
		&net.OpError{Op: "set", Net: "pipe", Source: failedPipe(), Addr: failedPipe(), Err: errors.New("not supported")},
		&net.DNSError{Err: "no such host", Name: "a", Server: "s"}, &net.DNSError{UnwrapErr: ownText("x"), Err: "no such host", Name: "a"}, &net.ParseError{Type: "CIDR address", Text: "x"}, &net.DNSConfigError{Err: io.EOF},
		failed(net.ParseMAC("x")), failed(netip.ParseAddr("1.2.3")), failed(netip.ParseAddr("fe80::%")), failed(netip.ParsePrefix("x")), failed(net.ResolveTCPAddr("foo", "a")),
		failed(url.Parse("http://a b/")), failed(url.Parse(":")), failed(url.QueryUnescape("%zz")), url.InvalidHostError("<"), url.EscapeError("%\"zz"), &url.Error{Op: "Get", URL: "u\"", Err: io.EOF},
		failed(strconv.Atoi("many\"é")), failed(strconv.ParseInt("300", 10, 8)), failed(strconv.ParseInt("1", 99, 8)), failed(strconv.ParseBool("x")),
		failed(base64.StdEncoding.DecodeString("a?b")), failed(hex.DecodeString("zz")), hex.InvalidByteError(7), hex.ErrLength,
		json.Unmarshal([]byte("{x"), new(any)), &json.InvalidUnmarshalError{}, failed(json.Marshal(math.Inf(1))), &json.InvalidUTF8Error{S: "\xff"},
		xml.Unmarshal([]byte("<a></b>"), new(any)), xml.UnmarshalError("expected"), failed(csv.NewReader(strings.NewReader("a,b\nc")).ReadAll()), failed(csv.NewReader(strings.NewReader("a,\"\nb\"x")).ReadAll()),
		failed(io.ReadAll(flate.NewReader(strings.NewReader("\xff\xff")))), flate.InternalError("x"), failed(aes.NewCipher(nil)),
		user.UnknownUserError("nobody"), user.UnknownUserIdError(77), user.UnknownGroupError("none"), user.UnknownGroupIdError("88"),
		failed(os.Open("/none/file")), os.Rename("/none/a", "/none/b"), failed(exec.LookPath("no-such-program")), &fs.PathError{Op: "open", Path: "p", Err: syscall.Errno(2)}, os.NewSyscallError("read", syscall.EINTR), syscall.EINVAL, syscall.Errno(100_000),
		failed(regexp.Compile("a(b")), failed(time.Parse(time.RFC3339, "2024-é\"x")), failed(time.Parse(time.RFC3339, "2024-13-01T00:00:00Z")), failed(time.ParseDuration("5 \x01é\"")), failed(time.ParseDuration("")),
		&http.MaxBytesError{Limit: 5}, http.ErrNotSupported, &textproto.Error{Code: 50, Msg: "a \"text"}, textproto.ProtocolError("malformed"), failed((&mail.AddressParser{WordDecoder: nil}).Parse("=?x?q?a?= <a@b>")),
		x509.CertificateInvalidError{Reason: x509.Expired, Detail: "now"}, x509.CertificateInvalidError{Reason: x509.NoValidChains}, x509.CertificateInvalidError{Reason: x509.NoValidChains, Detail: "d"},
		x509.UnknownAuthorityError{Cert: &x509.Certificate{}}, x509.SystemRootsError{}, x509.SystemRootsError{Err: io.EOF}, x509.UnhandledCriticalExtension{}, x509.ConstraintViolationError{},
		&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}}, tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"},
		template.Must(template.New("t").Parse("{{.X}}")).Execute(io.Discard, 5), failed(template.New("t").Parse("{{")),
		thrown(func() { _ = 1 / zero }), thrown(func() { _ = nothing[zero] }), thrown(func() { reflect.ValueOf(5).Len() }), thrown(func() { new(reflect.Value).Len() }),
		thrown(func() { new(big.Float).Sub(new(big.Float).SetInf(false), new(big.Float).SetInf(false)) }), new(runtime.PanicNilError),
	}
	for reason := range 11 {
		all = append(all, x509.CertificateInvalidError{Reason: x509.InvalidReason(reason), Detail: "d"})
	}
	return all
}

func failedPipe() net.Addr {
	a, b := net.Pipe()
	a.Close()
	b.Close()
	return a.LocalAddr()
}

// TestStandardErrors: the text of an error of Go's packages is what its method Error returns.
func TestStandardErrors(t *testing.T) {
	all := standardErrors()
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
	for i, got := range shown(t, all) {
		_, text, _ := strings.Cut(got, "(")
		if want := `"` + escape.Replace(all[i].Error()) + `")`; text != want {
			t.Errorf("%T is %s\nwant %s", all[i], got, want)
		}
	}
}

// TestOwnErrors: what is not the text of an error is not shown as that.
func TestOwnErrors(t *testing.T) {
	var none *net.TCPAddr
	for i, got := range shown(t, ownErrors(none)) {
		if strings.Contains(got, `@`) && strings.Contains(got, `("`) {
			t.Errorf("%T is shown with a text: %s", ownErrors(none)[i], got)
		}
	}
	list := []error{ownText("abc"), ownNumber(5)}
	for i, want := range []string{`instrumented_test.ownText("abc")`, "instrumented_test.ownNumber(5)"} {
		if got := shown(t, list)[i]; got != want {
			t.Errorf("%#v is %s, expected %s", list[i], got, want)
		}
	}
}

func ownErrors(none *net.TCPAddr) []error {
	return []error{
		ownText("abc"), ownNumber(5), ownStruct{5}, &ownStruct{5}, errors.Join(io.EOF, ownText("abc")), errors.Join(ownStruct{}, io.EOF), errors.Join(errors.Join(&ownStruct{}), io.EOF),
		&os.PathError{Op: "open", Path: "p", Err: ownText("abc")}, &os.PathError{Op: "open", Path: "p"}, &url.Error{Op: "Get", URL: "u", Err: &net.OpError{Op: "dial", Err: ownNumber(5)}},
		&net.OpError{Op: "dial", Addr: ownAddr("abc"), Err: io.EOF}, &net.OpError{Op: "dial", Addr: none, Err: io.EOF}, &net.OpError{Op: "dial", Err: nil},
		&net.OpError{Op: "dial", Addr: &net.TCPAddr{IP: net.IP("odd")}, Err: io.EOF},
		json.Unmarshal([]byte("5"), new(string)), &json.InvalidUnmarshalError{Type: reflect.TypeFor[int]()}, x509.InsecureAlgorithmError(3), x509.HostnameError{Certificate: &x509.Certificate{}, Host: "h"},
	}
}
