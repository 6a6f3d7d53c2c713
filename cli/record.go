package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"tracex/format/tracefile"
	"tracex/recorder"
	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/instrument"
	"tracex/recorder/perfetto/service"
	"tracex/recorder/recording"
	"tracex/recorder/shared"
)

// recordCommand is the command record with its flags.
type recordCommand struct {
	*app
	output     string
	force      bool
	buffer     byteSize
	categories []string
	version    formatVersion
	build      buildFlags
	calls      callFlags
	command    goCommand
	keepRaws   bool
	split      bool
	made       []madeTrace // by --split
	verbose    bool
	list       bool
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
		Long: "Run a program and trace what it did, even if it crashes: a go command, a program of tracex build, " +
			"or one with tracex's recorder or Perfetto's library.",
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
	flags.StringVarP(&r.output, "output", "o", "trace.bin", "data file; an older one becomes trace.old.bin")
	flags.BoolVar(&r.force, "force", false, "replace what is there, also if it is no trace")
	flags.Var(&r.buffer, "buffer", "memory for data not yet written to disk")
	flags.StringArrayVar(&r.categories, "category", nil, "only categories that match, such as 'net*'; repeatable")
	flags.Var(&r.version, "format-version", "format version; default $"+recorder.FormatVariable+", or 27")
	r.build.add(flags)
	r.calls.add(flags)
	flags.BoolVar(&r.command.not, "no-go", false, "run a go command as it is: its program has a recorder of its own")
	flags.BoolVar(&r.command.inside, "go", false, "the command runs go itself, as make does")
	flags.BoolVar(&r.keepRaws, "keep-raw", false, "keep what programs wrote")
	flags.BoolVar(&r.split, "split", false, "a trace for each instrumented process, such as trace-shop-4711.bin, made when the programs have ended")
	flags.BoolVarP(&r.verbose, "verbose", "v", false, "tell what is instrumented, and what is not and why")
	flags.BoolVar(&r.list, "list", false, "run nothing: list the functions of a go command that would be recorded, and why others would not")
	service := flags.String("service", "", "socket of a service that records; COMMAND is its config")
	mark(flags, map[string]string{"no-go": "", "go": "", "keep-raw": "", "split": "", "verbose": "", "list": ""})
	completeVersion(c, "format-version")
	c.RunE = func(c *cobra.Command, args []string) error {
		if named := os.Getenv(recorder.FormatVariable); r.version == 0 && named != "" {
			if err := r.version.Set(named); err != nil {
				return &usageError{recorder.FormatVariable + "=" + named + ": " + err.Error(), "--format-version overrides the variable"}
			}
		}
		if c.Flags().Changed("service") {
			return (&serviceRecording{recordCommand: r, service: *service}).run(c.Context(), args[0])
		}
		if r.list {
			return r.listFunctions(c.Context(), args)
		}
		if !r.command.not && (r.command.inside || instrument.Is(args) || instrument.Built(args[0])) {
			return r.runInstrumented(c.Context(), args)
		}
		return r.run(c.Context(), args)
	}
	return c
}

