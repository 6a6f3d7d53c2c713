package instrumented

import (
	"strconv"
	"strings"
	"time"

	"tracex/recorder/instrument/raw"
)

// The errors whose messages are known by the fields of their types: no method of a program is called. The
// messages are those that the program would print.

// messages are the messages of errors that are structs, by their names in the source. {F} stands for field
// F, {F|q} for that in quotes.
var messages = map[string]string{
	"errors.errorString": "{s}", "fmt.wrapError": "{msg}", "fmt.wrapErrors": "{msg}",
	"io/fs.PathError": "{Op} {Path}: {Err}", "os.LinkError": "{Op} {Old} {New}: {Err}", "os.SyscallError": "{Syscall}: {Err}",
	"os/exec.Error": "exec: {Name|q}: {Err}", "strconv.NumError": "strconv.{Func}: parsing {Num|q}: {Err}",
	"context.deadlineExceededError": "context deadline exceeded", "runtime.errorAddressString": "runtime error: {msg}",
	"net/url.Error": "{Op} {URL|q}: {Err}", "net.ParseError": "invalid {Type}: {Text}", "net.timeoutError": "i/o timeout", "net.canceledError": "operation was canceled",
	"internal/poll.DeadlineExceededError": "i/o timeout", "internal/poll.errNetClosing": "use of closed network connection",
	"net/http.ProtocolError": "{ErrorString}", "net/http.httpError": "{err}", "net/http.timeoutError": "{err}", "net/http.MaxBytesError": "http: request body too large",
	"encoding/json.SyntaxError": "{msg}", "github.com/pkg/errors.fundamental": "{msg}",
	"github.com/pkg/errors.withMessage": "{msg}: {cause}", "github.com/pkg/errors.withStack": "{error}",
	"golang.org/x/xerrors.errorString": "{s}", "golang.org/x/xerrors.wrapError": "{msg}: {err}", "golang.org/x/xerrors.noWrapError": "{msg}: {err}",
}

// piece is a part of a message: a text, then a field.
type piece struct {
	before string
	field  int // -1: none
	quoted bool
}

// piecesOf returns the pieces of a message for the fields of a type; nil if it lacks one.
func piecesOf(message string, fields []raw.Field) (all []piece) {
	for {
		before, rest, found := strings.Cut(message, "{")
		if !found {
			return append(all, piece{before, -1, false})
		}
		name, after, _ := strings.Cut(rest, "}")
		name, quoted := strings.CutSuffix(name, "|q")
		at := -1
		for i := range fields {
			if fields[i].Name == name {
				at = i
			}
		}
		if at < 0 || at >= mostParts {
			return nil
		}
		all = append(all, piece{before, at, quoted})
		message = after
	}
}

// mostParts is how many fields of a struct count for its message.
const mostParts = 8

// message reads the fields of a struct of a special type, after the kind of the value, and
// returns what the struct says. If it cannot, it leaves the cursor where it was.
func (e *encoder) message(t *typ, depth int) (text string, ok bool) {
	at := e.c.At
	var parts [mostParts]string
	var room [64]byte
	n := 0
	for i := range t.Fields {
		if e.more() || t.special == joined && i == len(t.Fields)-1 && !e.next(raw.ValueElements) {
			break
		}
		part := e.part(room[:0], t, e.p.member(t, i), depth+1)
		if n < len(parts) {
			parts[n] = string(part)
		}
		n++
	}
	if !e.c.Bad {
		text, ok = t.say(parts, n)
	}
	if !ok && !e.c.Bad {
		e.c.At = at
	}
	return text, ok
}

// part appends a field of a message as a text.
func (e *encoder) part(dst []byte, t, field *typ, depth int) []byte {
	c := &e.c
	switch {
	case t.special == joined && e.next(raw.ValueElements):
		c.At++
		return e.appendJoined(dst, t, field, depth)
	case t.special == address && e.next(raw.ValueBytes):
		c.At++
		c.Address()
		c.U32()
		return appendIP(dst, c.Take(int(c.U8())))
	}
	return e.appendText(dst, field, depth, true)
}

