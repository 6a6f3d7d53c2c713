package spans

import "tracex/format"

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
