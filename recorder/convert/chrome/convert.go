// Package chrome converts traces in Chrome's JSON format (the Trace Event Format), which many tools
// write: VizTracer, PyTorch, Clang's -ftime-trace, Bazel, Node.js, rustc, and Chrome itself.
//
// # Forms
//
// The events are objects in an array, whose closing bracket may be missing; in the array traceEvents
// of an object, among other keys in any order; or one after the other, each on its line. Commas
// between them may be missing or too many. Strings may contain raw control characters. What is
// damaged ends the conversion with a [format.Error]: the events before it are kept.
//
// # How events are converted
//
//	thread of a process      track "thread"; with several processes "process › thread". The
//	                         numbers are shown of what has no name, or one that others have, too
//	complete event (X)       call: the category is the class, the name the method
//	begin, end (B, E)        call; the arguments of the end are its result. The end is that of the last
//	                         call with its name, and its category if both have one; without a name,
//	                         of the last call. Of calls that overlap, the second is on a track "name #2"
//	instant (i, I)           call without a duration, on the track of its thread, process, or "global"
//	asynchronous (b, e, n)   calls of a track for each category and id; the older ones (S, T, p, F)
//	                         also for each name. An end or instant is of the operation that is open in its
//	                         process, or else of one that another began, unless its id is local (id2). A global
//	                         id (id2) means the same in all processes, and so does an equal "id" while it is open.
//	                         An id that is used again long after its end has
//	                         another track with its name
//	counter (C)              variable "name.argument", set on the track of its process
//	flow (s, t, f)           variable "flow", set on the track of its thread: "name id"
//	metadata (M)             names of processes and threads, which may be numbers
//	argument                 argument; objects and lists stay what they are
//	other key of an event    argument, such as "out" of Bazel; bind_id is the argument "flow"
//	other phase              counted and left out
//	null                     as if the key were not there; 1.0 is the same process, thread or id as 1
//	around the events        samples, stack frames, system events and measurements of power are counted
//
// Some tools have more in a name, or in arguments, than the format says:
//
//	"fib (/path/x.py:3)"            VizTracer: method fib, place x.py:3; Dao.query is class and method.
//	                                Its category fee is not shown
//	func_args, return_value         VizTracer: arguments and result, as Python shows them
//	"torch/nn/x.py(12): forward"    PyTorch: class torch.nn.x, method forward, and the place
//	fileName and lineNumber,        the place of the call. Also: file and line, src_file and src_line,
//	    and so on                   filename and lineno, url and lineNumber; or in an object "source"
//
// # Times
//
// ts and dur are microseconds with decimals, numbers or texts. They are read as decimals: nothing is
// lost of a ns in a time since 1970. If the first event is more than 73 years from 0, times count from it;
// events more than 73 years from there are counted and left out. The trace begins with its first event. Its wall time is known
// from baseTimeNanoseconds (PyTorch), beginningOfTime (Clang), or profile_start_ts (Bazel); otherwise
// times count from 1970.
//
// # Design
//
// One goroutine reads the input in windows, finds the events and their parts, and passes them on in
// batches (document, scanner); another makes values of the arguments and adds the calls to the tracks
// of package calltrace, which sort them.
//
// # Limits
//
// Memory does not grow with the input. An event may have 32 MiB; larger ones are skipped. An input may
// have 131,072 tracks at once: of asynchronous operations that have ended, the last 65,536 count. Values are
// cut as package calltrace says.
package chrome

import (
	"bytes"
	"context"
	"fmt"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/sources"
)

// Source is Chrome's JSON format as a kind of input.
var Source = sources.Source{Name: "chrome", What: "a Chrome trace (JSON)", Is: Is, Convert: Convert}

// waiting is how many batches wait for the goroutine that makes calls of them.
const waiting = 4

// Convert adds the events of an input to a trace, see [sources.Source].
func Convert(ctx context.Context, in sources.Input, prefix string, to *calltrace.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches, used := make(chan batch, waiting), make(chan batch, waiting)
	var fault error
	go func() {
		defer close(batches)
		fault = newDocument(ctx, in, windowSize, func(b batch) {
			select {
			case batches <- b:
			case <-ctx.Done():
			}
		}, used).read()
	}()
	c := newConverter(to, prefix)
	for b := range batches {
		if err := c.batch(&b); err != nil {
			return err
		}
		select {
		case used <- batch{events: b.events, others: b.others}:
		default:
		}
	}
	c.finish()
	return fault
}

func newConverter(to *calltrace.Writer, prefix string) *converter {
	return &converter{to: to, tracks: newTracks(to, prefix), names: newNames(to), values: values{to: to}}
}

func (c *converter) batch(b *batch) error {
	c.text, c.others = b.text, b.others
	for i := range b.events {
		if err := c.event(&b.events[i]); err != nil {
			return err
		}
	}
	for _, m := range b.metadata {
		c.anchor.read(m)
	}
	for _, l := range b.left {
		c.to.Leave(l.why.one, l.why.several, l.n, l.at)
	}
	for _, at := range b.large {
		c.to.Leave("event of more than 32 MiB", "events of more than 32 MiB", 1, at)
	}
	for _, at := range b.strange {
		c.to.Leave("value that is no event", "values that are no events", 1, at)
	}
	return nil
}