// next reports whether the next value has a kind.
func (e *encoder) next(kind byte) bool { return e.c.At < len(e.c.B) && e.c.B[e.c.At] == kind }

// appendJoined appends the messages in a slice of errors.
func (e *encoder) appendJoined(dst []byte, t, list *typ, depth int) []byte {
	c := &e.c
	between := "\n"
	if t.Package != "errors" {
		between = "; "
	}
	c.Address()
	length, n := int(c.U32()), int(c.U8())
	for i := range n {
		if i > 0 {
			dst = append(dst, between...)
		}
		if dst = e.appendText(dst, e.p.element(list), depth+1, true); c.Bad {
			return dst
		}
	}
	if n < length {
		dst = strconv.AppendInt(append(append(dst, between...), "…+"...), int64(length-n), 10)
	}
	return dst
}

// say returns the message of an error of which n fields are known, or the text of a time or an address.
func (t *typ) say(field [mostParts]string, n int) (text string, ok bool) {
	if t.special == told {
		for _, p := range t.pieces {
			switch text += p.before; {
			case p.field < 0:
			case p.field >= n:
				return "", false
			case p.quoted:
				text += strconv.Quote(field[p.field])
			default:
				text += field[p.field]
			}
		}
		return text, true
	}
	if n != len(t.Fields) {
		return "", false
	}
	switch {
	case t.special == boundsError && n == 4:
		return boundsText(field)
	case t.special == nilPanic:
		return "panic called with nil argument", true
	case t.special == assertion && n == 4:
		return assertionText(field)
	case t.special == moment && n == 3:
		return timeText(field)
	case t.special == joined && n > 0:
		return field[n-1], true
	case t.special == operation && n == 5:
		return operationText(field), true
	case t.special == lookup && n > 3:
		return lookupText(field), true
	case t.special == address && n > 1:
		return addressText(field, n), true
	}
	return "", false
}

// isNil is the text of a field that is nil.
const isNil = "nil"

// operationText returns the message of a net.OpError, by its fields Op, Net, Source, Addr, Err.
func operationText(field [mostParts]string) string {
	text := field[0]
	if field[1] != "" {
		text += " " + field[1]
	}
	before := " "
	if field[2] != isNil {
		text, before = text+before+field[2], "->"
	}
	if field[3] != isNil {
		text += before + field[3]
	}
	return text + ": " + field[4]
}

// lookupText returns the message of a net.DNSError, by its fields UnwrapErr, Err, Name, Server.
func lookupText(field [mostParts]string) string {
	text := "lookup " + field[2]
	if field[3] != "" {
		text += " on " + field[3]
	}
	return text + ": " + field[1]
}

// appendIP appends an address of package net, as that writes it; nothing for other bytes.
func appendIP(dst, ip []byte) []byte {
	const size4, size6 = 4, 16
	if len(ip) == size6 && string(ip[:size6-size4]) == "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff" {
		ip = ip[size6-size4:]
	}
	if len(ip) == size4 {
		for i, b := range ip {
			if i > 0 {
				dst = append(dst, '.')
			}
			dst = strconv.AppendUint(dst, uint64(b), 10)
		}
		return dst
	}
	if len(ip) != size6 {
		return dst
	}
	from, to := -1, -1 // the first of the longest runs of zeros, of two or more
	for i := 0; i < size6; i += 2 {
		end := i
		for end < size6 && ip[end] == 0 && ip[end+1] == 0 {
			end += 2
		}
		if end > i+2 && end-i > to-from {
			from, to = i, end
		}
	}
	for i := 0; i < size6; i += 2 {
		if i == from {
			if dst, i = append(dst, "::"...), to; i == size6 {
				break
			}
		} else if i > 0 {
			dst = append(dst, ':')
		}
		dst = strconv.AppendUint(dst, uint64(ip[i])<<8|uint64(ip[i+1]), 16)
	}
	return dst
}

