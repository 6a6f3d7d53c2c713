package chrome

import "math"

// event is an event with its parts, which are in the text of its batch.
type event struct {
	at             int64 // offset in the input
	phase          byte  // 0 if it has none; or longPhase
	scope          byte  // of an instant: g, p, t; 0 if it has none
	global, local  bool  // its id is the same in all processes, or of its process only
	timed, lasting bool  // ts, or duration, is known
	far, tooFar    bool  // ts is in µs and not timed, or is larger than that
	ts, duration   int64 // ns
	name, category span
	pid, tid       span
	id, idScope    span
	args           span
	others         span // from and to are of batch.others
}

// longPhase stands for a phase that is no single character, such as "Complete".
const longPhase = 0xff

// member is a key that the format does not have, with its value.
type member struct{ key, value span }

// ignored are keys of events without a meaning for calls: colours, and times of other clocks.
var ignored = map[string]bool{
	"cname": true, "tts": true, "tdur": true, "tidelta": true, "idelta": true, "use_async_tts": true, "bp": true,
	"flow_in": true, "flow_out": true, "ticount": true, "tid2": true, "icount": true,
}

// event reads an event, which begins at i. container is true if it has the key traceEvents: then
// it is no event, and was not read to its end.
func (s *scanner) event(e *event, others *[]member) (container bool) {
	e.others.from = int32(len(*others))
	s.i++
	for {
		key, ok := s.key()
		if !ok {
			break
		}
		name := s.s[key.from:key.to]
		if name == "traceEvents" {
			return true
		}
		v := s.value()
		if s.fault != sound {
			break
		}
		if !e.set(name, s.s, v) && !ignored[name] {
			*others = append(*others, member{key, v})
		}
	}
	e.others.to = int32(len(*others))
	return false
}

// set sets a part of an event, and reports whether it is one.
func (e *event) set(key, text string, v span) bool {
	if v.kind == token && text[v.from:v.to] == "null" {
		v = span{} // as if it were not there
	}
	switch key {
	case "ph":
		switch {
		case v.to-v.from == 1 && v.kind == plain:
			e.phase = text[v.from]
		case v.to > v.from && (v.kind == plain || v.kind == escaped):
			e.phase = longPhase
		default:
			e.phase = 0
		}
	case "name":
		e.name = v
	case "cat":
		e.category = v
	case "ts":
		e.setTime(text[v.from:v.to])
	case "dur":
		e.setDuration(text[v.from:v.to])
	case "pid":
		e.pid = v
	case "tid":
		e.tid = v
	case "args":
		e.args = v
	case "id":
		e.id = v
	case "scope":
		e.idScope = v
	case "s":
		if e.scope = 0; v.to > v.from && v.kind == plain {
			e.scope = text[v.from]
		}
	case "id2":
		return v.kind == nothing || v.kind == object && e.setID2(text, v)
	default:
		return false
	}
	return true
}

// setID2 reads an id that says where it is valid: {"local": "0x1"} or {"global": "0x1"}.
func (e *event) setID2(text string, v span) bool {
	s := scanner{s: text[:v.to], i: int(v.from) + 1}
	for {
		key, ok := s.key()
		if !ok {
			return s.fault == sound
		}
		id := s.value()
		switch text[key.from:key.to] {
		case "global":
			e.id, e.global = id, true
		case "local":
			e.id, e.local = id, true
		}
	}
}

// decimal returns a decimal number × 10^scale, without what is less than one: with scale 3, µs such as "1.7e15" or
// "-1234.5678" in ns. Nothing is lost on the way, as it would be in a float64. number is false if it is not a
// number, ok also if it is larger than an int64.
func decimal(s string, scale int) (x int64, number, ok bool) {
	i, negative := 0, false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative, i = s[0] == '-', 1
	}
	const most = (math.MaxUint64 - 9) / 10
	n, digits, point := uint64(0), 0, false // n × 10^scale
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
			if n > most {
				if !point {
					scale++
				}
				continue
			}
			n = n*10 + uint64(c-'0')
			if point {
				scale--
			}
			continue
		case c == '.' && !point:
			point = true
			continue
		case (c == 'e' || c == 'E') && digits > 0:
			power, ok := exponent(s[i+1:])
			if !ok {
				return 0, false, false
			}
			scale += power
		default:
			return 0, false, false
		}
		break
	}
	if digits == 0 {
		return 0, false, false
	}
	for ; scale < 0 && n != 0; scale++ {
		n /= 10
	}
	for ; scale > 0 && n != 0; scale-- {
		if n > math.MaxInt64/10 {
			return 0, true, false
		}
		n *= 10
	}
	switch {
	case n > math.MaxInt64:
		return 0, true, false
	case negative:
		return -int64(n), true, true
	}
	return int64(n), true, true
}

// setTime reads the time of an event: ns, or if they are too many, µs.
func (e *event) setTime(s string) {
	var number bool
	e.far, e.tooFar = false, false
	if e.ts, number, e.timed = decimal(s, 3); e.timed || !number {
		return
	}
	e.ts, _, e.far = decimal(s, 0)
	e.tooFar = !e.far
}

// setDuration reads the duration of an event.
func (e *event) setDuration(s string) {
	var ok bool
	if e.duration, e.lasting, ok = decimal(s, 3); e.lasting && !ok {
		if e.duration = math.MaxInt64; s[0] == '-' {
			e.duration = math.MinInt64
		}
	}
}

// exponent reads the exponent of a number. Beyond the bounds the number is 0 or too large anyway.
func exponent(s string) (n int, ok bool) {
	negative := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative, s = s[0] == '-', s[1:]
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int(c-'0'), 1000)
	}
	if negative {
		n = -n
	}
	return n, s != ""
}
