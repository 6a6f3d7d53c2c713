package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder"
	"tracex/recorder/perfetto/service"
	"tracex/recorder/recording"
)

// recordCommand is the command record with its flags.
type recordCommand struct {
	*app
	output     string
	force      bool
	buffer     byteSize
	categories []string
	version    formatVersion
}

func newRecordCommand(a *app) *cobra.Command {
	r := &recordCommand{app: a, buffer: 64 << 20}
	c := &cobra.Command{
		Use:   "record [flags] COMMAND",
		Short: "Run a program and record its calls and events",
		Long: "Run a program with a private tracing service, to which tracex's recorder and Perfetto's client libraries " +
			"connect, and write a trace when the program ends, even if it crashes. A Go program connects if one of its " +
			"files imports _ \"tracex/recorder/shared\"",
		Example: `tracex record -o trace.bin -- ./program --its-flag
tracex open trace.bin`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{"record which program?", "tracex record -o trace.bin -- COMMAND [ARGUMENT...]"}
			}
			return nil
		},
	}
	flags := c.Flags()
	flags.SetInterspersed(false)
	flags.StringVarP(&r.output, "output", "o", "trace.bin", "data file of the trace")
	flags.BoolVar(&r.force, "force", false, "replace existing files")
	flags.Var(&r.buffer, "buffer", "memory for data not yet written to disk")
	flags.StringArrayVar(&r.categories, "category", nil, "only categories that match, such as 'net*'; repeatable")
	flags.Var(&r.version, "format-version", "format version; else $"+recorder.FormatVariable+" or 27")
	completeVersion(c, "format-version")
	c.RunE = func(c *cobra.Command, args []string) error {
		if named := os.Getenv(recorder.FormatVariable); r.version == 0 && named != "" {
			if err := r.version.Set(named); err != nil {
				return &usageError{recorder.FormatVariable + "=" + named + ": " + err.Error(), "--format-version overrides the variable"}
			}
		}
		return r.run(c.Context(), args)
	}
	return c
}

// run runs a program and makes a trace from the recording. It returns a childExit if the
// program failed.
func (r *recordCommand) run(ctx context.Context, args []string) error {
	if err := r.checkOutput(); err != nil {
		return err
	}
	sockets, err := socketFolder(recording.SocketsPrefix)
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
	folder, err := r.createFolder(args, sockets)
	if err != nil {
		return err
	}
	keep, err := r.recordInto(ctx, s, folder, args)
	if keep {
		return errors.Join(err, folder.Close())
	}
	if fault := folder.Remove(); fault != nil {
		r.remark("not removed", fault)
	}
	return err
}

// checkOutput checks, before the program runs, that the trace can be written.
func (r *recordCommand) checkOutput() error {
	if err := refuseStdout(r.output); err != nil {
		return err
	}
	for _, suffix := range traceSuffixes {
		if err := tracefile.Check(r.output+suffix, true); err != nil {
			return err
		}
		if _, err := os.Lstat(r.output + suffix); err == nil && !r.force {
			return &usageError{r.output + suffix + " already exists", "--force replaces it; -o names another file"}
		}
	}
	return nil
}

// recordInto records into a directory, and makes the trace. keep means that the directory has
// the only copy of some data.
func (r *recordCommand) recordInto(ctx context.Context, s *service.Service, folder *recording.Folder, args []string) (keep bool, err error) {
	raw, err := os.OpenFile(folder.Spool(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, tracefile.WriteError(r.output, err)
	}
	defer raw.Close()
	session, err := startRecording(s, raw, r)
	if err != nil {
		return false, err
	}
	failed := r.runProgram(ctx, folder, args)
	var missing *usageError
	if errors.As(failed, &missing) {
		return false, failed
	}
	// From here on a signal must not lose the recording.
	ctx = context.WithoutCancel(ctx)
	had, err := session.stop(ctx)
	if err == nil && r.finishRecorders(folder.Path(), raw) {
		had.anything = true
	}
	if err == nil && !had.anything {
		return false, had.nothing(args[0])
	}
	if err == nil {
		// Standard output is the program's.
		beside := *r.app
		beside.stdout = r.stderr
		made := conversion{app: &beside, output: r.output, force: r.force, version: format.Version(r.version)}
		err = made.run(ctx, raw.Name())
	}
	if err != nil {
		at := keepRaw(raw.Name(), r.output)
		return at == raw.Name(), withHint(err, "the recording is kept in "+at+"; tracex convert makes a trace from it")
	}
	return false, failed
}

// createFolder creates the directory that holds the recording until it is a trace.
func (r *recordCommand) createFolder(args []string, sockets string) (*recording.Folder, error) {
	about := recording.About{PID: os.Getpid(), Command: args, Begun: time.Now(), Replace: r.force, Sockets: sockets, FormatVersion: int(r.version)}
	folder, err := recording.Create(r.output, about)
	if errors.Is(err, recording.ErrLeft) && r.force {
		left, taken := recording.Take(r.output)
		if taken == nil {
			taken = left.Remove()
		}
		if taken != nil {
			return nil, taken
		}
		folder, err = recording.Create(r.output, about)
	}
	switch {
	case errors.Is(err, recording.ErrLeft):
		return nil, &usageError{r.output + recording.Suffix + " holds an earlier recording whose trace was never made",
			"tracex info " + r.output + " makes it; --force discards it; -o names another file"}
	case errors.Is(err, recording.ErrRecording), errors.Is(err, recording.ErrFinishing):
		return nil, withHint(fmt.Errorf("%s: %w", r.output, err), "-o names another file")
	case err != nil:
		return nil, tracefile.WriteError(r.output, err)
	}
	return folder, nil
}

// keepRaw renames the recording so that it is not hidden, and returns its path.
func keepRaw(path, output string) string {
	to := output + ".pftrace"
	if os.Link(path, to) != nil { // unlike Rename, Link never replaces a file
		return path
	}
	return to
}
