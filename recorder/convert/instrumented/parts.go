package instrumented

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// part is the text of a field. It is exact if the program would have printed that. One that is nil is not exact.
type part struct {
	text  string
	exact bool
}

func (p part) isNil() bool { return !p.exact && p.text == isNil }

// isNil is the text of a field that is nil.
const isNil = "nil"

// parts are parts of a value by the names of the fields.
type parts struct {
	names []string
	list  []part
}

func (p parts) of(field string) part {
	for i, name := range p.names {
		if name == field {
			return p.list[i]
		}
	}
	return part{}
}

func (p parts) text(field string) string { return p.of(field).text }

// exact reports whether the parts are exact, or nil if their names are among these.
func (p parts) exact(orNil ...string) bool {
	for i, part := range p.list {
		if !part.exact && !(part.isNil() && slices.Contains(orNil, p.names[i])) {
			return false
		}
	}
	return true
}

// mostParts is how many fields of a struct count for its message.
const mostParts = 8

// addressText returns the text of an address of package net.
func addressText(p parts) (string, bool) {
	host, port := p.text("IP"), p.of("Port")
	if p.of("IP").isNil() {
		host = ""
	}
	if zone := p.text("Zone"); zone != "" {
		host += "%" + zone
	}
	if !port.exact { // an IPAddr has none
		return host, p.exact("IP")
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port.text, p.exact("IP")
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

// assertionText returns the message of a TypeAssertionError. The recorder writes names for its types.
func assertionText(p parts) (text string, ok bool) {
	in, is, wanted, method := p.text("_interface"), p.text("concrete"), p.text("asserted"), p.text("missingMethod")
	if p.of("_interface").isNil() {
		in = "interface"
	}
	switch {
	case !p.exact("_interface", "concrete"):
		return "", false
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
func boundsText(p parts) (text string, ok bool) {
	x, y, signed := p.text("x"), p.text("y"), p.text("signed") == "true"
	code, err := strconv.ParseUint(p.text("code"), 10, 8)
	if err != nil || !p.exact() || code >= uint64(len(bounds)) {
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

// timeText returns the text of a time.Time, in UTC, by its fields wall and ext.
func timeText(p parts) (text string, ok bool) {
	wall, err := strconv.ParseUint(p.text("wall"), 10, 64)
	seconds, err2 := strconv.ParseInt(p.text("ext"), 10, 64)
	if err != nil || err2 != nil {
		return "", false
	}
	if wall&timeMonotonic != 0 {
		seconds = timeSince1885 + int64(wall<<1>>(timeNanoBits+1))
	}
	at := time.Unix(seconds-timeSince1970, int64(wall&(1<<timeNanoBits-1)))
	return at.UTC().Format(time.RFC3339Nano), true
}
