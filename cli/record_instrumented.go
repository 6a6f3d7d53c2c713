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

	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument"
	"tracex/recorder/instrument/rewrite"
	"tracex/recorder/instrument/wrapper"
	"tracex/recorder/recording"
)

// runInstrumented runs a go command that instruments what it builds, or a program that was built
// so, and makes a trace while the programs run.
func (r *recordCommand) runInstrumented(ctx context.Context, args []string) error {
	o := recording.Options{Kind: recording.Instrumented, Command: args, Split: r.split, Buffer: int64(r.buffer), Categories: r.categories}
	if r.keep.set {
		o.Keep = &r.keep.Keep
		o.Listener = &teller{app: r.app, say: r.say, remark: r.remark, exact: r.calls.Exact(), printed: r.printed}
	}
	s, err := r.begin(ctx, r.app, o)
	if err != nil {
		return err
	}
	return r.end(s, r.instrumentInto(ctx, s, args))
}

// instrumentInto is runInstrumented with a session.
func (r *recordCommand) instrumentInto(ctx context.Context, s *recording.Session, args []string) error {
	o := r.build.options()
	o.Report, o.Folder = filepath.Join(s.Folder(), "reports"), filepath.Join(s.Folder(), "tool")
	for _, folder := range []string{o.Report, o.Folder} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return err
		}
	}
	var err error
	plan := &instrument.Plan{Args: args, Runs: true} // of a program that is built
	if r.command.inside {
		r.remark(args[0], errors.New("go commands that its programs run are instrumented, too: their flags are in GOFLAGS"))
	}
	if r.command.inside || instrument.Is(args) {
		if plan, err = planned(ctx, args, r.command.inside, o); err != nil {
			return err
		}
	}
	if err := s.Start(plan.Several); err != nil {
		return err
	}
	var failed error
	if plan.Build != nil {
		failed = r.runChild(ctx, plan.Build, "", plan.Env)
	}
	if failed == nil {
		failed = r.runChild(ctx, plan.Args, plan.Dir, append(plan.Env, s.Env()...))
	}
	// From here on a signal must not lose the recording.
	ctx = context.WithoutCancel(ctx)
	s.Stop(ctx)
	defer r.explainSignals(r.output, os.Exit)()
	if err := s.Convert(ctx); err != nil {
		return recordError(err)
	}
	built, err := wrapper.ReadReports(o.Report)
	if err != nil {
		r.remark("cannot tell what was instrumented", err)
	}
	if r.verbose {
		r.tellBuilt(built)
	}
	err = s.Complete(ctx)
	var nothing *recording.NothingError
	var exit childExit
	switch {
	case !errors.As(err, &nothing):
		return cmp.Or(recordError(err), failed)
	case r.keep.set && nothing.Summary != nil: // programs ran, and have nothing to be kept
		r.tellNothingKept(s.Listener.(*teller))
		return failed
	case errors.As(failed, &exit): // it has said why
		r.tellNoTrace(nothing.Summary)
		return cmp.Or(s.KeepRawFiles(), failed)
	}
	return r.nothingInstrumented(plan, built, nothing.Summary)
}

// tellNoTrace says that a command which failed left no trace, and what is at its place.
func (r *recordCommand) tellNoTrace(s *instrumented.Summary) {
	text := "no trace written: no instrumented program ran"
	if why := lostEverything(s); why != nil {
		text = why.Error()
	}
	if st, err := os.Stat(r.output); err == nil {
		text += "; " + r.output + " is still the recording of " + st.ModTime().Format("2006-01-02 15:04")
	}
	r.say(text)
}

// listFunctions prints what a go command would instrument.
func (r *recordCommand) listFunctions(ctx context.Context, args []string) error {
	if !instrument.Is(args) {
		return &usageError{"--list is for go commands that build", "tracex record --list -- go test ./..."}
	}
	toolchain, err := instrument.FindToolchain(ctx, args)
	if err != nil {
		return unsupported(err)
	}
	packages, err := instrument.List(ctx, toolchain, args, r.build.options())
	if err != nil {
		return unsupported(err)
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
		newTeller(r.app, nil).Problems(s)
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
	if instrument.IsInside(plan.Args) {
		return withHint(errors.New("no trace written: no instrumented program ran"), "go generate records what its lines run by go run; what they run by go tool is recorded by: tracex record -- go tool NAME")
	}
	hint := "are there tests? -p selects packages, such as -p example.com/x/...; the default is the main module"
	if len(r.build.packages) > 0 {
		hint = "does -p name packages that the program has? tracex record --list lists their functions"
	}
	return withHint(errors.New("no trace written: no instrumented program ran"), hint)
}
