package recording

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"tracex/format"
	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/disk"
)

// Kind says how programs are recorded.
type Kind int

const (
	// Packets: programs send packets to a service that the session runs. Instrumented programs may write raw
	// files.
	Packets Kind = iota
	// Instrumented: programs write raw files. A service begins when one of them sends packets.
	Instrumented
	// Attached: a program that runs already writes a raw file.
	Attached
	// Elsewhere: a service that the session does not run has the packets.
	Elsewhere
)

// Options say what is recorded, and what becomes of it.
type Options struct {
	Kind     Kind
	Output   string         // data file of the trace
	Replace  bool           // what is there, also if it is no trace
	Version  format.Version // of the format; 0 for the default
	Split    bool           // a trace for each instrumented process
	Keep     *Keep          // a trace for each of some tests; nil: of all that was recorded
	KeepRaws bool           // what instrumented programs wrote is kept
	Command  []string       // for [About]
	Calls    Calls          // of instrumented programs
	// Buffer is how many bytes of packets may wait to be written, and Categories are those of events.
	Buffer     int64
	Categories []string
	Listener   Listener
}

// Listener is told what happens while programs are recorded and their trace is made. Any goroutine may call it.
type Listener interface {
	// Begin shows how far some work is.
	Begin(what string) importer.Progress
	// Problem tells an error that does not end the recording.
	Problem(err error)
	// Remark tells that something is missing, and why.
	Remark(what string, why error)
	// StillRuns tells that a program goes on: what it calls from now on is not in the trace.
	StillRuns(program string, pid uint64)
	// MissingEvents and MissingEnds tell that events of a program are missing, or the last calls of threads. kept is
	// where what it left is kept, or "".
	MissingEvents(n int64)
	MissingEnds(threads int64, kept string)
	// Recorded tells what is in traces. all is what the raw files of all have; nil if not all traces are made.
	Recorded(traces []Trace, all *instrumented.Summary)
	// LeftOut tells what of raw files is not in a trace.
	LeftOut(all *instrumented.Summary)
	// Unkept tells how many more tests were to be kept, for which there was no room.
	Unkept(tests int64)
	// Converted tells what was made of packets alone.
	Converted(path string, made *importer.Result) error
	// KeptRaws tells where raw files are kept, and OtherRaws where those are that are not in the trace.
	KeptRaws(n int, in string)
	OtherRaws(in string)
}

// Keep says which tests of the top level, which go test runs, get a trace each. Output is then the folder of the traces.
type Keep struct {
	All  bool          // else those that fail
	Slow time.Duration // and those that take so long; 0: none
	// Said is what go test says; nil if that is not known.
	Said Outcomes `json:"-"`
}

// Outcomes is what go test has said by now. Any goroutine may call it.
type Outcomes interface {
	// Failed returns a line for each time that a test of a package failed, in their order, which tells why. That may be
	// after the test's last recorded call.
	Failed(pkg, test string) (why []string)
	// Ended and Passed report whether it has said how all tests of a package ended, and that all passed.
	Ended(pkg string) bool
	Passed(pkg string) bool
}

// Trace is a trace that was made. Raws or Packets is not nil.
type Trace struct {
	Path    string
	Tests   []instrumented.Test   // why there is the trace, with [Options.Keep]
	Raws    *instrumented.Summary // of raw files
	Packets *importer.Result      // of packets, which may have joined them
	Lost    error                 // why packets could not join them
	damage  error                 // of the packets: what is before it is in the trace
}

// maker makes traces of what programs recorded.
type maker struct {
	Options
	dir    *Directory // claims the place of the trace; nil if this is no recording
	traces []Trace    // by Split or Keep

	elsewhere func(*raw.Header) (trace, name string) // see instrumented.Options; nil unless Split
}