// run runs a program and makes a trace from the recording. It returns a childExit if the
// program failed.
func (r *recordCommand) run(ctx context.Context, args []string) error {
	if err := r.calls.check(); err != nil {
		return err
	}
	options, err := r.calls.text(r.output)
	if err != nil {
		return err
	}
	if err := r.checkOutput(ctx); err != nil {
		return err
	}
	sockets, err := socketDir(recording.SocketsPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(sockets)
	s, err := service.Start(service.Config{
		Producers: filepath.Join(sockets, "producers"), Consumers: filepath.Join(sockets, "consumers"),
		OnError: r.reportServiceError,
	})
	if err != nil {
		return err
	}
	defer s.Close()
	// Beside the trace: that disk needs room for it anyway.
	dir, err := r.createDir(args, sockets)
	if err != nil {
		return err
	}
	keep, err := r.recordInto(ctx, s, dir, args, options)
	return r.leave(dir, keep, err)
}

// leave ends a recording. keep means that the directory has the only copy of some data, which err is about.
func (a *app) leave(dir *recording.Directory, keep bool, err error) error {
	if dir.Aside != "" {
		fmt.Fprintln(a.stderr, "tracex: the trace that was there before is "+dir.Aside)
	}
	if keep {
		if fault := dir.Close(); fault != nil {
			return errors.Join(err, fault)
		}
		return err
	}
	if fault := dir.Remove(); fault != nil {
		a.remark("cannot clean up", fault)
	}
	return err
}

// checkOutput checks, before the program runs, that the trace can be written. A trace that is there, and goes
// aside, is completed first if its recording was killed.
func (r *recordCommand) checkOutput(ctx context.Context) error {
	if err := r.checkRecording(ctx); err != nil {
		return err
	}
	for _, suffix := range tracefile.Suffixes {
		if err := tracefile.Check(r.output+suffix, true); err != nil {
			return err
		}
	}
	if r.force {
		return nil
	}
	return checkAside(r.output)
}

// checkRecording checks that there is no other recording for the output.
func (r *recordCommand) checkRecording(ctx context.Context) error {
	if err := refuseStdout(r.output); err != nil {
		return err
	}
	if r.force {
		return nil
	}
	_, err := recording.State(r.output)
	if errors.Is(err, recording.ErrUnfinished) || err == nil && errors.Is(recorder.CheckEnded(r.output), recorder.ErrUnfinished) {
		finish(ctx, r.app, r.output, true)
		_, err = recording.State(r.output)
	}
	if err != nil {
		return r.unendedError(err)
	}
	return nil
}

// checkFiles checks that the files of a trace that is no recording can be written.
func (r *recordCommand) checkFiles() error {
	for _, suffix := range slices.Backward(tracefile.Suffixes) { // the data first: that is the name that the user knows
		if err := tracefile.Check(r.output+suffix, true); err != nil {
			return err
		}
		if _, err := os.Lstat(r.output + suffix); err == nil && !r.force {
			return &usageError{r.output + suffix + " already exists", "--force replaces it; -o names another file"}
		}
	}
	return nil
}

// recordInto records into a directory, and makes the trace. options are those of instrumented
// programs. keep means that the directory has the only copy of some data.
func (r *recordCommand) recordInto(ctx context.Context, s *service.Service, dir *recording.Directory, args []string, options string) (keep bool, err error) {
	live, err := newLiveConversion(r.output, dir)
	if err != nil {
		return false, tracefile.WriteError(r.output, err)
	}
	defer live.close()
	source := new(traceSource)
	live.files.may = func() error {
		if r.split {
			return errOtherSource // the traces are known only at the end
		}
		return source.takePackets(dir)
	}
	raws, err := newRawConversion(r, dir, false, source)
	if err != nil {
		return false, err
	}
	live.rest.ready = &raws.ready
	session, err := startRecording(s, live, r, dir)
	if err != nil {
		return false, err
	}
	failed := r.runProgram(ctx, dir, args, rawEnvironment(dir.Path(), options))
	var missing *usageError
	if errors.As(failed, &missing) {
		_, _ = session.stop(ctx) // nothing was recorded
		_, _ = raws.end(ctx, "")
		return false, failed
	}
	// From here on a signal must not lose the recording.
	ctx = context.WithoutCancel(ctx)
	had, err := session.stop(ctx)
	if err == nil && r.finishRecorders(dir.Path(), r.output, live, r.remark) {
		had.anything = true
	}
	defer r.explainSignals(os.Exit)()
	packets := ""
	if err == nil && had.anything && source.settle(dir) {
		// This writes waiting packets to the spool.
		if _, _, err = live.end(ctx); errors.Is(err, errOtherSource) || errors.Is(err, perfetto.ErrNoCalls) {
			packets, err = dir.Spool(), nil
		}
	}
	endRunning(dir.Path(), r.say)
	made, fault := raws.end(ctx, packets)
	switch {
	case fault != nil:
		return true, withHint(errors.Join(err, raws.files.writeError(fault)), "the recording is kept in "+dir.Path()+"; tracex convert makes a trace from it")
	case err != nil:
		err = errors.Join(err, r.salvage(ctx, dir, live))
		keep, err = r.keepBoth(dir, live, made.Summary == nil, err)
		return keep, live.ownStatus(r.app, err, failed)
	case !had.anything && made.Summary == nil:
		return false, had.nothing(args[0])
	}
	return r.makeEither(ctx, dir, live, recorded{had, made, packets, failed})
}

// ownStatus reports that a trace could not grow as far as it should for lack of room, and returns how the
// program ended: that is the exit status. It returns any other error.
func (l *liveConversion) ownStatus(a *app, err, failed error) error {
	if !l.Begun() || !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EFBIG) && !errors.Is(err, syscall.EDQUOT) {
		return err
	}
	report(a.stderr, err)
	return failed
}

