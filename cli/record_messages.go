package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"tracex/format/tracefile"
	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/wrapper"
	"tracex/recorder/outcomes"
	"tracex/recorder/recording"
)

// teller says what a recording session, or the completion of one, tells.
type teller struct {
	*app
	say    func(line string)
	remark func(what string, why error)
	exact  []string // patterns of --only for functions of one package
	until  bool     // there is a flag --until
	// printed has what go test said; nil if that was not read. told counts the failures of each test that have been told.
	printed *outcomes.Reader
	told    map[string]int
	unkept  bool // it has been said that there was no room
}

// newTeller returns one that writes to standard error: standard output is the program's.
func newTeller(a *app, exact []string) *teller {
	return &teller{app: a, say: a.say, remark: a.remark, exact: exact}
}

func (t *teller) Begin(what string) importer.Progress { return t.newProgress(what) }
func (t *teller) Problem(err error)                   { t.reportServiceError(err) }
func (t *teller) Remark(what string, why error)       { t.remark(what, why) }
func (t *teller) MissingEnds(threads int64, kept string) {
	t.remark(counted(threads, "thread"), errors.New("the last calls could not be recovered"+kept))
}

func (t *teller) MissingEvents(n int64) {
	t.remark(counted(n, "event")+" of a program are missing", errors.New("it went on without the service, and its file of 64 MiB is full, or cannot grow"))
}

func (t *teller) StillRuns(program string, pid uint64) {
	t.say(fmt.Sprintf("%s %d still runs: what it calls from now on is not in the trace", program, pid))
}

func (t *teller) KeptRaws(n int, in string) {
	t.say("kept " + counted(int64(n), "raw file") + " in " + in)
}

func (t *teller) OtherRaws(in string) {
	t.say("what instrumented programs recorded is kept in " + in + "; tracex convert makes a trace from it")
}

// Converted says to standard error what was made of packets alone.
func (t *teller) Converted(path string, made *importer.Result) error {
	beside := *t.app
	beside.stdout = t.stderr
	return beside.reportMade(path, made)
}

// Recorded says what is in traces, and what is not.
func (t *teller) Recorded(traces []recording.Trace, all *instrumented.Summary) {
	for i := range traces {
		if traces[i].Tests == nil {
			t.tellTrace(&traces[i])
		}
	}
	t.tellTests(slices.DeleteFunc(slices.Clone(traces), func(made recording.Trace) bool { return made.Tests == nil }))
	if all == nil {
		return
	}
	t.LeftOut(all)
	for _, pattern := range t.exact { // which packages was it taken to mean, if these are several?
		if list := all.Packages[pattern]; len(list) > 1 {
			t.say("--only " + pattern + " is in " + strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1] + ": the trace has the calls of all")
		}
	}
}

// tellTrace says what is in a trace.
func (t *teller) tellTrace(made *recording.Trace) {
	s, own := made.Raws, made.Packets
	if s == nil {
		if err := t.Converted(made.Path, own); err != nil {
			t.remark("cannot tell what was recorded", err)
		}
		return
	}
	text := counted(s.Calls+s.Statements, "call")
	if s.Statements > 0 {
		text += " (" + counted(s.Statements, "go statement") + ")"
	}
	text += " of " + counted(s.Functions, "function") + ", " + counted(s.Goroutines, "goroutine")
	if s.Waits > 0 {
		text += " that waited " + counted(s.Waits, "time")
	}
	if n := len(s.Processes); n > 1 {
		text += ", " + counted(int64(n), "process", "processes")
	}
	if own != nil && own.Events > 0 {
		text += ", " + counted(own.Events, "event") + " of package recorder in " + counted(own.Threads, "thread")
	}
	t.say("recorded " + text + " in " + made.Path + sizeOfTrace(made.Path))
	tellLines(own, t.say)
}

// sizeOfTrace tells how much disk space the files of a trace take; "" if it is little.
func sizeOfTrace(path string) string {
	const little = 1 << 20
	size := int64(0)
	for _, suffix := range tracefile.Suffixes {
		if st, err := os.Stat(path + suffix); err == nil {
			size += st.Size()
		}
	}
	if size < little {
		return ""
	}
	return " (" + humanSize(size) + ")"
}

