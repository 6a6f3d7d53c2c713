package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"tracex/format"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument"
	"tracex/recorder/instrument/control"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/rewrite"
	"tracex/recorder/instrument/wrapper"
	"tracex/recorder/recording"
)

// runInstrumented runs a go command that instruments what it builds, or a program that was built
// so, and makes a trace while the programs run.
func (r *recordCommand) runInstrumented(ctx context.Context, args []string) error {
	if err := r.calls.check(); err != nil {
		return err
	}
	options, err := r.calls.text(r.output)
	if err != nil {
		return err
	}
	check := r.checkOutput
	if r.split { // the names of the traces are not known yet
		check = r.checkRecording
	}
	if err := check(); err != nil {
		return err
	}
	sockets := r.ownSockets()
	if sockets != "" {
		defer os.RemoveAll(sockets)
	}
	dir, err := r.createDir(args, sockets)
	if err != nil {
		return err
	}
	keep, err := r.instrumentInto(ctx, dir, args, options)
	if keep {
		return errors.Join(err, dir.Close())
	}
	if fault := dir.Remove(); fault != nil {
		r.remark("cannot clean up", fault)
	}
	return err
}

// instrumentInto is runInstrumented with a directory for what programs record. keep means that
// the directory has the only copy of it.
func (r *recordCommand) instrumentInto(ctx context.Context, dir *recording.Directory, args []string, options string) (keep bool, err error) {
	o := r.build.options()
	reports := filepath.Join(dir.Path(), "reports")
	if err := os.Mkdir(reports, 0o700); err != nil {
		return false, err
	}
	if o.Report, err = filepath.Abs(reports); err != nil {
		return false, err
	}
	plan := &instrument.Plan{Args: args, Runs: true} // of a program that is built
	switch {
	case r.command.inside:
		r.remark(args[0], errors.New("go commands that its programs run are instrumented, too: their flags are in GOFLAGS"))
		plan, err = r.plannedInside(ctx, args, o)
	case instrument.Is(args):
		plan, err = r.planned(ctx, args, o)
	}
	if err != nil {
		return false, err
	}
	folder, err := filepath.Abs(dir.Path())
	if err != nil {
		return false, err
	}
	live, err := newRawConversion(r, dir, plan.Several, new(traceSource))
	if err != nil {
		return false, err
	}
	env := append(plan.Env, rawEnvironment(folder, options)...)
	own := r.startOwn(dir)
	defer own.close()
	if own != nil {
		env = append(env, serviceEnvironment(dir)...)
	}
	failed := r.runChild(ctx, plan.Args, env)
	// From here on a signal must not lose the recording.
	ctx = context.WithoutCancel(ctx)
	packets := own.stop(ctx)
	made, err := live.end(ctx, packets)
	if err != nil {
		return true, withHint(live.files.writeError(err), "the recording is kept in "+folder+"; tracex convert makes a trace from it")
	}
	built, err := wrapper.ReadReports(reports)
	if err != nil {
		r.remark("cannot tell what was instrumented", err)
	}
	if r.verbose {
		r.tellBuilt(built)
	}
	if packets != "" && (made.Summary == nil || made.Events() == 0) {
		if made.Summary != nil {
			r.tellLeftOut(made.Summary)
		}
		if err := r.onlyPackets(ctx, packets); !errors.Is(err, errNoEvents) {
			return err != nil, cmp.Or(err, failed)
		}
	}
	if made.empty() && made.lost == nil {
		var exit childExit
		if errors.As(failed, &exit) {
			return false, cmp.Or(r.keepRawFiles(folder, packets), failed) // it has said why; there is nothing to add
		}
		return false, r.nothingInstrumented(plan, built, made.Summary)
	}
	r.tellRecorded(&made)
	if made.lost != nil {
		at := keepRaw(dir.Spool(), r.output)
		return at == dir.Spool(), lostPackets(r.output, made.lost, at)
	}
	return false, cmp.Or(r.keepRawFiles(folder, packets), made.damage, failed)
}

// rawFolder is appended to the name of the trace for the folder of --keep-raw.
const rawFolder = ".raw"

