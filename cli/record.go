package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tracex/format"
	"tracex/recorder"
	"tracex/recorder/perfetto/ipc"
	"tracex/recorder/perfetto/service"
	"tracex/recorder/recording"
)

// recordFlags are the flags of record.
type recordFlags struct {
	output     string
	force      bool
	buffer     byteSize
	categories []string
	version    formatVersion
}

func (a *app) recordCommand() *cobra.Command {
	f := recordFlags{buffer: 64 << 20}
	c := &cobra.Command{
		Use:   "record COMMAND",
		Short: "Run a program and record what it traces",
		Long: "Run a program with a tracing service of its own, to which Perfetto's client libraries and tracex's recorder " +
			"connect, and leave a trace when it ends, however it ends",
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
	flags.StringVarP(&f.output, "output", "o", "trace.bin", "file of the data")
	flags.BoolVar(&f.force, "force", false, "replace files")
	flags.Var(&f.buffer, "buffer", "memory for what is not written yet")
	flags.StringArrayVar(&f.categories, "category", nil, "events of these categories alone, with *; may be repeated")
	flags.Var(&f.version, "format-version", "version of the format, else $"+recorder.FormatVariable+" or 27")
	completeVersion(c, "format-version")
	c.RunE = func(c *cobra.Command, args []string) error {
		if named := os.Getenv(recorder.FormatVariable); f.version == 0 && named != "" {
			if err := f.version.Set(named); err != nil {
				return &usageError{recorder.FormatVariable + "=" + named + ": " + err.Error(), "--format-version says another for this recording"}
			}
		}
		return a.record(c.Context(), f, args)
	}
	return c
}

// record runs a program and makes a trace of what it recorded. It returns a
// childExit if the program failed.
func (a *app) record(ctx context.Context, f recordFlags, args []string) error {
	if err := files(f.output); err != nil {
		return err
	}
	for _, suffix := range traceSuffixes {
		if err := placeable(f.output+suffix, true); err != nil {
			return err
		}
		if _, err := os.Lstat(f.output + suffix); err == nil && !f.force {
			return &usageError{f.output + suffix + " is there already", "--force replaces it; or name another place"}
		}
	}
	dir, err := socketFolder(recording.SocketsPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := service.Start(service.Config{
		Producers: filepath.Join(dir, "producers"), Consumers: filepath.Join(dir, "consumers"),
		OnError: func(err error) { fmt.Fprintf(a.stderr, "tracex: %s\n", printable(err.Error())) },
	})
	if err != nil {
		return err
	}
	defer s.Close()
	// Beside the trace, so that there is room where it is wanted.
	folder, err := recordingFolder(f, args, dir)
	if err != nil {
		return err
	}
	keep, err := a.recordInto(ctx, folder, f, args)
	if keep {
		return errors.Join(err, folder.Close())
	}
	if fault := folder.Remove(); fault != nil {
		a.remark("left behind", fault)
	}
	return err
}

// recordInto records into a folder, and makes the trace. keep says that the folder
// has what is nowhere else.
func (a *app) recordInto(ctx context.Context, folder *recording.Folder, f recordFlags, args []string) (keep bool, err error) {
	raw, err := os.OpenFile(folder.Spool(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return false, placeError(f.output, err)
	}
	defer raw.Close()
	session, err := startRecording(ctx, filepath.Join(folder.About.Sockets, "consumers"), raw, f)
	if err != nil {
		return false, err
	}
	failed := a.runRecorded(ctx, folder, args)
	var missing *usageError
	if errors.As(failed, &missing) {
		return false, failed
	}
	// From here on a signal is no reason to lose what there is.
	ctx = context.WithoutCancel(ctx)
	had, err := session.stop(ctx)
	if err == nil && a.finishRecorders(folder.Path(), raw) {
		had.anything = true
	}
	if err == nil && !had.anything {
		return false, had.nothing(args[0])
	}
	if err == nil {
		// Standard output is the program's.
		beside := *a
		beside.stdout = a.stderr
		err = beside.convert(ctx, raw.Name(), f.output, f.force, format.Version(f.version))
	}
	if err != nil {
		at := keepRaw(raw.Name(), f.output)
		return at == raw.Name(), withHint(err, "what was recorded is in "+at+", for tracex convert")
	}
	return false, failed
}

// recordingFolder makes the folder of a recording.
func recordingFolder(f recordFlags, args []string, sockets string) (*recording.Folder, error) {
	about := recording.About{PID: os.Getpid(), Command: args, Begun: time.Now(), Replace: f.force, Sockets: sockets, FormatVersion: int(f.version)}
	folder, err := recording.Create(f.output, about)
	if errors.Is(err, recording.ErrLeft) && f.force {
		left, taken := recording.Take(f.output)
		if taken == nil {
			taken = left.Remove()
		}
		if taken != nil {
			return nil, taken
		}
		folder, err = recording.Create(f.output, about)
	}
	switch {
	case errors.Is(err, recording.ErrLeft):
		return nil, &usageError{f.output + recording.Suffix + " has what an earlier recording left, which ended without making its trace",
			"tracex info " + f.output + " makes the trace; --force discards it; or name another place"}
	case errors.Is(err, recording.ErrRecording), errors.Is(err, recording.ErrFinishing):
		return nil, withHint(fmt.Errorf("%s: %w", f.output, err), "name another place")
	case err != nil:
		return nil, placeError(f.output, err)
	}
	return folder, nil
}

// finishRecorders adds to what was recorded what recorders of programs that ended
// without a word had not sent, and reports whether that is anything.
func (a *app) finishRecorders(dir string, raw *os.File) (recorded bool) {
	left, err := os.ReadDir(dir)
	if err != nil {
		a.remark("the last calls of programs may be missing", err)
	}
	for _, entry := range left {
		if !strings.HasSuffix(entry.Name(), recorder.LiveSuffix) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		done, err := recorder.Finished{}, error(nil)
		if _, err = raw.Seek(0, io.SeekEnd); err == nil {
			done, err = recorder.FinishShared(path, raw)
		}
		switch {
		case errors.Is(err, recorder.ErrRecording): // it goes on without us
		case err != nil:
			a.remark("the last calls of a program are missing", err)
		default:
			recorded = recorded || done.Bytes > 0
		}
		if done.Short > 0 {
			a.remark("of "+counted(done.Short, "thread"), errors.New("the last calls could not be recovered"))
		}
	}
	return recorded
}

// socketFolder makes a folder for the sockets of a service of our own, which are
// called producers and consumers. It is where temporary files are unless a
// socket's path would be too long there: it has at most 103 bytes on some systems.
func socketFolder(name string) (string, error) {
	const longest, short = 103, "/tmp"
	in := os.TempDir()
	if len(filepath.Join(in, name+"4294967295", "producers")) > longest {
		if _, err := os.Stat(short); err == nil {
			in = short
		}
	}
	return os.MkdirTemp(in, name)
}

// keepRaw gives what was recorded a name that is seen, and returns where it is.
func keepRaw(path, output string) string {
	to := output + ".pftrace"
	if os.Link(path, to) != nil { // unlike a renaming it replaces nothing
		return path
	}
	return to
}

// childExit is the status of a program that was run, where it is not 0. The
// program itself said why.
type childExit int

func (e childExit) Error() string { return fmt.Sprintf("the program ended with status %d", int(e)) }

// runRecorded runs the program to its end, with the service's sockets in its
// environment, the folder for live files, and the version that is wanted.
func (a *app) runRecorded(ctx context.Context, folder *recording.Folder, args []string) error {
	dir := folder.About.Sockets
	c := exec.Command(args[0], args[1:]...)
	c.Stdin, c.Stdout, c.Stderr = a.stdin, a.stdout, a.stderr
	c.Env = append(os.Environ(),
		ipc.ProducerVariable+"="+filepath.Join(dir, "producers"),
		ipc.ConsumerVariable+"="+filepath.Join(dir, "consumers"),
		recorder.LiveFolder+"="+folder.Path())
	if v := folder.About.FormatVersion; v != 0 {
		c.Env = append(c.Env, recorder.FormatVariable+"="+strconv.Itoa(v))
	}
	if err := c.Start(); err != nil {
		return &usageError{message(err), "COMMAND is a program as a shell finds it"}
	}
	done := context.AfterFunc(ctx, func() { a.passOn(c.Process, context.Cause(ctx)) })
	err := c.Wait()
	done()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return childExit(exitSignal + int(status.Signal()))
	}
	return childExit(exit.ExitCode())
}

// passOn gives the signal that tracex got to the program. An interrupt or a quit
// from the keyboard the terminal has given to both.
func (a *app) passOn(p *os.Process, cause error) {
	var stopped signalError
	if !errors.As(cause, &stopped) {
		stopped.signal = syscall.SIGTERM
	}
	if (stopped.signal == syscall.SIGINT || stopped.signal == syscall.SIGQUIT) && term.IsTerminal(int(a.stdin.Fd())) {
		return
	}
	_ = p.Signal(stopped.signal) // it may have ended
}
