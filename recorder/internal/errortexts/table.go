// Package errortexts has the texts of errors whose types are known: what their method Error returns, made from their
// fields without calling it. The text of any other type is not known, even if the type is a string or a number.
package errortexts

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// templates are texts, by the names of types: import path and name. {F} stands for the text of field F, {} for the value
// itself; a verb may follow: see [Quote].
var templates = map[string]string{
	"errors.errorString": "{s}", "fmt.wrapError": "{msg}", "fmt.wrapErrors": "{msg}", "context.deadlineExceededError": "context deadline exceeded",
	"errors.joinError": "{errs}", "go.uber.org/multierr.multiError": "{errors}",

	"runtime.errorString": "runtime error: {}", "runtime.plainError": "{}", "runtime.errorAddressString": "runtime error: {msg}",
	"runtime.PanicNilError": "panic called with nil argument", "runtime.synctestDeadlockError": "{reason}",

	"io/fs.PathError": "{Op} {Path}: {Err}", "os.LinkError": "{Op} {Old} {New}: {Err}", "os.SyscallError": "{Syscall}: {Err}",
	"os/exec.Error": "exec: {Name|quoted}: {Err}", "os/exec.wrappedError": "{prefix}: {err}",
	"os/user.UnknownUserError": "user: unknown user {}", "os/user.UnknownUserIdError": "user: unknown userid {}",
	"os/user.UnknownGroupError": "group: unknown group {}", "os/user.UnknownGroupIdError": "group: unknown groupid {}",
	"internal/poll.DeadlineExceededError": "i/o timeout", "internal/poll.errNetClosing": "use of closed network connection",

	"strconv.NumError": "strconv.{Func}: parsing {Num|quoted}: {Err}", "math/big.ErrNaN": "{msg}",
	"time.parseDurationError": "time: {message} {value|bytes}", "time.fileSizeError": "time: file {} is too large",
	"regexp/syntax.Error": "error parsing regexp: {Code}: `{Expr}`", "text/template.ExecError": "{Err}",
	"go/build.NoGoError": "no buildable Go source files in {Dir}", "go/build/constraint.SyntaxError": "{Err}", "go/types.ArgumentError": "{Err}",
	"testing/quick.SetupError": "{}",

	"net.ParseError": "invalid {Type}: {Text}", "net.timeoutError": "i/o timeout", "net.canceledError": "operation was canceled",
	"net.UnknownNetworkError": "unknown network {}", "net.InvalidAddrError": "{}", "net.DNSConfigError": "error reading DNS config: {Err}",
	"net.notFoundError": "{s}", "net.temporaryError": "{s}", "net/netip.parsePrefixError": "netip.ParsePrefix({in|quoted}): {msg}",
	"net/url.Error": "{Op} {URL|quoted}: {Err}", "net/url.EscapeError": "invalid URL escape {|quoted}",
	"net/url.InvalidHostError": "invalid character {|quoted} in host name", "net/mail.charsetError": "charset not supported: {|quoted}",
	"net/rpc.ServerError": "{}", "net/textproto.ProtocolError": "{}", "net/textproto.Error": "{Code|three} {Msg|quoted}",

	"net/http.ProtocolError": "{ErrorString}", "net/http.httpError": "{err}", "net/http.timeoutError": "{err}", "net/http.unsupportedTEError": "{err}",
	"net/http.MaxBytesError": "http: request body too large", "net/http.tlsHandshakeTimeoutError": "net/http: TLS handshake timeout",
	"net/http.transportReadFromServerError": "net/http: Transport failed to read from server: {err}", "net/http.nothingWrittenError": "{error}",
	"net/http.http2noCachedConnError": "http2: no cached connection was available", "net/http.http2httpError": "{msg}",
	"net/http.http2goAwayFlowError": "connection exceeded flow control window size", "net/http.http2pseudoHeaderError": "invalid pseudo-header {|quoted}",
	"net/http.http2duplicatePseudoHeaderError": "duplicate pseudo-header {|quoted}", "net/http.http2headerFieldNameError": "invalid header field name {|quoted}",
	"net/http.http2headerFieldValueError": "invalid header field value for {|quoted}",

	"encoding/json.SyntaxError": "{msg}", "encoding/json.UnsupportedValueError": "json: unsupported value: {Str}",
	"encoding/json.InvalidUTF8Error": "json: invalid UTF-8 in string: {S|quoted}",
	"encoding/xml.SyntaxError":       "XML syntax error on line {Line}: {Msg}", "encoding/xml.UnmarshalError": "{}",
	"encoding/xml.TagPathError":     "{Struct} field {Field1|quoted} with tag {Tag1|quoted} conflicts with field {Field2|quoted} with tag {Tag2|quoted}",
	"encoding/hex.InvalidByteError": "encoding/hex: invalid byte: {|unicode}", "encoding/base64.CorruptInputError": "illegal base64 data at input byte {}",
	"encoding/base32.CorruptInputError": "illegal base32 data at input byte {}", "encoding/ascii85.CorruptInputError": "illegal ascii85 data at input byte {}",
	"encoding/asn1.StructuralError": "asn1: structure error: {Msg}", "encoding/asn1.SyntaxError": "asn1: syntax error: {Msg}",

	"compress/bzip2.StructuralError": "bzip2 data invalid: {}", "compress/flate.CorruptInputError": "flate: corrupt input before offset {}",
	"compress/flate.InternalError": "flate: internal error: {}", "compress/flate.ReadError": "flate: read error at offset {Offset}: {Err}",
	"compress/flate.WriteError": "flate: write error at offset {Offset}: {Err}", "debug/gosym.UnknownFileError": "unknown file: {}",
	"debug/gosym.UnknownLineError": "no code at {File}:{Line}",
	"image/jpeg.FormatError":       "invalid JPEG format: {}", "image/jpeg.UnsupportedError": "unsupported JPEG feature: {}",
	"image/png.FormatError": "png: invalid format: {}", "image/png.UnsupportedError": "png: unsupported feature: {}",

	"crypto/aes.KeySizeError": "crypto/aes: invalid key size {}", "crypto/internal/fips140/aes.KeySizeError": "crypto/aes: invalid key size {}",
	"crypto/des.KeySizeError": "crypto/des: invalid key size {}", "crypto/rc4.KeySizeError": "crypto/rc4: invalid key size {}",
	"crypto/tls.CertificateVerificationError": "tls: failed to verify certificate: {Err}", "crypto/tls.permanentError": "{err}",
	"crypto/tls.RecordHeaderError": "tls: {Msg}", "crypto/tls.ECHRejectionError": "tls: server rejected ECH", "crypto/tls.timeoutError": "tls: DialWithDialer timed out",
	"crypto/x509.UnhandledCriticalExtension": "x509: unhandled critical extension",
	"crypto/x509.ConstraintViolationError":   "x509: invalid signature: parent certificate cannot sign this kind of certificate",

	"github.com/pkg/errors.fundamental": "{msg}", "github.com/pkg/errors.withMessage": "{msg}: {cause}", "github.com/pkg/errors.withStack": "{error}",
	"golang.org/x/xerrors.errorString": "{s}", "golang.org/x/xerrors.wrapError": "{msg}: {err}", "golang.org/x/xerrors.noWrapError": "{msg}: {err}",
}