// keepRawFiles moves what programs wrote out of the recording's directory, with --keep-raw. packets
// is the path of their packets; "" if there are none.
func (r *recordCommand) keepRawFiles(folder, packets string) error {
	if !r.keepRaws {
		return nil
	}
	files := rawFiles(folder)
	to, err := r.moveRawFiles(files)
	if err == nil {
		r.say("kept " + counted(int64(len(files)), "raw file") + " in " + to)
	}
	return err
}

// moveRawFiles moves raw files to the folder of --keep-raw.
func (r *recordCommand) moveRawFiles(files []string) (to string, err error) {
	to = r.output + rawFolder
	if err := os.MkdirAll(to, 0o700); err != nil {
		return to, err
	}
	for _, f := range files {
		if err := os.Rename(f, filepath.Join(to, filepath.Base(f))); err != nil {
			return to, err
		}
	}
	return to, nil
}

// rawConversion makes a trace from the raw files in a folder, while programs write them.
type rawConversion struct {
	*instrumented.Converter
	source *traceSource
	split  *recordCommand // for --split, otherwise nil
	folder string
	keep   int64 // bytes that stay free on the disk while programs run
	files  growingFiles
	seen   map[string]bool
	done   chan struct{} // closed when no more programs run
	ended  chan error    // of what follows them
}

// convertEvery is how often what programs have recorded is converted.
const convertEvery = 100 * time.Millisecond

// rawProgress is what a recording's directory says of the progress of a trace that is made of raw files.
const rawProgress = "see the raw files\n"

// newRawConversion begins a trace. Its files are created when there is a recording. With --last, and with
// --split, there are none before the programs have ended. several is whether there may be several programs. Raw
// files are left alone if source is another one.
func newRawConversion(r *recordCommand, dir *recording.Directory, several bool, source *traceSource) (*rawConversion, error) {
	folder, err := filepath.Abs(dir.Path())
	if err != nil {
		return nil, err
	}
	l := &rawConversion{source: source, folder: folder, files: growingFiles{path: r.output, replace: r.force}, seen: map[string]bool{}, done: make(chan struct{}), ended: make(chan error, 1)}
	l.keep, l.files.room = reservedFor(r.output), l.awaitRoom
	// This says that the trace has begun.
	l.files.begun = func() error { return os.WriteFile(dir.Progress(), []byte(rawProgress), 0o600) }
	if l.Converter, err = instrumented.New(l.files.writers(), instrumented.Options{Version: format.Version(r.version), Programs: several, NotEmpty: true}); err != nil {
		return nil, err
	}
	if r.split {
		l.split = r
	}
	if r.calls.last > 0 || r.split {
		l.ended <- nil
	} else {
		go func() { l.ended <- l.follow() }()
	}
	return l, nil
}

// awaitRoom waits, while programs run, until n bytes may be written without filling their disk.
func (l *rawConversion) awaitRoom(n int) {
	for {
		free, known := freeSpace(filepath.Dir(l.files.path))
		if !known || free >= l.keep+int64(n) {
			return
		}
		select {
		case <-l.done:
			return
		case <-time.After(convertEvery):
		}
	}
}

// follow converts what programs record until done is closed.
func (l *rawConversion) follow() error {
	tick := time.NewTicker(convertEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.done:
			return nil
		case <-tick.C:
			if err := l.look(); err != nil {
				return err
			}
		}
	}
}

// look converts what there is by now.
func (l *rawConversion) look() error {
	list, err := os.ReadDir(l.folder)
	if err != nil {
		return err
	}
	for _, e := range list {
		path := filepath.Join(l.folder, e.Name())
		if !strings.HasSuffix(e.Name(), raw.Suffix) {
			continue
		}
		if !l.source.take(fromRaws) {
			return nil
		}
		if !l.seen[path] {
			l.seen[path] = true
			l.Add(path)
		}
		if pid, _, _ := strings.Cut(e.Name(), "-"); !aliveText(pid) {
			l.Ended(path)
		}
	}
	_, err = l.Step(context.Background())
	return err
}

