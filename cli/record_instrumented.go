package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument"
	"tracex/recorder/instrument/control"
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
	if err := check(ctx); err != nil {
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
	return r.leave(dir, keep, err)
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
	own := r.startOwn(dir, &live.ready)
	defer own.close()
	if own != nil {
		env = append(env, serviceEnvironment(dir)...)
	}
	failed := r.runChild(ctx, plan.Args, env)
	// From here on a signal must not lose the recording.
	ctx = context.WithoutCancel(ctx)
	packets := own.stop(ctx)
	defer r.explainSignals(os.Exit)()
	endRunning(folder, r.say)
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
		if err := r.onlyPackets(ctx, dir, packets); !errors.Is(err, importer.ErrNoEvents) {
			return err != nil, cmp.Or(err, failed)
		}
	}
	if made.empty() && made.lost == nil {
		var exit childExit
		if errors.As(failed, &exit) { // it has said why
			r.tellNoTrace(made.Summary)
			return false, cmp.Or(r.keepRawFiles(folder, packets), failed)
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

// tellNoTrace says that a command which failed left no trace, and what is at its place.
func (r *recordCommand) tellNoTrace(s *instrumented.Summary) {
	text := "no trace written: no instrumented program ran"
	if s != nil {
		if why := lostEverything(s); why != nil {
			text = why.Error()
		}
	}
	if st, err := os.Stat(r.output); err == nil {
		text += "; " + r.output + " is still the recording of " + st.ModTime().Format("2006-01-02 15:04")
	}
	r.say(text)
}

// rawFolder is the suffix of the folder for --keep-raw, after the name of the trace.
const rawFolder = ".raw"

// keepRawFiles moves what programs wrote out of the recording's directory, with --keep-raw. packets
// is the path of their packets; "" if there are none.
func (r *recordCommand) keepRawFiles(folder, packets string) error {
	if !r.keepRaws {
		return nil
	}
	files := rawFiles(folder)
	to, err := r.moveRawFiles(files)
	if err == nil && packets != "" {
		err = os.Rename(packets, recording.SpoolIn(to))
	}
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

// nothingInstrumented is the error for a command that recorded no call.
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
	case s != nil && s.Unbegun > 0:
		return withHint(fmt.Errorf("no trace written: %s ended before anything was recorded", counted(s.Unbegun, "process", "processes")),
			"a program that cannot record says why on its standard error")
	case len(built) > 0 && !instrumentedSome:
		return withHint(errors.New("no trace written: no function was instrumented"), "-v tells why; -p adds packages, such as -p example.com/x/...")
	}
	hint := "are there tests? -p selects packages, such as -p example.com/x/...; the default is the main module"
	if len(r.build.packages) > 0 {
		hint = "does -p name packages that the program has? tracex record --list lists their functions"
	}
	return withHint(errors.New("no trace written: no instrumented program ran"), hint)
}

// endRunning ends the recording of instrumented programs that still run when the trace is completed, and
// tells which: their raw files, in a folder, are about to be removed, and would grow unseen.
func endRunning(folder string, say func(line string)) {
	for _, path := range rawFiles(folder) {
		if h, running, err := control.EndStarted(path); running && err == nil {
			say(fmt.Sprintf("%s %d still runs: what it calls from now on is not in the trace", h.Program(), h.PID))
		}
	}
}
