package query

import (
	"time"

	"tracex/lazy"
	"tracex/lazy/query/goroutines"
)

// OverviewFacts is what an Overview knows. Numbers of what has not been read to its end are those so far: real
// ones are as large or larger. In JSON it is the object of the command overview, which docs/json.md documents.
type OverviewFacts struct {
	Program  string `json:"program,omitempty"` // the class and method that was run, or the first program of Go tests
	Programs int    `json:"-"`                 // of Go tests
	Tests    int    `json:"tests,omitempty"`   // how many threads are those of Go tests
	Known    bool   `json:"-"`                 // all threads are; of a trace that grows, those so far
	Timed    bool   `json:"-"`
	// Begun and Length are nil if they are not known. The length is in nanoseconds.
	Begun   *time.Time `json:"recording_begun,omitempty"`
	Length  *int64     `json:"recording_ns,omitempty"`
	Threads int        `json:"thread_count"`
	Bytes   int64      `json:"data_bytes"`
	// Calls and Events are as recorded. Counted tells that they are known.
	Calls      int64       `json:"calls"`
	Events     int64       `json:"events"`
	Counted    bool        `json:"-"`
	End        OverviewEnd `json:"end"`
	Recovered  string      `json:"recovered,omitempty"` // what is to be said of a recording that ended so
	Unfinished int         `json:"unfinished"`          // containers without an end
	Sample     string      `json:"sample,omitempty"`    // if only some call trees were recorded: how many, and what counts stand for
	Gaps       []string    `json:"gaps,omitempty"`      // what is missing between the first calls and the newest, of each process
	Status     lazy.Status `json:"-"`                   // has the reasons
	NoTimes    string      `json:"-"`                   // see WithoutTimes
	// Methods have the most self time or, in a trace without times, the most calls. Topped tells that all
	// of the trace counts.
	Methods []OverviewMethod `json:"top"`
	Topped  bool             `json:"-"`
	// Slowest are tests or root calls, the longest first; without times those with most in them. Ranked tells that all
	// have been compared; RootsOf is how many root calls there are.
	Slowest []OverviewCall `json:"slowest"`
	RootsOf int64          `json:"root_calls,omitempty"`
	Ranked  bool           `json:"-"`
	// Uncaught are the rows of the exceptions that no call caught, as the answer throws has them: those that
	// left the outermost call, and those in calls that never ended. Escaped is how many exceptions that are,
	// in Rows rows.
	Uncaught []OverviewThrown `json:"uncaught"`
	Escaped  int64            `json:"uncaught_exceptions"`
	Rows     int              `json:"-"`
	Busiest  []OverviewThread `json:"busiest"` // with the most calls
	Passed   bool             `json:"-"`       // the whole trace has been read
	Done     float64          `json:"-"`       // the part of it that has been
}

// OverviewEnd is how a recording ended.
type OverviewEnd string

const (
	EndUnknown   OverviewEnd = "unknown"   // the trace is still being opened
	EndWhole     OverviewEnd = "complete"  // properly
	EndRecovered OverviewEnd = "recovered" // its program did not close it, and what it left was brought in
	EndGrowing   OverviewEnd = "growing"   // it goes on
	EndCut       OverviewEnd = "cut"       // it is cut short, or damaged
)

// OverviewPlace is what a line of an Overview is about: an event, or a thread, which has no Event.
type OverviewPlace struct {
	Handle string       `json:"handle"`
	Thread int64        `json:"thread"` // its number, from 1
	Event  *int32       `json:"event,omitempty"`
	At     HistoryPoint `json:"-"`
	Label  string       `json:"-"` // the handle as shown, which for a goroutine has its number
}

func eventPlace(at HistoryPoint) OverviewPlace {
	return OverviewPlace{lazy.EventHandle(at.Event).String(), int64(at.Thread) + 1, &at.Event, at, lazy.EventHandle(at.Event).String()}
}

func threadPlace(id int32, name string) OverviewPlace {
	at := HistoryPoint{lazy.Position{Thread: id, At: -1}, -1}
	handle := lazy.PositionHandle(at.Position).String()
	label := handle
	if n, ok := goroutines.Parse(name); ok && n.Start != "" {
		label = goroutines.Label(n.Number)
	}
	return OverviewPlace{handle, int64(id) + 1, nil, at, label}
}

// OverviewMethod is a method of an Overview.
type OverviewMethod struct {
	Name  string   `json:"name"`
	Call  string   `json:"call,omitempty"` // as commands take it, with its class and the types of its parameters; "" if the trace does not describe it
	Calls int64    `json:"calls"`
	Self  *int64   `json:"self,omitempty"`       // ns; nil without times
	Share *float64 `json:"self_share,omitempty"` // of the time of all roots; nil if not known
	Bound string   `json:"self_bound,omitempty"` // "about" if some calls never ended
}

// OverviewCall is a test or a root call of an Overview. The place of a test is its thread.
type OverviewCall struct {
	Kind string `json:"kind"` // "test" or "call"
	Name string `json:"name"`
	OverviewPlace
	Duration  *int64 `json:"duration,omitempty"`       // ns; nil if not known
	Bound     string `json:"duration_bound,omitempty"` // "at least" if its beginning or its end is not known
	Calls     *int64 `json:"calls,omitempty"`          // of a test in a trace without times; nil if not known
	Events    *int64 `json:"events,omitempty"`         // of a root call in a trace without times, with itself
	Threw     bool   `json:"threw,omitempty"`
	Exception string `json:"exception,omitempty"` // its class, or the text of a panic
	Unended   bool   `json:"did_not_end,omitempty"`
}

// OverviewThrown is a row of exceptions of an Overview.
type OverviewThrown struct {
	Class         string `json:"exception"` // or the text of a panic; see the answer throws
	Count         int64  `json:"count"`
	In            string `json:"thrown_in"`
	Outcome       string `json:"outcome"`
	Ended         string `json:"-"` // what became of it
	OverviewPlace        // of the first: its throw, or the call that ended by it first
}

// OverviewThread is one of the busiest threads of an Overview.
type OverviewThread struct {
	OverviewPlace
	Name  string `json:"name"`
	Calls int64  `json:"calls"` // as recorded; -1 if not known
	// Activity is how many calls, loops and iterations of the thread ended in each part of the recording, as
	// [lazy.ActivityOf] tells; nil without times. From and To are the parts in which it began and ended.
	Activity []int64 `json:"activity,omitempty"`
	From, To int     `json:"-"`
}

const overviewTest = "test"

const (
	// leaders, slowest, uncaught and busiest are how many lines the parts of an overview have.
	leaders, slowest, uncaught, busiest = 3, 5, 5, 4
	// leastActivity and mostActivity bound the columns of a thread's activity, usualActivity is their number
	// unless another one is asked for.
	leastActivity, usualActivity, mostActivity = 8, 24, 40
)
