// Package spans makes calls of the spans of distributed traces, such as those of OpenTelemetry and
// Jaeger: operations with a begin, an end, and the id of their parent, in any order.
//
// # What becomes of a span
//
// A span becomes a call: its service is the class, its name the method, its attributes are the
// arguments. An event of a span becomes a call that takes no time, of the class "event"; an event that tells
// of an exception becomes a throw, or a catch if the span did not fail. Attributes of a service are arguments of the
// spans where a request enters it.
//
// # What becomes of a trace
//
// The spans of one trace id become one thread, "service: root 4bf92f35", with the spans of all
// services inside each other, so that a request is one tree. The tree is that of the parents' ids. A span
// is inside its parent only if it is so in time, too, and if no other child of that parent is open:
//
//	root      ├───────────────────────────┤            thread "shop: GET /cart 4bf92f35"
//	  a         ├──────────┤                             a is inside root
//	  b              ├──────────┤                        b overlaps a: thread "… #2"
//	    c              ├────┤                            c is inside b, on the same thread
//	  d                    ├───┤                         d does not: a has ended. It is inside root
//	  e                             ├──────┤             e ends after root: thread "… #2"
//
// So each call is inside the call that made it, or has no caller; a call without one whose parent is
// known has its name, or else its id, as the argument "parent".
//
// A span without an end lasts until its last event and until the last span inside it ends, and is marked as unfinished. One that ends
// before it begins lasts as long, and is counted. A span that was recorded twice, once without an end, has the end of the other record.
//
// # Limits
//
// Spans are sorted by time, with a limited amount of memory and a temporary file for the rest. Then they are
// written in that order, and only what is open is in memory:
//
//	spans that wait           32 MiB; the rest in a temporary file
//	traces that are kept      4,096, and 65,536 with open spans; one that is not is closed when others need its place, and a
//	                          span that comes later gets a thread of its own
//	threads                   4,096 of a trace, 131,072 of those that are kept
//	open spans                262,144, with 64 MiB of names and results
//	events during other calls 16 MiB: they are written when the other call has ended
//	spans without an end      262,144, and 8 with the same id; a later one lasts until its last event
//	services                  16 MiB of names and attributes
//	attributes                512 of a span, and 1 MiB
//
// What is beyond them is counted.
package spans

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"strings"

	"tracex/format"
)

// Process is the number of a service that spans are of, see [Collector.Process].
type Process int32

// Span is an operation.
type Span struct {
	Trace      TraceID
	ID, Parent SpanID
	Process    Process
	Entry      bool // a request enters its process
	Name       string
	Start      int64 // ns since 1970
	Duration   int64 // ns; negative if its end has no time: it lasts until its last event, and as long as the spans inside it
	Unfinished bool  // it may not have ended: it lasts at least as long as Duration, and until its last event
	File       string
	Function   string
	Line       int
	Threw      string // what it failed by; "" if it did not
	// What a span has that is a call of a program: its class, and the thread that calls without a caller are on, instead of the
	// service and a thread of the trace.
	Class, Thread    string
	Receiver, Result *format.Value
	Args             []Arg
	Events           []Event
}

// What a converter counts of a span whose end has no time, for one and for several.
const (
	EndsEarly = "span that ends before it begins; it lasts as long as what is inside it"
	EndEarly  = "spans that end before they begin; they last as long as what is inside them"
	OddEnd    = "end of a span that is no time, or too large"
	OddEnds   = "ends of spans that are no times, or too large"
)

// Arg is an attribute.
type Arg struct {
	Name  string
	Value format.Value
}

// Event is what happened within a span.
type Event struct {
	Time  int64 // ns since 1970
	Name  string
	Args  []Arg
	Threw *Exception // nil if it is no exception
}

// Exception is what was thrown.
type Exception struct {
	Class, Message, Stack string
	Caught                bool // it did not end the span
}

// Reset makes the span that of the zero Span, with the memory of its lists.
func (s *Span) Reset() { *s = Span{Args: s.Args[:0], Events: s.Events[:0]} }

// Add adds an attribute.
func (s *Span) Add(name string, v format.Value) { s.Args = append(s.Args, Arg{name, v}) }

// TraceID is the id of a trace. Shorter ids are at its end.
type TraceID [16]byte

// String returns the hexadecimal id, without the half that is 0 in ids of 64 bits.
func (id TraceID) String() string {
	if binary.BigEndian.Uint64(id[:]) == 0 {
		return SpanID(binary.BigEndian.Uint64(id[len(id)/2:])).String()
	}
	return hex.EncodeToString(id[:])
}

// fewDigits is how many digits of an id, after its zeros, tell which it is.
const fewDigits = 8

// Same reports whether two ids may be those of one trace: services that know only shorter ids cut off
// digits, mostly the first ones.
func (id TraceID) Same(other TraceID) bool {
	if id == other {
		return true
	}
	a, b := strings.TrimLeft(id.String(), "0"), strings.TrimLeft(other.String(), "0")
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= fewDigits && (strings.HasSuffix(b, a) || strings.HasPrefix(b, a))
}

// shortID is how many digits of an id, after its zeros, are in the name of a thread.
const shortID = 8

func (id TraceID) short() string {
	digits := strings.TrimLeft(id.String(), "0")
	return cmp.Or(digits[:min(len(digits), shortID)], "0")
}

// SpanID is the id of a span in its trace; 0 is none.
type SpanID uint64

func (id SpanID) String() string {
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(id)))
}

// ParseTraceID reads an id: hexadecimal digits, perhaps without the first ones, with 0x before them or the hyphens of a UUID
// between them; or the base64 of 16 bytes, as in protobuf's JSON. Each other text becomes an id of its own. ok is false for
// an id that is 0, or none.
func ParseTraceID(text []byte) (id TraceID, ok bool) {
	parse(id[:], text)
	return id, id != TraceID{}
}

// ParseSpanID reads the id of a span, as ParseTraceID does.
func ParseSpanID(text []byte) (id SpanID, ok bool) {
	var b [8]byte
	parse(b[:], text)
	id = SpanID(binary.BigEndian.Uint64(b[:]))
	return id, id != 0
}

// parse sets id, which is 0.
func parse(id, text []byte) {
	if len(text) == 0 || fromHex(id, digits(text)) {
		return
	}
	var b [24]byte
	if base64.StdEncoding.EncodedLen(len(id)) == len(text) {
		for _, alphabet := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			if n, err := alphabet.Decode(b[:], text); err == nil && n == len(id) {
				copy(id, b[:])
				return
			}
		}
	}
	clear(id)
	h := fnv.New128a()
	h.Write(text) // cannot fail
	copy(id, h.Sum(b[:0]))
}

// digits returns the digits of an id that is written as 0x… or as a UUID; other texts as they are.
func digits(text []byte) []byte {
	for _, prefix := range []string{"0x", "0X"} {
		if rest, ok := bytes.CutPrefix(text, []byte(prefix)); ok && len(rest) > 0 {
			return rest
		}
	}
	const uuid, hyphens = 36, 4
	hyphen := []byte("-")
	if len(text) == uuid && bytes.Count(text, hyphen) == hyphens {
		return bytes.ReplaceAll(text, hyphen, nil)
	}
	return text
}

// fromHex reads digits from the last to the first.
func fromHex(id, text []byte) bool {
	if len(text) > 2*len(id) {
		return false
	}
	for i := range text {
		c := text[len(text)-1-i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			clear(id)
			return false
		}
		id[len(id)-1-i/2] |= c << (i % 2 * 4)
	}
	return true
}
