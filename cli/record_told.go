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
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/wrapper"
)

// tellRecorded says what is in the trace, and what is not.
func (r *recordCommand) tellRecorded(made *rawTrace) {
	if r.split {
		r.tellSplit()
	} else {
		r.tellTrace(made, r.output)
	}
	r.tellLeftOut(made.Summary)
	tellAlike(r, made.Summary)
}

// tellAlike says which packages a pattern of --only was taken to mean if these are several.
func tellAlike(r *recordCommand, s *instrumented.Summary) {
	for _, pattern := range r.calls.exact() {
		if list := s.Packages[pattern]; len(list) > 1 {
			r.say("--only " + pattern + " is in " + strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1] + ": the trace has the calls of all")
		}
	}
}

// tellTrace says what is in a trace.
func (r *recordCommand) tellTrace(made *rawTrace, path string) {
	s := made.Summary
	text := counted(s.Calls+s.Statements, "call")
	if s.Statements > 0 {
		text += " (" + counted(s.Statements, "go statement") + ")"
	}
	text += " of " + counted(s.Functions, "function") + ", " + counted(s.Goroutines, "goroutine")
	if n := len(s.Processes); n > 1 {
		text += ", " + counted(int64(n), "process", "processes")
	}
	if o := made.own; o != nil && o.Events > 0 {
		text += ", " + counted(o.Events, "event") + " of package recorder in " + counted(o.Threads, "thread")
	}
	r.say("recorded " + text + " in " + path + sizeOfTrace(path))
	made.tellOwn(r.say)
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

// tellLeftOut says what is not in a trace.
func (r *recordCommand) tellLeftOut(s *instrumented.Summary) {
	if s.LeftOut > 0 {
		r.say(counted(s.LeftOut, "call") + " nested deeper than --levels left out")
	}
	if s.Unbegun > 0 {
		r.say(counted(s.Unbegun, "process", "processes") + " ended before anything was recorded")
	}
	if slices.ContainsFunc(s.Processes, func(p instrumented.Process) bool { return p.Dropped && !p.Ring }) {
		r.say("older calls were dropped, as only the newest are kept (--last)")
	}
	for _, p := range s.Processes {
		if why := lostReason(p); why != "" {
			r.remark(programOf(p), errors.New(why))
		}
	}
	r.tellProblems(s)
}

// tellProblems tells what could not be read.
func (r *recordCommand) tellProblems(s *instrumented.Summary) {
	for _, p := range s.Processes {
		for _, problem := range p.Problems {
			r.remark(programOf(p), problem)
		}
	}
}

// lostReason tells why the recording of a process ended before it, and how much is missing; "" if
// nothing is.
func lostReason(p instrumented.Process) string {
	why := map[uint32]string{
		raw.ReasonLimit: "it reached --limit", raw.ReasonReserve: "it may use no more of the free disk space (--limit SIZE allows more)", raw.ReasonAllocate: "the disk is full, or the file cannot grow", raw.ReasonFileSize: "it reached its limit for the size of files (ulimit -f)",
		raw.ReasonMap: "it has no more address space (ulimit -v)",
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
func (r *recordCommand) say(line string) { fmt.Fprintln(r.stderr, "tracex: "+line) }

// tellBuilt tells which functions of the packages that were compiled are instrumented, and why
// others are not.
func (r *recordCommand) tellBuilt(built []wrapper.Report) {
	if len(built) == 0 {
		r.say("no instrumented package was compiled: they are in go's build cache; record --list tells what is instrumented")
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
		r.say(line)
	}
}

// tellPackets says what is in a trace of packets alone.
func (r *recordCommand) tellPackets(m *madeTrace) {
	if err := r.report(m.path, m.own); err != nil {
		r.remark("cannot tell what was recorded", err)
	}
}
