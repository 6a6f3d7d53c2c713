package gotrace

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/exp/trace"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
)

// reader reads events with package trace, which panics on some damaged traces: what it returns is only
// looked into here.
type reader struct {
	framer *framer
	events *trace.Reader
	stacks *stacks
	minor  int
	start  int64 // offset of the current generation
	any    bool  // an event was read
	now    trace.Event
	last   event // what it says
}

// event is an event of the trace, as far as it is of use here.
type event struct {
	kind      trace.EventKind
	time      trace.Time
	goroutine trace.GoID // that it happened on; NoGoroutine if on none
	stack     *stack     // of that goroutine; nil if it is not known

	resource trace.ResourceKind // whose state changed, or that a range is of
	of       int64              // its number
	from, to trace.GoState
	reason   string
	own      *stack // of the goroutine whose state changed

	name       string       // of a range, a metric, a label; type of a task or a region; category of a log
	message    string       // of a log
	task       trace.TaskID // of a task, a region or a log
	parent     trace.TaskID // of a task
	value      uint64       // of a metric
	attributes string       // of the end of a range
	clock      *trace.ClockSnapshot
}

func newReader(in io.Reader, minor int, head []byte, to *calltrace.Writer) *reader {
	f := newFramer(in)
	f.total, f.start = int64(len(head)), int64(len(head))
	return &reader{framer: f, stacks: newStacks(to), minor: minor}
}

// next reads an event to r.last. It returns io.EOF at the end, and any other error as fault returns it.
func (r *reader) next() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = r.fault(fmt.Errorf("%v", p))
		}
	}()
	if r.events == nil {
		head := fmt.Sprintf("%s%d%s", headStart, r.minor, headEnd)
		if r.events, err = trace.NewReader(io.MultiReader(strings.NewReader(head), r.framer)); err != nil {
			return r.fault(err)
		}
	}
	r.now, err = r.events.ReadEvent()
	switch {
	case err == io.EOF && r.framer.err == io.EOF && !r.cut():
		return io.EOF
	case err == nil:
		r.read(&r.now)
		return nil
	}
	return r.fault(err)
}

// cut reports whether the input ends within a generation.
func (r *reader) cut() bool {
	f := r.framer
	return f.cut || f.err == io.EOF && (f.total == headSize || r.minor >= explicit && !f.ended)
}

// lacking reports whether an error of package trace says that the end of a generation is missing.
func lacking(text string) bool {
	return strings.Contains(text, "no frequency event") || strings.Contains(text, "no clock snapshot")
}

// details read what is special to a kind of event.
var details = [...]func(r *reader, e *trace.Event, to *event){
	trace.EventSync:            (*reader).sync,
	trace.EventMetric:          (*reader).metric,
	trace.EventLabel:           (*reader).label,
	trace.EventRangeBegin:      (*reader).rangeOf,
	trace.EventRangeActive:     (*reader).rangeOf,
	trace.EventRangeEnd:        (*reader).rangeOf,
	trace.EventTaskBegin:       (*reader).task,
	trace.EventTaskEnd:         (*reader).task,
	trace.EventRegionBegin:     (*reader).region,
	trace.EventRegionEnd:       (*reader).region,
	trace.EventLog:             (*reader).log,
	trace.EventStateTransition: (*reader).transition,
}

func (r *reader) read(e *trace.Event) {
	to := &r.last
	*to = event{kind: e.Kind(), time: e.Time(), goroutine: e.Goroutine()}
	if int(to.kind) >= len(details) || details[to.kind] == nil {
		return
	}
	if to.kind != trace.EventSync {
		r.any = true
		to.stack = r.stacks.of(e.Stack())
	}
	details[to.kind](r, e, to)
}

func (r *reader) sync(e *trace.Event, to *event) {
	r.stacks.generation()
	r.start = r.framer.start
	if r.minor < explicit && r.framer.err == nil {
		r.start = r.framer.before // the first batch of the next generation has been read
	}
	to.clock = e.Sync().ClockSnapshot
}

