package uftrace

import (
	"fmt"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// maxOpen bounds the calls of a thread that are open at the same time: more are not recorded by uftrace.
const maxOpen = 1 << 16

// Why something of the input is not in the trace, or was changed.
var (
	noBegin       = fit.Why("end of a call without its beginning", "ends of calls without their beginning")
	unseenEnds    = fit.Why("call whose end was not recorded", "calls whose ends were not recorded")
	estimatedEnds = fit.Why("call whose end was estimated by the recorder's --estimate-return", "calls whose ends were estimated by the recorder's --estimate-return")
	inherited     = fit.Why("call of a parent process, open when it forked; it begins anew", "calls of parent processes, open when they forked; they begin anew")
	tooDeep       = fit.Why(fmt.Sprintf("call nested more than %d deep", maxOpen), fmt.Sprintf("calls nested more than %d deep", maxOpen))
)

// reader reads the records of a task.
type reader struct {
	scratch
	resolver *resolver
	tasks    *tasks
	task     *task
	events   *eventKinds
	heirs    *heirs
	left     *fit.Tally
	cursor   *cursor
	values   values
	thread   *calltrace.Thread
	named    func(s *session) string // the name of the thread, by the last program of the task
	base     uint64                  // the time that is 0 in the trace

	position position                        // at the time of the last record
	recent   [recentFunctions]recentFunction // by some bits of the address; of this position
	calls    calls
	forked   []open // the calls that were open when the task last called fork
	nextFork int    // index of task.forks
	last     uint64 // time of the last record, or 0
	begun    bool
	whole    bool // the file had all of the record
	unknown  bool // the record has data of an unknown size
}

// recentFunctions is how many functions are found without a search. It is a power of two.
const recentFunctions = 1 << 11

type recentFunction struct {
	address  uint64
	function *function
}

// eventKinds are the events by their ids.
type eventKinds struct {
	to    *calltrace.Writer
	names map[uint64]string // of users' events: provider:event
	known map[uint64]*event
}

// event is a kind of events.
type event struct {
	method calltrace.Method
	place  calltrace.Place // has the names of the numbers
	count  int             // of numbers
}

// open is a call that has begun.
type open struct {
	address  uint64
	function *function
	depth    int // as recorded, not modulo 1,024
}

// calls is the stack of a thread. The depths of records tell what ended unseen: a call that begins or
// ends at a depth ends all that were open there or deeper.
type calls struct {
	open      []open
	deepStack bool // depths may exceed 1,023
	// lower is set if an end has a depth that is one less than that of its beginning, as an extension
	// of QEMU writes them.
	lower bool
	lost  bool // records are missing
}

// at returns the time of a record in the trace.
func (r *reader) at(time uint64) int64 {
	return int64(max(time, r.base) - r.base)
}

// function returns the function at an address.
func (r *reader) function(address uint64) *function {
	recent := &r.recent[(address>>4^address>>15^address)%recentFunctions]
	if recent.address == address && recent.function != nil {
		return recent.function
	}
	f := r.resolver.function(r.position.session, r.position.libraries, address)
	*recent = recentFunction{address, f}
	return f
}

// symbol returns the name of what is at an address, or "".
func (r *reader) symbol(address uint64) string {
	return r.resolver.symbol(r.position.session, r.position.libraries, address)
}

// maxInherited bounds the calls that processes which have not begun yet inherit from their parents.
const maxInherited = 1 << 20

// depth returns the full depth of a record, given the recorded one and the deepest that it can be.
func (c *calls) depth(recorded, deepest int) int {
	switch {
	case !c.deepStack:
		return recorded
	case c.lost:
		deepest += (depthMask + 1) / 2 // beginnings may be missing
	}
	if d := deepest - (deepest-recorded)&depthMask; d >= 0 {
		return d
	}
	return recorded
}

// next returns the depth of a call in the innermost open one.
func (c *calls) next() int {
	if len(c.open) == 0 {
		return 0
	}
	return c.open[len(c.open)-1].depth + 1
}

// top returns the innermost open call, or nil.
func (c *calls) top() *open {
	if len(c.open) == 0 {
		return nil
	}
	return &c.open[len(c.open)-1]
}

// endOf returns the depth of the call that an exit is of.
func (c *calls) endOf(rec *record) int {
	if c.lower {
		return c.depth((rec.depth+1)&depthMask, c.next()-1)
	}
	d := c.depth(rec.depth, c.next()-1)
	top := c.top()
	if top == nil || c.lost || top.address != rec.address || top.depth != (d+1)&depthMask {
		return d
	}
	// The call around it is another function's, so it is not that one which ends.
	if around := c.open[:len(c.open)-1]; len(around) == 0 || around[len(around)-1].depth != d || around[len(around)-1].address != rec.address {
		c.lower = true
		return top.depth
	}
	return d
}

// entry begins a call.
func (r *reader) entry(rec *record) error {
	d := r.calls.depth(rec.depth, r.calls.next())
	if err := r.endUnseen(rec, d); err != nil {
		return err
	}
	// The data must be read even if the call is left out: the next record is behind it.
	f := r.function(rec.address)
	r.call.Method, r.call.Place, r.call.Args = f.method, f.place, nil
	if rec.more {
		if len(f.layout.args) == 0 {
			r.unknown = true
		} else if r.call.Args, r.whole = r.values.read(f.layout.args, f.enums); !r.whole {
			return nil
		}
	}
	return r.begin(rec, f, d)
}

func (r *reader) begin(rec *record, f *function, depth int) error {
	if len(r.calls.open) >= maxOpen {
		r.left.Count(tooDeep, 1, -1)
		return nil
	}
	r.calls.open = append(r.calls.open, open{rec.address, f, depth})
	if f.forks {
		r.forked = append(r.forked[:0], r.calls.open...)
	}
	return r.thread.Begin(r.at(rec.time), &r.call)
}

// exit ends a call.
func (r *reader) exit(rec *record) error {
	d := r.calls.endOf(rec)
	if err := r.endUnseen(rec, d+1); err != nil {
		return err
	}
	top := r.calls.top()
	matches := top != nil && top.depth == d && top.address == rec.address
	f := (*function)(nil)
	if matches {
		f = top.function
	} else if f = r.function(rec.address); top != nil && top.depth == d {
		// The call that is open here has ended unseen, and the one that ends began unseen.
		if err := r.endUnseen(rec, d); err != nil {
			return err
		}
	}
	r.end = calltrace.End{}
	if rec.more {
		if len(f.layout.results) == 0 {
			r.unknown = true
		} else if list, ok := r.values.read(f.layout.results, f.enums); !ok {
			r.whole = false
			return nil
		} else {
			r.result = list[0]
			r.end.Result = &r.result
		}
	}
	if !matches {
		// After a longjmp, setjmp returns a second time; nothing is missing then.
		if !f.returnsAgain {
			r.left.Count(noBegin, 1, -1)
		}
		return nil
	}
	r.calls.open = r.calls.open[:len(r.calls.open)-1]
	return r.thread.End(r.at(rec.time), &r.end)
}

// endUnseen ends the calls that are open at a depth or deeper: they must have ended by a record's time.
func (r *reader) endUnseen(rec *record, depth int) error {
	for top := r.calls.top(); top != nil && top.depth >= depth; top = r.calls.top() {
		r.calls.open = r.calls.open[:len(r.calls.open)-1]
		r.end = calltrace.End{}
		if r.resolver.machine.features&featureEstimatedEnds != 0 {
			r.left.Count(estimatedEnds, 1, -1)
		} else {
			r.left.Count(unseenEnds, 1, -1)
			r.end.Unknown = true
		}
		if err := r.thread.End(r.at(rec.time), &r.end); err != nil {
			return err
		}
	}
	return nil
}

// bequeath keeps the calls that a process inherits which the task forked by now: those that were open
// when it last called fork, or now if that is not recorded.
func (r *reader) bequeath(child int) {
	// The parent may be further when the child notes its time: after fork, or in another call.
	from := r.forked
	if from == nil {
		from = r.calls.open
	}
	if r.heirs.open+len(from) > maxInherited {
		return
	}
	r.heirs.open += len(from)
	r.heirs.of[child] = append([]open(nil), from...)
}

// inherit begins the calls of the parent that are open according to a task's first record. If that
// contradicts what is known of the parent, none are. An event does not tell its depth.
func (r *reader) inherit(rec *record) error {
	from := r.heirs.of[r.task.tid]
	delete(r.heirs.of, r.task.tid)
	r.heirs.open -= len(from)
	n := len(from)
	switch rec.kind {
	case typeEntry:
		if n != rec.depth {
			return nil
		}
	case typeExit:
		if n = rec.depth + 1; n > len(from) || from[n-1].address != rec.address {
			return nil
		}
	}
	for _, c := range from[:n] {
		r.left.Count(inherited, 1, -1)
		r.call = calltrace.Call{Method: c.function.method, Place: c.function.place}
		r.calls.open = append(r.calls.open, c)
		if err := r.thread.Begin(r.at(rec.time), &r.call); err != nil {
			return err
		}
	}
	return nil
}

// heirs are the calls that processes inherit which have not begun yet, by their numbers.
type heirs struct {
	of   map[int][]open
	open int // in all
}

// scratch is what a reader passes to its thread.
type scratch struct {
	call    calltrace.Call
	end     calltrace.End
	result  format.Value
	numbers []format.Value
}