// tellLines says what of packets is not in a trace, or was changed.
func tellLines(own *importer.Result, say func(line string)) {
	if own == nil {
		return
	}
	for _, line := range resultLines(own) {
		say(line)
	}
}

// Completed says what is in a trace whose recording command was killed.
func (t *teller) Completed(made recording.Trace, alone, whole bool) {
	what, own := "events", int64(0)
	if made.Packets != nil {
		own = made.Packets.Events
	}
	text := counted(own, "event")
	if !alone {
		text += " of package recorder"
		what += " of package recorder"
		if made.Raws != nil {
			calls := counted(made.Raws.Calls+made.Raws.Statements, "call")
			if made.Packets == nil && made.Lost == nil {
				text, whole = calls, true
			} else {
				text = calls + ", " + text
			}
		}
	}
	if text = "(" + text + ")"; !whole {
		text += ", but " + what + " just before that may be missing"
	}
	t.remark(made.Path, errors.New("the recording command was killed; completed the trace "+text))
	tellLines(made.Packets, func(line string) { t.remark(made.Path, errors.New(line)) })
	if made.Tests != nil {
		t.tellTests([]recording.Trace{made})
	}
}

func (t *teller) Unkept(tests int64) {
	t.unkept = true
	t.say("there is no trace of " + counted(tests, "more test") + " or more: all together would take more than --limit")
}

// LeftOut says what is not in a trace.
func (t *teller) LeftOut(s *instrumented.Summary) {
	if s.LeftOut > 0 {
		t.say(counted(s.LeftOut, "call") + " nested deeper than --levels left out")
	}
	if s.Unbegun > 0 {
		t.say(counted(s.Unbegun, "process", "processes") + " ended before anything was recorded")
	}
	if slices.ContainsFunc(s.Processes, func(p instrumented.Process) bool { return p.Dropped && !p.Ring }) {
		t.say("older calls were dropped, as only the newest are kept (--last)")
	}
	for _, p := range s.Processes {
		if why := lostReason(p); why != "" {
			t.remark(programOf(p), errors.New(why))
		}
		if p.Until {
			t.say(programOf(p) + ": what --until names has happened; " + counted(p.Lost, "call") + " after that are not in the trace")
		}
	}
	if t.until && !slices.ContainsFunc(s.Processes, func(p instrumented.Process) bool { return p.Until }) {
		t.say("what --until names did not happen")
	}
	t.Problems(s)
}

// Problems tells what could not be read.
func (t *teller) Problems(s *instrumented.Summary) {
	for _, p := range s.Processes {
		for _, problem := range p.Problems {
			t.remark(programOf(p), problem)
		}
	}
}

// lostReason tells why the recording of a process ended before it, and how much is missing; "" if
// nothing is.
func lostReason(p instrumented.Process) string {
	why := map[uint32]string{
		raw.ReasonLimit: "it reached --limit", raw.ReasonReserve: "it may use no more of the free disk space (--limit SIZE allows more)", raw.ReasonAllocate: "the disk is full, or the file cannot grow", raw.ReasonFileSize: "it reached its limit for the size of files (ulimit -f)",
		raw.ReasonTest: "a test had failed, and what led to that takes the room (--last SIZE gives more)", raw.ReasonMap: "it has no more address space (ulimit -v)",
	}[p.Reason]
	switch {
	case why == "":
		return ""
	case p.Errno != 0:
		why += ": " + syscall.Errno(p.Errno).Error()
	}
	switch {
	case !p.Ring:
		return "the recording ended early, as " + why + "; " + counted(p.Lost, "call") + " after that are missing"
	case p.Missing == 0:
		return "" // the newest part has all the others
	}
	return "the trace has the first calls and the newest, as " + why + "; " + counted(p.Missing, "call") + " between them are missing"
}