func (c *converter) finish() {
	c.tracks.name()
	c.anchor.set(c.to, c.origin)
}

// phases says what is done with events by their phase.
var phases = [256]func(*converter, *event) error{
	'X': (*converter).complete, 'B': (*converter).begin, 'E': (*converter).end,
	'i': (*converter).instant, 'I': (*converter).instant, 'C': (*converter).counter,
	'b': (*converter).asyncBegin, 'e': (*converter).asyncEnd, 'n': (*converter).asyncInstant,
	'S': (*converter).asyncBegin, 'F': (*converter).asyncEnd, 'T': (*converter).asyncInstant, 'p': (*converter).asyncInstant,
	's': (*converter).flow, 't': (*converter).flow, 'f': (*converter).flow,
}

// leftPhases are the names of phases without a place in a trace of calls.
var leftPhases = map[byte][2]string{
	'N': {"object event", "object events"}, 'O': {"object event", "object events"}, 'D': {"object event", "object events"},
	'P': {"sample", "samples"}, 'R': {"mark", "marks"}, 'c': {"clock sync event", "clock sync events"},
	'V': {"memory dump", "memory dumps"}, 'v': {"memory dump", "memory dumps"},
	'(': {"context event", "context events"}, ')': {"context event", "context events"},
	longPhase: {"event of an unknown phase", "events of unknown phases"},
}

func (c *converter) event(e *event) error {
	handle := phases[e.phase]
	switch {
	case e.phase == 'M':
		c.metadata(e)
		return nil
	case e.phase == 0:
		c.leave(e, "event without a phase", "events without a phase")
		return nil
	case handle == nil:
		if names, ok := leftPhases[e.phase]; ok {
			c.leave(e, names[0], names[1])
			return nil
		}
		c.leave(e, fmt.Sprintf("event of phase %q", e.phase), fmt.Sprintf("events of phase %q", e.phase))
		return nil
	case !e.timed && !e.far && !e.tooFar:
		c.leave(e, "event without a time", "events without a time")
		return nil
	case !c.place(e):
		c.leave(e, "event whose time is too large", "events whose time is too large")
		return nil
	}
	return handle(c, e)
}

// Is reports whether a file that begins with head is such a trace.
func Is(head []byte) bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	rest := bytes.TrimLeft(head, " \t\r\n,")
	switch {
	case len(rest) == 0:
		return false
	case rest[0] == '[':
		rest = bytes.TrimLeft(rest[1:], " \t\r\n,")
		if len(rest) > 0 && rest[0] == ']' { // of no events, if nothing follows
			return len(bytes.TrimSpace(rest[1:])) == 0
		}
		return len(rest) > 0 && rest[0] == '{' && hasPhase(rest)
	case rest[0] != '{':
		return false
	}
	for _, key := range []string{`"traceEvents"`, `"displayTimeUnit"`, `"deviceProperties"`, `"systemTraceEvents"`} {
		if bytes.Contains(rest, []byte(key)) {
			return true
		}
	}
	return hasPhase(rest)
}

// hasPhase reports whether there is the phase of an event: "ph": "X".
func hasPhase(head []byte) bool {
	for {
		i := bytes.Index(head, []byte(`"ph"`))
		if i < 0 {
			return false
		}
		head = bytes.TrimLeft(head[i+len(`"ph"`):], " \t\r\n")
		if len(head) == 0 || head[0] != ':' {
			continue
		}
		value := bytes.TrimLeft(head[1:], " \t\r\n")
		if len(value) >= 3 && value[0] == '"' && value[2] == '"' {
			return true
		}
	}
}

// metadata reads an event that names a process or a thread.
func (c *converter) metadata(e *event) {
	pid, tid := c.id(e.pid), c.id(e.tid)
	switch kind := c.string(e.name); kind {
	case "process_name":
		if p := c.tracks.of(pid); p != nil {
			p.name = c.nameIn(e, "name")
		}
	case "process_labels":
		if p := c.tracks.of(pid); p != nil {
			p.labels = c.nameIn(e, "labels")
		}
	case "thread_name":
		if t := c.tracks.find(pid, tid); t != nil {
			t.name = c.nameIn(e, "name")
		}
	case "process_sort_index", "thread_sort_index":
	default:
		kind = fit.Name(kind)
		c.leave(e, "metadata event "+kind, "metadata events "+kind)
	}
}

// nameIn returns the name that an argument of an event has, which may be a number; "" if there is none.
func (c *converter) nameIn(e *event, argument string) string {
	if e.args.kind != object {
		return ""
	}
	s := scanner{s: c.text[:e.args.to], i: int(e.args.from) + 1}
	for {
		key, ok := s.key()
		if !ok {
			break
		}
		name := s.value()
		if s.fault != sound {
			break
		}
		if textOf(c.text, key) != argument || name.kind == token && c.string(name) == "null" {
			continue
		}
		if name.kind == object || name.kind == array {
			c.leave(e, "name that is no text", "names that are no texts")
			return ""
		}
		return c.tracks.named(c.id(name))
	}
	if s.fault != sound {
		c.leave(e, "damaged argument", "damaged arguments")
	}
	return ""
}