// addressText returns the text of a net.TCPAddr or UDPAddr, by its fields IP, Port, Zone, of an IPAddr, by IP
// and Zone.
func addressText(field [mostParts]string, n int) string {
	host := field[0]
	if host == isNil {
		host = ""
	}
	if zone := field[n-1]; zone != "" {
		host += "%" + zone
	}
	switch {
	case n < 3:
		return host
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	return host + ":" + field[1]
}

// assertionText returns the message of a TypeAssertionError. The recorder writes names for its types.
func assertionText(field [mostParts]string) (text string, ok bool) {
	in, is, wanted, method := field[0], field[1], field[2], field[3]
	if in == isNil {
		in = "interface"
	}
	switch {
	case is == wanted: // the message tells how they differ
		return "", false
	case method != "":
		return "interface conversion: " + is + " is not " + wanted + ": missing method " + method, true
	}
	return "interface conversion: " + in + " is " + is + ", not " + wanted, true
}

// bounds are the messages of the runtime for an index x that does not fit y, by the code of the
// error; the second is for a negative x.
var bounds = [...][2]string{
	{"index out of range [%x] with length %y", "index out of range [%x]"},
	{"slice bounds out of range [:%x] with length %y", "slice bounds out of range [:%x]"},
	{"slice bounds out of range [:%x] with capacity %y", "slice bounds out of range [:%x]"},
	{"slice bounds out of range [%x:%y]", "slice bounds out of range [%x:]"},
	{"slice bounds out of range [::%x] with length %y", "slice bounds out of range [::%x]"},
	{"slice bounds out of range [::%x] with capacity %y", "slice bounds out of range [::%x]"},
	{"slice bounds out of range [:%x:%y]", "slice bounds out of range [:%x:]"},
	{"slice bounds out of range [%x:%y:]", "slice bounds out of range [%x::]"},
	{"cannot convert slice with length %y to array or pointer to array with length %x", ""},
}

// boundsText returns the message of a boundsError.
func boundsText(field [mostParts]string) (text string, ok bool) {
	x, y, signed := field[0], field[1], field[2] == "true"
	code, err := strconv.ParseUint(field[3], 10, 8)
	if err != nil || code >= uint64(len(bounds)) {
		return "", false
	}
	pattern := bounds[code][0]
	if n, err := strconv.ParseInt(x, 10, 64); err == nil && n < 0 {
		if signed {
			pattern = bounds[code][1]
		} else {
			x = strconv.FormatUint(uint64(n), 10)
		}
	}
	out := []byte("runtime error: ")
	for i := 0; i < len(pattern); i++ {
		switch {
		case pattern[i] != '%':
			out = append(out, pattern[i])
			continue
		case pattern[i+1] == 'x':
			out = append(out, x...)
		default:
			out = append(out, y...)
		}
		i++
	}
	return string(out), true
}

// How package time keeps a time.
const (
	timeMonotonic = 1 << 63
	timeNanoBits  = 30
	timeSince1885 = (1884*365 + 1884/4 - 1884/100 + 1884/400) * 86400 // s from year 1
	timeSince1970 = (1969*365 + 1969/4 - 1969/100 + 1969/400) * 86400
)

// timeText returns the text of a time.Time, in UTC, by its fields wall, ext and loc.
func timeText(field [mostParts]string) (text string, ok bool) {
	wall, err := strconv.ParseUint(field[0], 10, 64)
	seconds, err2 := strconv.ParseInt(field[1], 10, 64)
	if err != nil || err2 != nil {
		return "", false
	}
	if wall&timeMonotonic != 0 {
		seconds = timeSince1885 + int64(wall<<1>>(timeNanoBits+1))
	}
	at := time.Unix(seconds-timeSince1970, int64(wall&(1<<timeNanoBits-1)))
	return at.UTC().Format(time.RFC3339Nano), true
}

// textMessage returns the message of an error that is a text, which was cut by so many bytes.
func textMessage(t *typ, text []byte, more int64) string {
	message := string(appendCut(nil, text, more))
	if t.Package == "runtime" && afterPackage(t.Name) == "errorString" {
		return "runtime error: " + message
	}
	return message
}
