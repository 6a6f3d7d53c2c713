package chrome

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