func programOf(p instrumented.Process) string {
	name := "process"
	if len(p.Arguments) > 0 {
		name = filepath.Base(p.Arguments[0])
	}
	return fmt.Sprintf("%s (%d)", name, p.PID)
}

// say writes a line to standard error: standard output is the program's.
func (a *app) say(line string) { fmt.Fprintln(a.stderr, "tracex: "+line) }

// tellBuilt tells which functions of the packages that were compiled are instrumented, and why
// others are not.
func (a *app) tellBuilt(built []wrapper.Report) {
	if len(built) == 0 {
		a.say("no instrumented package was compiled: they are in go's build cache; record --list tells what is instrumented")
	}
	for _, b := range built {
		done, why := 0, map[string]int{}
		for _, f := range b.Functions {
			if f.Reason == "" {
				done++
			} else {
				why[f.Reason]++
			}
		}
		line := fmt.Sprintf("%s: %d of %s instrumented", b.Package, done, counted(int64(len(b.Functions)), "function"))
		if b.Failed != "" {
			line = b.Package + ": not instrumented: " + b.Failed
		}
		for _, reason := range slices.Sorted(maps.Keys(why)) {
			line += fmt.Sprintf("; %d %s", why[reason], reason)
		}
		a.say(line)
	}
}

// recordError adds to an error of a session what to do.
func recordError(err error) error {
	switch e := err.(type) {
	case *recording.KeptError:
		return withHint(e.Err, e.What+" is kept in "+e.At+"; tracex convert makes a trace from it")
	case *recording.LostPacketsError:
		return withHint(err, "tracex convert -o OTHER "+e.At+" makes a trace of its own")
	case *recording.TakenError:
		switch e.By {
		case recording.ByFile:
			return &usageError{e.Error(), "--force replaces it; -o names another file"}
		case recording.ByForeign:
			return &usageError{e.Error(), "--force replaces " + e.Output + "; -o names another file"}
		case recording.ByFolder:
			return &usageError{e.Error(), "-o names another folder"}
		case recording.ByUnfinished:
			return &usageError{e.Error(), "--force discards it; -o names another file"}
		}
		return withHint(e.Err, "-o names another file")
	}
	return err
}

// nothingReceived is the error for a session that received nothing.
func nothingReceived(e *recording.NothingError, program string) error {
	const needs = "a program needs to be built by tracex build, or by go with record --go; or tracex's recorder and the import _ \"tracex/recorder/shared\", or Perfetto's client library"
	switch {
	case e.Programs == 0:
		return withHint(fmt.Errorf("no trace written: %s ran no instrumented program, and did not connect to the tracing service", program), needs+", and must run long enough to connect")
	case e.Sessions == 0:
		return withHint(fmt.Errorf("no trace written: %s connected, but offered nothing to record", program), needs)
	}
	return withHint(fmt.Errorf("no trace written: %s connected, but recorded nothing", program),
		"it made no recorded call, or ended before it sent one; is --category too narrow?")
}

// nothingRecorded is the error for raw files without events.
func (a *app) nothingRecorded(s *instrumented.Summary) error {
	newTeller(a, nil).Problems(s)
	if err := lostEverything(s); err != nil {
		return err
	}
	return withHint(errors.New("no trace written: no recorded function was called"), "TRACEX_RECORD_OPTIONS, or --only and --skip, may have left out too many functions")
}

// lostEverything is the error for programs of which one could not record, or whose raw file
// is damaged; nil if there is none. s may be nil.
func lostEverything(s *instrumented.Summary) error {
	if s == nil {
		return nil
	}
	for _, p := range s.Processes {
		if why := lostReason(p); why != "" {
			return fmt.Errorf("no trace written: %s: %s", programOf(p), why)
		}
	}
	for _, p := range s.Processes {
		if p.Damaged > 0 {
			return fmt.Errorf("no trace written: no calls can be read in %s", p.Path)
		}
	}
	return nil
}

// reportServiceError reports an error that does not stop a service.
func (a *app) reportServiceError(err error) {
	fmt.Fprintf(a.stderr, "tracex: %s\n", printable(message(err)))
}