// composed are the fields that texts without a template depend on, as in a template, by the names of types. A reader composes the
// texts itself.
var composed = map[string]string{
	"syscall.Errno": "{}", "crypto/tls.AlertError": "{}", "crypto/tls.alert": "{}",
	"net.OpError": "{Op} {Net} {Source} {Addr} {Err}", "net.DNSError": "{Name} {Server} {Err}", "net.AddrError": "{Err} {Addr}", "net/netip.parseAddrError": "{in} {msg} {at}",
	"runtime.boundsError": "{x} {y} {signed} {code}", "runtime.TypeAssertionError": "{_interface} {concrete} {asserted} {missingMethod}",
	"reflect.ValueError": "{Method} {Kind}", "time.ParseError": "{Value} {Layout} {ValueElem} {LayoutElem} {Message}",
	"encoding/csv.ParseError": "{StartLine} {Line} {Column} {Err}", "encoding/json.InvalidUnmarshalError": "{Type}",
	"html/template.Error":                 "{Node} {Line} {Name} {Description}",
	"crypto/x509.CertificateInvalidError": "{Reason} {Detail}", "crypto/x509.UnknownAuthorityError": "{hintErr}", "crypto/x509.SystemRootsError": "{Err}",
}

// Piece is a part of a text: a text, then a field.
type Piece struct {
	Before string
	Field  string // "" is the value itself
	Verb   string // how the text of the field is written, see [Quote]
	Last   bool   // no field follows
}

// Of returns the pieces of the text of a type, by its import path and name. whole says that they are the text; otherwise
// their fields are those that it depends on. It returns nil if the text is not known.
func Of(pkg, name string) (pieces []Piece, whole bool) {
	template, whole := templates[pkg+"."+name]
	if !whole {
		if template = composed[pkg+"."+name]; template == "" {
			return nil, false
		}
	}
	for {
		before, rest, found := strings.Cut(template, "{")
		if !found {
			return append(pieces, Piece{Before: before, Last: true}), whole
		}
		field, after, _ := strings.Cut(rest, "}")
		field, verb, _ := strings.Cut(field, "|")
		pieces = append(pieces, Piece{Before: before, Field: field, Verb: verb})
		template = after
	}
}

// Quote writes the text of a field as a verb wants it: quoted as Go does, with the bytes of what is not ASCII as package
// time does, a number as that of a character, or in three digits. It reports false if the text does not fit the verb.
func Quote(verb, text string) (string, bool) {
	switch verb {
	case "":
		return text, true
	case "quoted":
		return strconv.Quote(text), true
	case "bytes":
		return QuoteBytes(text), true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return "", false
	}
	if verb == "unicode" {
		return fmt.Sprintf("%#U", rune(n)), true
	}
	return fmt.Sprintf("%03d", n), true
}

// QuoteBytes quotes a text as package time does.
func QuoteBytes(s string) string {
	b := []byte{'"'}
	for _, c := range []byte(s) {
		switch {
		case c >= utf8.RuneSelf || c < ' ':
			b = fmt.Appendf(b, `\x%02x`, c)
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
