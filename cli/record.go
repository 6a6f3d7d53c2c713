package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tracex/format"
	"tracex/recorder"
	"tracex/recorder/instrument"
	"tracex/recorder/outcomes"
	"tracex/recorder/recording"
)

// recordCommand is the command record with its flags.
type recordCommand struct {
	*app
	recordFlags
	buffer     byteSize
	categories []string
	build      buildFlags
	command    goCommand
	split      bool
	keep       keepFlag
	printed    *outcomes.Reader // what go test prints; nil: it is not read
	verbose    bool
	list       bool
}

// recordFlags are the flags of the commands that record, record and attach.
type recordFlags struct {
	output          string
	force, keepRaws bool
	version         formatVersion
	calls           callFlags
}

func (f *recordFlags) add(c *cobra.Command, version string) {
	flags := c.Flags()
	flags.StringVarP(&f.output, "output", "o", "trace.bin", "data file; an older one becomes trace.old.bin")
	flags.BoolVar(&f.force, "force", false, "replace what is there, also if it is no trace")
	flags.Var(&f.version, "format-version", "format version; default "+version)
	completeVersion(c, "format-version")
	f.calls.add(flags)
}

// goCommand says how record treats go commands.
type goCommand struct {
	not    bool // a go command is run unchanged
	inside bool // the command runs go commands
}

func newRecordCommand(a *app) *cobra.Command {
	r := &recordCommand{app: a, buffer: 64 << 20}
	c := &cobra.Command{
		Use:   "record [flags] COMMAND",
		Short: "Run a program and record its calls and events",
		Long:  "Trace a go command, or a program that can record, even if it crashes.",
		Example: `tracex record -- go test ./...
tracex record -- ./program --its-flag`,
		Args: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("service") {
				if len(args) != 1 {
					return &usageError{"--service needs the config of a session, and no program", "tracex record --service SOCKET CONFIG"}
				}
				return checkServiceFlags(c.Flags())
			}
			if len(args) == 0 {
				return &usageError{"record needs a program to run", "tracex record -o trace.bin -- COMMAND [ARGUMENT...]"}
			}
			return nil
		},
	}
	flags := c.Flags()
	flags.SetInterspersed(false)
	r.recordFlags.add(c, "$"+recorder.FormatVariable+", or 27")
	flags.Var(&r.buffer, "buffer", "memory for data not yet written to disk")
	flags.StringArrayVar(&r.categories, "category", nil, "only categories that match, such as 'net*'; repeatable")
	r.build.add(flags)
	flags.BoolVar(&r.command.not, "no-go", false, "run a go command as it is: its program has a recorder of its own")
	flags.BoolVar(&r.command.inside, "go", false, "the command runs go itself, as make does")
	flags.BoolVar(&r.keepRaws, "keep-raw", false, "keep what programs wrote")
	flags.BoolVar(&r.split, "split", false, "a trace for each instrumented process, such as trace-shop-4711.bin, made when the programs have ended")
	flags.Var(&r.keep, "keep", "of go test: a trace for each test that failed, in the folder of -o; or slow:1s, for slow ones, too; or all")
	flags.BoolVarP(&r.verbose, "verbose", "v", false, "tell what is instrumented, and what is not and why")
	flags.BoolVar(&r.list, "list", false, "run nothing: list the functions of a go command that would be recorded, and why others would not")
	service := flags.String("service", "", "socket of a service that records; COMMAND is its config")
	markShared(flags, goMark, map[string]string{"no-go": "", "go": "", "keep-raw": "", "split": "", "keep": "WHICH", "verbose": "", "list": ""})
	c.RunE = func(c *cobra.Command, args []string) error {
		if named := os.Getenv(recorder.FormatVariable); r.version == 0 && named != "" {
			if err := r.version.Set(named); err != nil {
				return &usageError{recorder.FormatVariable + "=" + named + ": " + err.Error(), "--format-version overrides the variable"}
			}
		}
		if c.Flags().Changed("service") {
			return (&serviceRecording{recordCommand: r, service: *service}).run(c.Context(), args[0])
		}
		if r.keep.set {
			if err := r.keep.check(c.Flags(), args); err != nil {
				return err
			}
			if least := byteSize(leastKept); r.calls.Limit > 0 && r.calls.Limit < leastKept {
				return &usageError{"--limit is too small for --keep", "it must be at least " + least.String() + ", for all traces together"}
			}
			if r.calls.LastFor > 0 {
				return &usageError{"--keep needs --last as a size", "tracex record --keep failed --last 64MiB -- go test ./..."}
			}
			if !c.Flags().Changed("output") {
				r.output = defaultTests
			}
			r.output = filepath.Clean(r.output)
			return r.runTests(c.Context(), args)
		}
		if r.list {
			return r.listFunctions(c.Context(), args)
		}
		r.command.inside = r.command.inside || instrument.IsInside(args)
		if !r.command.not && (r.command.inside || instrument.Is(args) || instrument.Built(args[0])) {
			return r.runInstrumented(c.Context(), args)
		}
		return r.run(c.Context(), args)
	}
	return c
}

