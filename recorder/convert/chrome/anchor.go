package chrome

import (
	"math"
	"strconv"
	"strings"
	"time"

	"tracex/recorder/convert/calltrace"
)

// anchor is the wall time of the moment 0, as far as an input tells.
type anchor struct {
	at    time.Time
	known bool
}

// known are the keys around the events that tell of it.
var known = map[string]bool{"baseTimeNanoseconds": true, "beginningOfTime": true, "otherData": true}

func (a *anchor) read(m metadata) {
	switch m.key {
	case "baseTimeNanoseconds": // ns, PyTorch
		a.take(m.value, time.Nanosecond)
	case "beginningOfTime": // µs, Clang
		a.take(m.value, time.Microsecond)
	case "otherData":
		if !strings.HasPrefix(m.value, "{") {
			return
		}
		s := scanner{s: m.value, i: 1}
		for {
			key, ok := s.key()
			if !ok {
				return
			}
			v := s.value()
			if m.value[key.from:key.to] == "profile_start_ts" && s.fault == sound { // ms, Bazel
				a.take(m.value[v.from:v.to], time.Millisecond)
			}
		}
	}
}

// take takes a time since 1970 in a unit.
func (a *anchor) take(text string, unit time.Duration) {
	n, err := strconv.ParseInt(strings.Trim(text, `"`), 10, 64)
	if err == nil && n > 0 && n < int64(math.MaxInt64/unit) {
		a.at, a.known = time.Unix(0, n*int64(unit)), true
	}
}

// set sets the anchor of times that count from an origin, in µs, unless the wall time is beyond what the format has.
func (a *anchor) set(to *calltrace.Writer, origin int64) {
	at := a.at
	if !a.known {
		if origin == 0 {
			return
		}
		at = time.Unix(0, 0)
	}
	const most = math.MaxInt64 / 1000
	if origin > most || origin < -most || at.UnixMicro() > most-max(origin, 0) {
		return
	}
	to.SetAnchor(at.Add(time.Duration(origin) * time.Microsecond))
}