// aliveText reports whether there is a process with an id.
func aliveText(pid string) bool {
	n, err := strconv.Atoi(pid)
	return err != nil || control.Alive(n)
}

// end converts the rest, and adds the packets in the file at spool, unless that is "". The Summary is
// nil if there was no raw file.
func (l *rawConversion) end(ctx context.Context, spool string) (made rawTrace, err error) {
	close(l.done)
	err = <-l.ended
	if l.split != nil {
		return l.endSplit(ctx, spool)
	}
	if err == nil {
		err = l.look()
	}
	if len(l.seen) == 0 {
		l.Close()
		return made, err
	}
	failed := made.finish(ctx, l.Converter, spool)
	return made, errors.Join(err, failed, l.files.close())
}

// tellRecorded says what is in the trace, and what is not.
func (r *recordCommand) tellRecorded(made *rawTrace) {
	if r.split {
		r.tellSplit()
	} else {
		r.tellTrace(made, r.output)
	}
	r.tellLeftOut(made.Summary)
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
		text += ", " + counted(o.Events, "event") + " of package recorder in " + counted(int64(len(o.Threads)), "thread")
	}
	r.say("recorded " + text + " in " + path)
	made.tellOwn(r.say)
}

// tellLeftOut says what is not in a trace.
func (r *recordCommand) tellLeftOut(s *instrumented.Summary) {
	if s.LeftOut > 0 {
		r.say(counted(s.LeftOut, "call") + " nested deeper than --levels left out")
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
	return "the recording ended early, as " + why + "; " + counted(p.Lost, "call") + " after that are missing"
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

// listFunctions prints what a go command would instrument.
func (r *recordCommand) listFunctions(ctx context.Context, args []string) error {
	if !instrument.Is(args) {
		return &usageError{"--list is for go commands that build", "tracex record --list -- go test ./..."}
	}
	toolchain, err := instrument.FindToolchain(ctx, args)
	if err != nil {
		return err
	}
	packages, err := instrument.List(ctx, toolchain, args, r.build.options())
	if err != nil {
		return err
	}
	out := bufio.NewWriter(r.stdout)
	done, all := 0, 0
	for _, p := range packages {
		if p.Failed != "" {
			fmt.Fprintf(out, "%s: not recorded: %s\n", p.Package, p.Failed)
		}
		for _, f := range p.Functions {
			all++
			line := fmt.Sprintf("%s.%s  %s:%d", p.Package, f.Name, filepath.Base(f.File), f.Line)
			if f.Reason == "" {
				done++
			} else {
				line += "  not recorded: " + f.Reason
			}
			fmt.Fprintln(out, line)
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	r.say(fmt.Sprintf("%d of %s of %s", done, counted(int64(all), "function"), counted(int64(len(packages)), "package")))
	return nil
}

// nothingInstrumented is the error for a command that left no call.
func (r *recordCommand) nothingInstrumented(plan *instrument.Plan, built []wrapper.Report, s *instrumented.Summary) error {
	instrumentedSome := slices.ContainsFunc(built, func(b wrapper.Report) bool {
		return b.Failed == "" && slices.ContainsFunc(b.Functions, func(f rewrite.Function) bool { return f.Reason == "" })
	})
	if s != nil {
		r.tellProblems(s)
		if err := lostEverything(s); err != nil {
			return err
		}
	}
	switch {
	case !plan.Runs:
		return withHint(errors.New("no trace written: the command builds a program and does not run it"),
			"what it built can record: tracex record -- PROGRAM; tracex build is the command for that")
	case s != nil && len(s.Processes) > 0:
		return withHint(errors.New("no trace written: no instrumented function was called"), "is --only or --skip too narrow? -v tells what is instrumented, -p adds packages")
	case len(built) > 0 && !instrumentedSome:
		return withHint(errors.New("no trace written: no function was instrumented"), "-v tells why; -p adds packages, such as -p example.com/x/...")
	}
	return withHint(errors.New("no trace written: no instrumented program ran"), "are there tests? -p selects packages, such as -p example.com/x/...; the default are those of the main module")
}
