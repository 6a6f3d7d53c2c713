package instrumented

import (
	"strconv"
	"time"
)

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