// makeTrace completes the trace of packets, and adds raw files. After an error, what is not in it is in the
// directory.
func (r *recordCommand) makeTrace(ctx context.Context, dir *recording.Directory, live *liveConversion) error {
	result, damage, err := live.end(ctx)
	switch {
	case errors.Is(err, perfetto.ErrNoCalls), errors.Is(err, errOtherSource): // which had no calls
		made, damage, err := r.conversion(dir).Packets(ctx, dir.Spool())
		if err != nil {
			return err
		}
		return errors.Join(r.report(r.output, made), damage)
	case err == nil && live.raws.added():
		r.tellRecorded(&rawTrace{Summary: live.raws.made, own: result})
		return damage
	case err == nil:
		return errors.Join(r.report(r.output, result), damage)
	}
	return live.files.writeError(errors.Join(err, r.salvage(ctx, dir, live)))
}

// conversion makes the trace of packets. dir claims its place; nil if this is no recording.
func (r *recordCommand) conversion(dir *recording.Directory) *importer.Conversion {
	c := r.app.conversion(r.output, r.force, r.version)
	if dir != nil {
		c.Dir, c.Claim = dir.Path(), func() (restore func(), err error) { return claim(dir, r.output) }
	}
	return c
}

// report says what was made to standard error: standard output is the program's.
func (r *recordCommand) report(output string, made *importer.Result) error {
	beside := *r.app
	beside.stdout = r.stderr
	return beside.reportMade(output, made)
}

// salvage ends a trace that could not grow, if it was begun.
func (r *recordCommand) salvage(ctx context.Context, dir *recording.Directory, live *liveConversion) error {
	if !live.Begun() {
		return nil
	}
	result, err := live.salvage(ctx, dir)
	if err == nil {
		err = r.report(r.output, result)
	}
	return err
}

// createDir creates the directory that holds the recording until it is a trace.
func (r *recordCommand) createDir(args []string, sockets string) (*recording.Directory, error) {
	about := recording.About{PID: os.Getpid(), Command: args, Begun: time.Now(), Replace: r.force, Sockets: sockets, FormatVersion: int(r.version), Split: r.split}
	dir, err := recording.Create(r.output, about)
	if errors.Is(err, recording.ErrUnfinished) && r.force {
		left, taken := recording.Take(r.output)
		if taken == nil {
			taken = left.Remove()
		}
		if taken != nil {
			return nil, taken
		}
		dir, err = recording.Create(r.output, about)
	}
	if err != nil {
		return nil, r.unendedError(err)
	}
	return dir, nil
}

// unendedError turns an error about a recording's directory into one about the output.
func (r *recordCommand) unendedError(err error) error {
	switch {
	case errors.Is(err, recording.ErrUnfinished):
		return &usageError{r.output + recording.Suffix + " holds an earlier recording whose trace cannot be completed",
			"--force discards it; -o names another file"}
	case errors.Is(err, recording.ErrRecording), errors.Is(err, recording.ErrFinishing):
		return withHint(fmt.Errorf("%s: %w", r.output, err), "-o names another file")
	}
	return tracefile.WriteError(r.output, err)
}

// keepRaw renames the recording so that it is not hidden, to the first name that is free, and returns its
// path.
func keepRaw(path, output string) string { return keepBeside(path, output, ".pftrace") }

// keepLive is keepRaw for the live file of a program, and what the program wrote beside it.
func keepLive(path, output string) string {
	if unsent := path + shared.UnsentSuffix; exists(unsent) {
		keepBeside(unsent, output, ".unread"+recorder.LiveSuffix+shared.UnsentSuffix)
	}
	return keepBeside(path, output, ".unread"+recorder.LiveSuffix)
}

// keepBeside gives a file a name beside a trace, the first that is free, and returns it; its own path if that is not
// possible.
func keepBeside(path, output, suffix string) string {
	to := output + suffix
	for n := 2; n < 1000; n++ {
		err := os.Link(path, to) // unlike Rename, Link never replaces a file
		if err == nil {
			return to
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
		to = fmt.Sprintf("%s.%d%s", output, n, suffix)
	}
	return path
}