// begin makes a session. A trace that is there, and goes aside, is completed first if its recording was killed.
func (f *recordFlags) begin(ctx context.Context, a *app, o recording.Options) (*recording.Session, error) {
	if err := cmp.Or(f.calls.check(), refuseStdout(f.output)); err != nil {
		return nil, err
	}
	if !f.force {
		_, err := recording.State(f.output)
		if errors.Is(err, recording.ErrUnfinished) || err == nil && errors.Is(recorder.CheckEnded(f.output), recorder.ErrUnfinished) {
			finish(ctx, a, f.output, true)
		}
	}
	o.Output, o.Replace, o.KeepRaws, o.Version, o.Calls = f.output, f.force, f.keepRaws, format.Version(f.version), f.calls.Calls
	if o.Listener == nil {
		t := newTeller(a, o.Calls.Exact())
		t.until = len(o.Calls.Until) > 0
		o.Listener = t
	}
	s, err := recording.New(o)
	return s, recordError(err)
}

// end ends a session, and says where a trace went that was in the place of the new one.
func (a *app) end(s *recording.Session, err error) error {
	if aside := s.Aside(); aside != "" {
		what := "the trace that was there before is "
		if s.Keep != nil {
			what = "the traces that were there before are in "
		}
		a.say(what + aside)
	}
	if fault := s.Close(); fault != nil {
		return errors.Join(err, fault)
	}
	return err
}

// run runs a program and makes a trace from the recording. It returns a childExit if the
// program failed.
func (r *recordCommand) run(ctx context.Context, args []string) error {
	s, err := r.begin(ctx, r.app, recording.Options{Command: args, Split: r.split, Buffer: int64(r.buffer), Categories: r.categories})
	if err != nil {
		return err
	}
	return r.end(s, r.recordInto(ctx, s, args))
}

// recordInto records into a session, and makes the trace.
func (r *recordCommand) recordInto(ctx context.Context, s *recording.Session, args []string) error {
	if err := s.Start(false); err != nil {
		return err
	}
	failed := r.runChild(ctx, args, "", s.Env())
	var missing *usageError
	if errors.As(failed, &missing) {
		s.Abandon(ctx)
		return failed
	}
	// From here on a signal must not lose the recording.
	ctx = context.WithoutCancel(ctx)
	s.Stop(ctx)
	defer r.explainSignals(r.output, os.Exit)()
	err := s.Convert(ctx)
	if err == nil {
		err = s.Complete(ctx)
	}
	var nothing *recording.NothingError
	var full *recording.FullError
	switch {
	case errors.As(err, &full): // how the program ended is the exit status
		report(r.stderr, recordError(full.Err))
		return failed
	case errors.As(err, &nothing) && nothing.Packets:
		return nothingReceived(nothing, args[0])
	case errors.As(err, &nothing):
		return r.nothingInstrumented(&instrument.Plan{Runs: true}, nil, nothing.Summary)
	}
	return cmp.Or(recordError(err), failed)
}

// outputPatience is how long the output of what a command leaves behind is waited for, if its output is read.
const outputPatience = 2 * time.Second

// runChild runs a program in a folder, "" for this one, to its end, with more in its environment.
func (r *recordCommand) runChild(ctx context.Context, args []string, dir string, env []string) error {
	c := exec.Command(args[0], args[1:]...)
	if c.Dir = dir; dir != "" {
		if dir, err := filepath.Abs(dir); err == nil {
			env = append(env, "PWD="+dir)
		}
	}
	c.Stdin, c.Stdout, c.Stderr = r.stdin, r.stdout, r.stderr
	if r.printed != nil {
		c.Stdout = io.MultiWriter(r.stdout, r.printed)
		c.WaitDelay = outputPatience
	}
	c.Env = append(os.Environ(), env...)
	if err := c.Start(); err != nil {
		return &usageError{message(err), "COMMAND is a path, or a program in $PATH"}
	}
	done := context.AfterFunc(ctx, func() { r.passOn(c.Process, context.Cause(ctx)) })
	err := c.Wait()
	done()
	if errors.Is(err, exec.ErrWaitDelay) { // the command itself succeeded
		return nil
	}
	return exitOf(err)
}

// passOn sends the program the signal that tracex received, except an interrupt or a quit from
// the keyboard, which both received.
func (r *recordCommand) passOn(p *os.Process, cause error) {
	var stopped signalError
	if !errors.As(cause, &stopped) {
		stopped.signal = syscall.SIGTERM
	}
	if (stopped.signal == syscall.SIGINT || stopped.signal == syscall.SIGQUIT) && term.IsTerminal(int(r.stdin.Fd())) {
		return
	}
	_ = p.Signal(stopped.signal) // the program may have ended
}

// explainSignals makes a signal that arrives while the trace at output is completed end tracex by exit, with a word about what
// completes the trace. stop ends that.
func (a *app) explainSignals(output string, exit func(code int)) (stop func()) {
	c, done := make(chan os.Signal, 1), make(chan struct{})
	notifyEnding(c)
	go func() {
		select {
		case s := <-c:
			number, _ := s.(syscall.Signal)
			if term.IsTerminal(int(a.stderr.Fd())) {
				_, _ = io.WriteString(a.stderr, "\r\x1b[K") // in place of the progress bar
			}
			a.say("stopped: " + s.String() + "; the trace is not complete: tracex info " + output + " completes it")
			exit(exitSignal + int(number))
		case <-done:
		}
	}()
	return func() {
		signal.Stop(c)
		close(done)
	}
}
