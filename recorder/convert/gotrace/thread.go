package gotrace

import (
	"golang.org/x/exp/trace"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
)

// converter makes a trace of the events of another.
type converter struct {
	to      *calltrace.Writer
	prefix  string
	reader  *reader
	stacks  *stacks
	origin  trace.Time // of the moment 0; the time of the first event
	started bool
	now     int64 // time of the current event, in ns since origin

	goroutines map[trace.GoID]*goroutine
	tasks      map[trace.TaskID]*task
	collector  *thread // GC and what the heap has; nil until needed
	world      *thread // stops of the world; nil until needed
	sweeping   map[int64]*thread
	sweepers   map[int64]*thread
	metrics    map[string]uint64 // the last values

	names    map[string]calltrace.Method
	runnable calltrace.Method
	scratch  scratch
	free     [][]open // of goroutines that have ended
	left     [leftCount]int64
}

// left is a kind of event that has no place in the trace.
type left int

const (
	leftProc left = iota
	leftSample
	leftExperiment
	leftRegion
	leftTask
	leftDeep
	leftSweep
	leftOther
	leftCount
)

var leftNames = [leftCount][2]string{
	leftProc:       {"change of a processor's state", "changes of processors' states"},
	leftSample:     {"sample of a CPU profile", "samples of a CPU profile"},
	leftExperiment: {"experimental event", "experimental events"},
	leftRegion:     {"end of a region that began before the trace", "ends of regions that began before the trace"},
	leftTask:       {"end of a task that began before the trace", "ends of tasks that began before the trace"},
	leftDeep:       {"region nested too deeply", "regions nested too deeply"},
	leftSweep:      {"sweep of the heap on one of too many processors", "sweeps of the heap on too many processors"},
	leftOther:      {"event of an unknown kind", "events of an unknown kind"},
}

func newConverter(r *reader, prefix string, to *calltrace.Writer) *converter {
	return &converter{
		to: to, prefix: prefix, reader: r, stacks: r.stacks, goroutines: map[trace.GoID]*goroutine{}, tasks: map[trace.TaskID]*task{},
		sweeping: map[int64]*thread{}, sweepers: map[int64]*thread{}, metrics: map[string]uint64{},
		names: map[string]calltrace.Method{}, runnable: to.Method("", "waiting to run"),
	}
}

const (
	mostNames = 1 << 14 // names of methods that are remembered
	often     = 1 << 4  // events between two looks at the context: damage can make each slow
	seldom    = 1 << 12 // events between two reports of progress
)

// plain returns the method with a name and no class.
func (c *converter) plain(name string) calltrace.Method {
	m, ok := c.names[name]
	if !ok {
		if len(c.names) >= mostNames {
			clear(c.names)
		}
		m = c.to.Method("", name)
		c.names[name] = m
	}
	return m
}

// newThread makes a thread that is no goroutine.
func (c *converter) newThread(name string) *thread {
	return &thread{Thread: c.to.Thread(c.prefix + name), scratch: &c.scratch}
}

// thread is a thread of the trace with the calls that are open. It ends a call that is not the innermost
// by cutting those within it in two: they end, and begin again.
type thread struct {
	*calltrace.Thread
	open    []open // the outermost first
	omitted int    // regions that are not in open since it is full
	scratch *scratch
}

// scratch is what all threads use to begin a call.
type scratch struct {
	call calltrace.Call
	args [3]format.Value
}

// open is a call that has begun.
type open struct {
	what   what
	method calltrace.Method
	place  calltrace.Place
	name   string // "" or type of a region or a task, name of a range
	text   string // "" or an argument
	number int64  // an argument: that of a task; 0: none
}

// what is what a call of the trace stands for.
type what uint8

const (
	whatRoot what = iota
	whatState
	whatRange
	whatRegion
)

// mostOpen bounds the calls within each other.
const mostOpen = 1 << 14

// begin begins a call at a time.
func (t *thread) begin(ns int64, o open) error {
	t.open = append(t.open, o)
	return t.header(ns, &o)
}

// around begins a call around the state, if there is one: that is cut in two.
func (t *thread) around(ns int64, o open) error {
	at := t.state()
	if at < 0 {
		return t.begin(ns, o)
	}
	state := t.open[at]
	if err := t.end(ns, at, &calltrace.End{}); err != nil {
		return err
	}
	if err := t.begin(ns, o); err != nil {
		return err
	}
	return t.begin(ns, state)
}

func (t *thread) header(ns int64, o *open) error {
	args := t.scratch.args[:0]
	if o.text != "" {
		args = append(args, calltrace.Unquoted(o.text))
	}
	if o.number != 0 {
		args = append(args, calltrace.Int(o.number))
	}
	t.scratch.call = calltrace.Call{Method: o.method, Place: o.place, Args: args}
	return t.Begin(ns, &t.scratch.call)
}

// end ends the call at a position in open.
func (t *thread) end(ns int64, at int, end *calltrace.End) error {
	for range len(t.open) - 1 - at {
		if err := t.End(ns, &calltrace.End{}); err != nil {
			return err
		}
	}
	if err := t.End(ns, end); err != nil {
		return err
	}
	t.open = append(t.open[:at], t.open[at+1:]...)
	for i := at; i < len(t.open); i++ {
		if err := t.header(ns, &t.open[i]); err != nil {
			return err
		}
	}
	return nil
}

// find returns where the innermost call of a kind and name is in open; -1 if there is none.
func (t *thread) find(w what, name string, number int64) int {
	for i := len(t.open) - 1; i >= 0; i-- {
		if o := &t.open[i]; o.what == w && o.name == name && o.number == number {
			return i
		}
	}
	return -1
}

// state returns where the state is in open; -1 if the goroutine is running.
func (t *thread) state() int {
	if n := len(t.open); n > 0 && t.open[n-1].what == whatState {
		return n - 1
	}
	return -1
}

// instant adds a call that takes no time.
func (t *thread) instant(ns int64, c *calltrace.Call, result *format.Value) error {
	if err := t.Begin(ns, c); err != nil {
		return err
	}
	return t.End(ns, &calltrace.End{Result: result})
}

// finish ends all calls, the outermost of which returned.
func (t *thread) finish(ns int64) error {
	for len(t.open) > 0 {
		at := len(t.open) - 1
		end := calltrace.End{Unknown: t.open[at].what == whatRegion}
		if err := t.end(ns, at, &end); err != nil {
			return err
		}
	}
	return t.Close(ns)
}