// Calls decide what an instrumented program records.
type Calls struct {
	Only, Skip             []string // patterns of functions
	Depth, Strings, Fields int      // pointers to follow, and how much of a string and of a struct is kept
	Elements               int      // elements to keep of slices, arrays and maps of strings, numbers or booleans
	Levels                 int      // calls nested deeper are left out; 0 for none
	Limit, Last            int64    // bytes that a process may write, and of its newest calls; 0 for the default, and for all
	NoTimes                bool
	LastFor                time.Duration // of its newest calls, instead of Last; 0 for all
	// Until ends the recording of a process a moment after the first call of one of these functions, given as in Only, or
	// after a panic: "panic". Conditions on arguments and results may follow: "shop.Refund arg.amount>100 ret.err!=nil".
	Until []string
	// Each are patterns as in Only: trees begin with calls of such functions. Slower keeps trees that take so long; 0: all.
	Each   []string
	Slower time.Duration
	// Sample is the part of the call trees that is recorded, chosen by chance; 0: all. A tree is a call that is in no
	// other recorded call of its goroutine, and what that calls.
	Sample float64
}

// Check tells what is wrong with Until.
func (c *Calls) Check() error {
	for _, p := range c.Until {
		option, err := untilOption(p)
		if err != nil {
			return err
		}
		if c.Sample > 0 && c.Sample < 1 && option != strings.TrimSpace(p) {
			return fmt.Errorf("%q has conditions, which are asked of recorded calls alone: they do not go with a sample", p)
		}
	}
	return nil
}

// Exact returns the patterns of Only that are not meant to name functions of several packages.
func (c *Calls) Exact() (list []string) {
	for _, pattern := range c.Only {
		if rest := strings.NewReplacer("(*", "", "[...]", "").Replace(pattern); !strings.Contains(rest, "*") && !strings.Contains(rest, "...") {
			list = append(list, pattern)
		}
	}
	return list
}

const defaultLimit = 8 << 30

// reservedFor returns how many bytes stay free on the disk of a trace while programs run, for the programs
// themselves.
func reservedFor(output string) int64 {
	const most = 1 << 30
	free, _ := disk.Free(filepath.Dir(output))
	return min(most, free/8)
}

// The raw files of tests that are kept take at most keptPart of the limit, as their traces take about twice as much, and
// those that run as much again.
const (
	defaultKept = 256 << 20
	defaultRing = 32 << 20
	keptPart    = 4
)

// text returns the options for the program, see raw.OptionsVariable. output is the path of the trace.
func (c *Calls) text(output string, keep *Keep) (string, error) {
	limit, reserve, last := c.Limit, int64(0), c.Last
	kept := cmp.Or(c.Limit, defaultKept) / keptPart
	switch {
	case keep != nil:
		limit, reserve, last = math.MaxInt64, reservedFor(output), cmp.Or(last, min(defaultRing, kept))
	case limit == 0:
		// The trace takes about twice the room of the raw files, which stay until it is complete.
		free, _ := disk.Free(filepath.Dir(output))
		limit, reserve = defaultLimit, free/10*7
	default:
		reserve = reservedFor(output)
	}
	words := []string{fmt.Sprintf("depth=%d strings=%d fields=%d elements=%d levels=%d limit=%d reserve=%d", c.Depth, c.Strings, c.Fields, c.Elements, c.Levels, limit, reserve)}
	if last > 0 {
		words = append(words, fmt.Sprintf("last=%d", last))
	}
	if c.LastFor > 0 {
		words = append(words, fmt.Sprintf("lastfor=%d", c.LastFor.Nanoseconds()))
	}
	if keep != nil {
		words = append(words, "keep="+keep.option(), fmt.Sprintf("kept=%d", kept))
	}
	if c.NoTimes {
		words = append(words, "times=0")
	}
	for _, p := range c.Only {
		words = append(words, "only="+p)
	}
	for _, p := range c.Skip {
		words = append(words, "skip="+p)
	}
	for _, p := range c.Until {
		option, err := untilOption(p)
		if err != nil {
			return "", err
		}
		words = append(words, "until="+option)
	}
	for _, p := range c.Each {
		words = append(words, "each="+p)
	}
	if c.Slower > 0 {
		words = append(words, fmt.Sprintf("slower=%d", c.Slower.Nanoseconds()))
	}
	if c.Sample > 0 && c.Sample < 1 {
		words = append(words, fmt.Sprintf("sample=%d", max(1, int64(math.Round(c.Sample*1e9)))))
	}
	text := strings.Join(words, " ")
	if len(text) >= raw.OptionsSize {
		return "", errors.New("the patterns of --only, --skip, --each and --until are too long")
	}
	return text, nil
}
