package instrumented

import "slices"

// Summary is what a conversion wrote, and what is missing.
type Summary struct {
	Counts
	// Functions are those that were called, each counted once.
	Functions int64
	Processes []Process
	Unbegun   int64 // other processes, which ended before they recorded anything
	Read      int64 // bytes of raw data with events
	// Packages are the packages, by their names in the trace, that have a function that was called and that one of
	// [Options.Patterns] names.
	Packages map[string][]string
}

// Counts are numbers of a process, or of all.
type Counts struct {
	Calls      int64 // without go statements
	Statements int64 // go statements, which are calls in the trace, too
	Waits      int64 // of goroutines, which are calls in the trace, too
	Goroutines int64 // those with events: the threads of the trace
	Thrown     int64 // panics
	Caught     int64 // recoveries that have an event
	Panics     int64 // calls that ended by a panic
	Goexits    int64 // calls that ended by runtime.Goexit
	Unwound    int64 // calls that ended in an unknown way
	LeftOut    int64 // calls that the program left out because they were nested too deeply
	Lost       int64 // calls after the recording had ended, see Process.Reason
}

// Process is what is known of a program.
type Process struct {
	Counts
	Path      string
	PID       uint64
	Arguments []string // its path, and its arguments
	Functions int64
	Reason    uint32 // why the recording ended before the program, see package raw
	Errno     uint32 // the error of the system, if that was the reason
	Ring      bool   // after a first part, which is all there, only the newest calls are kept
	Missing   int64  // calls between the two parts
	Until     bool   // what the recording was to last until has happened
	Dropped   bool   // older calls were dropped, as only the newest are kept
	Tests     []Test // in the order in which they began
	// Damaged is how many places of the file could not be read, and Problems are the first of
	// them.
	Damaged  int
	Problems []error
}

// Test is a test of the top level, or one below it that failed.
type Test struct {
	Name    string // such as TestPay/big
	Package string // the path
	Verdict uint32 // raw.TestBegan if it did not end, raw.TestFailed …
	Thread  int32  // that runs it, from 0 on; -1 if the trace has none
	Event   int32  // the first call of the thread; -1 if the trace does not have it
	// Took is how long it ran, in ns, waiting for other tests included; 0 if that is not known.
	Took int64

	goroutine uint64
}

// Events is how many events the trace has. With [Options.NotEmpty] there is no trace if it is 0.
func (c *Counts) Events() int64 { return c.Calls + c.Statements + c.Waits + c.Thrown + c.Caught }

// Add adds what another conversion wrote. Functions that both have are counted twice.
func (s *Summary) Add(o *Summary) {
	s.add(&o.Counts)
	s.Functions += o.Functions
	s.Processes = append(s.Processes, o.Processes...)
	s.Unbegun += o.Unbegun
	s.Read += o.Read
	for pattern, list := range o.Packages {
		s.name(pattern, list...)
	}
}

func (c *Counts) add(o *Counts) {
	c.Calls += o.Calls
	c.Statements += o.Statements
	c.Waits += o.Waits
	c.Goroutines += o.Goroutines
	c.Thrown += o.Thrown
	c.Caught += o.Caught
	c.Panics += o.Panics
	c.Goexits += o.Goexits
	c.Unwound += o.Unwound
	c.LeftOut += o.LeftOut
	c.Lost += o.Lost
}

// name adds packages to those that a pattern names.
func (s *Summary) name(pattern string, packages ...string) {
	if s.Packages == nil {
		s.Packages = make(map[string][]string)
	}
	list := append(s.Packages[pattern], packages...)
	slices.Sort(list)
	s.Packages[pattern] = slices.Compact(list)
}