func (r *reader) metric(e *trace.Event, to *event) {
	m := e.Metric()
	to.name = m.Name
	if m.Value.Kind() == trace.ValueUint64 {
		to.value = m.Value.Uint64()
	}
}

func (r *reader) label(e *trace.Event, to *event) { to.name = e.Label().Label }

func (r *reader) rangeOf(e *trace.Event, to *event) {
	rng := e.Range()
	to.name = rng.Name
	to.scope(rng.Scope)
	if to.kind != trace.EventRangeEnd {
		return
	}
	for i, a := range e.RangeAttributes() {
		if i > 0 {
			to.attributes += ", "
		}
		if a.Value.Kind() == trace.ValueUint64 {
			to.attributes += fmt.Sprintf("%d %s", a.Value.Uint64(), a.Name)
		}
	}
}

// scope notes which resource an event is about.
func (to *event) scope(id trace.ResourceID) {
	to.resource = id.Kind
	switch id.Kind {
	case trace.ResourceGoroutine:
		to.of = int64(id.Goroutine())
	case trace.ResourceProc:
		to.of = int64(id.Proc())
	}
}

func (r *reader) task(e *trace.Event, to *event) {
	t := e.Task()
	to.name, to.task, to.parent = t.Type, t.ID, t.Parent
}

func (r *reader) region(e *trace.Event, to *event) {
	t := e.Region()
	to.name, to.task = t.Type, t.Task
}

func (r *reader) log(e *trace.Event, to *event) {
	l := e.Log()
	to.name, to.message, to.task = l.Category, l.Message, l.Task
}

func (r *reader) transition(e *trace.Event, to *event) {
	t := e.StateTransition()
	to.scope(t.Resource)
	to.reason = t.Reason
	if t.Resource.Kind == trace.ResourceGoroutine {
		to.from, to.to = t.Goroutine()
		to.own = r.stacks.of(t.Stack)
	}
}

// readable returns a text of a trace so that it can be shown: some have a name that is anything.
func readable(text string) string {
	end := ""
	if len(text) > mostFault {
		text, end = text[:mostFault], "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '·'
	}, strings.ToValidUTF8(text, "")) + end
}

// mostFault is how much of an error of package trace is told. Some contain all goroutines.
const mostFault = 200

// fault makes an error that tells where, and what to do.
func (r *reader) fault(err error) error {
	f := r.framer
	if f.err != nil && f.err != io.EOF && f.err != errLarge && f.err != errThreads {
		return f.err // the input could not be read
	}
	fault := &format.Error{Offset: r.start, Err: format.ErrCorrupt}
	text, _, _ := strings.Cut(err.Error(), "\n")
	text = strings.TrimSuffix(strings.TrimPrefix(text, "broken trace: "), ":")
	fault.Found = "in the generation that begins here: " + readable(text)
	fault.Hint = "what was read before is in the trace"
	switch {
	case errors.Is(f.err, errLarge) || errors.Is(f.err, errThreads):
		fault.Offset, fault.Found, fault.Err = f.at, f.err.Error(), errTooMuch
		fault.Hint = "record less: a shorter part of the program, or fewer events"
	case r.cut(), r.minor < explicit && f.err == io.EOF && lacking(text):
		fault.Err, fault.Offset = format.ErrTruncated, f.total
		fault.Found = "the last generation has no end"
		fault.Hint = "everything before its last second is in the trace: trace.Stop, at the end of the program, writes the rest"
		if !r.any {
			fault.Hint = "nothing else is in it: trace.Stop, at the end of the program, writes what its last second had"
		}
	case strings.Contains(text, "misuse of region"):
		fault.Hint = "a region must end in the goroutine that began it, before those around it: see runtime/trace.StartRegion"
	}
	return fault
}

// errTooMuch is the cause of errors about traces that would take too much memory.
var errTooMuch = errors.New("too large")
