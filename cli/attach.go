package cli

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tracex/recorder/instrument"
	"tracex/recorder/instrument/control"
	"tracex/recorder/recording"
)

// attachCommand is the command attach.
type attachCommand struct {
	*app
	recordFlags
	length time.Duration
}

func newAttachCommand(a *app) *cobra.Command {
	t := &attachCommand{app: a}
	c := &cobra.Command{
		Use:   "attach [flags] PID",
		Short: "Record a running program for a while",
		Long: "Record the calls of a running program that tracex build has made, for the time of --for, or until Ctrl-C or the end of the program. " +
			"Calls that had begun before are not in the trace. Only the program's user, and root, can do that.",
		Example: `tracex attach --for 10s 4711
tracex open trace.bin`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{"attach takes the id of one process", "tracex attach --for 10s PID"}
			}
			return nil
		},
	}
	flags := c.Flags()
	t.recordFlags.add(c, "27")
	flags.DurationVar(&t.length, "for", 0, "how long to record, such as 10s")
	flags.BoolVar(&t.keepRaws, "keep-raw", false, "keep what the program wrote")
	markShared(flags, goMark, map[string]string{"keep-raw": ""})
	c.RunE = func(c *cobra.Command, args []string) error {
		pid, err := strconv.Atoi(args[0])
		if err != nil || pid <= 0 {
			return &usageError{fmt.Sprintf("%q is not the id of a process", args[0]), "pidof NAME, or pgrep NAME, prints it"}
		}
		return t.run(c.Context(), pid)
	}
	return c
}

func (t *attachCommand) run(ctx context.Context, pid int) error {
	if err := t.calls.check(); err != nil {
		return err
	}
	p, err := control.Find(pid)
	if err != nil {
		return attachError(pid, err)
	}
	defer p.Close()
	s, err := t.begin(ctx, t.app, recording.Options{Kind: recording.Attached, Command: []string{strconv.Itoa(pid)}})
	if err != nil {
		return err
	}
	err = t.end(s, t.attachInto(ctx, p, s))
	if err != nil && ctx.Err() != nil { // the command ends with the signal instead of the error
		report(t.stderr, err)
	}
	return err
}

// attachInto records into a session.
func (t *attachCommand) attachInto(ctx context.Context, p *control.Program, s *recording.Session) error {
	if err := p.Own(s.Folder()); err != nil {
		return err
	}
	if err := s.Start(false); err != nil {
		return err
	}
	until, ends := fmt.Sprintf("recording process %d", p.PID), "Ctrl-C ends it"
	if t.length > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, t.length)
		defer stop()
		until, ends = fmt.Sprintf("%s for %v", until, t.length), "Ctrl-C ends it earlier"
	}
	begun := p.Begin(ctx, s.Folder(), s.RawOptions())
	if begun == nil {
		t.say(fmt.Sprintf("%s (%s)", until, ends))
		t.await(ctx, p, s)
		patience, stop := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
		begun = p.End(patience)
		stop()
	}
	defer t.explainSignals(t.output, os.Exit)()
	ctx = context.WithoutCancel(ctx)
	if begun != nil {
		s.Abandon(ctx)
		return attachError(p.PID, begun)
	}
	err := s.Convert(ctx)
	if err == nil {
		err = s.Complete(ctx)
	}
	var nothing *recording.NothingError
	if !errors.As(err, &nothing) {
		return recordError(err)
	}
	if err := lostEverything(nothing.Summary); err != nil {
		return err
	}
	return withHint(errors.New("no trace written: no recorded function was called"), "is --only or --skip too narrow, or --for too short?")
}

const (
	// endPatience is how long a program may take to notice that it is no longer recorded. What it
	// does then is not in the trace anyway.
	endPatience = 200 * time.Millisecond
	// awaitEvery is how often await checks whether the program still records.
	awaitEvery = 50 * time.Millisecond
	// afterUntil is how long it records after what --until names has happened.
	afterUntil = 200 * time.Millisecond
)

// await waits until the time is over, or what --until names has happened, or the program has ended or can record no more.
func (t *attachCommand) await(ctx context.Context, p *control.Program, s *recording.Session) {
	tick := time.NewTicker(awaitEvery)
	defer tick.Stop()
	for happened := false; p.Alive() && p.Recording(); {
		if !happened && len(t.calls.Until) > 0 && s.Happened() {
			var stop context.CancelFunc
			ctx, stop = context.WithTimeout(ctx, afterUntil)
			defer stop()
			happened = true
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// attachError adds advice to an error about a process.
func attachError(pid int, err error) error {
	what := fmt.Errorf("process %d: %w", pid, err)
	switch {
	case errors.Is(err, control.ErrNoProcess):
		return withHint(what, "pidof NAME, or pgrep NAME, prints the id of a process")
	case errors.Is(err, control.ErrNotBuilt):
		return notBuiltError(pid)
	case errors.Is(err, control.ErrDenied):
		return withHint(what, "run tracex attach as the program's user")
	case errors.Is(err, control.ErrBusy):
		return withHint(what, "another tracex attach or tracex record records it")
	case errors.Is(err, control.ErrQuiet):
		return withHint(what, "it may be waiting for something; a longer --for may help")
	}
	return what
}

// notBuiltError says what a process is that has no control file.
func notBuiltError(pid int) error {
	proc := fmt.Sprintf("/proc/%d", pid)
	what := fmt.Sprintf("process %d", pid)
	if name, err := os.ReadFile(proc + "/comm"); err == nil {
		what += " (" + strings.TrimSpace(string(name)) + ")"
	}
	const makes = "tracex build -o PROGRAM ./cmd/x makes one that can be recorded"
	info, err := buildinfo.ReadFile(proc + "/exe")
	switch {
	case errors.Is(err, fs.ErrPermission), errors.Is(err, fs.ErrNotExist): // not even that can be known
		return withHint(fmt.Errorf("%s was %w", what, errNotBuilt), makes)
	case err != nil:
		return withHint(fmt.Errorf("%s is no Go program, and was %w", what, errNotBuilt), makes+"; for other languages see docs/exchange.md")
	case instrument.Built(proc + "/exe"):
		return withHint(fmt.Errorf("%s was made by tracex build, but has no file by which it can be reached", what),
			"TRACEX_CONTROL=0 in its environment switches that off; or the file, below $XDG_RUNTIME_DIR/tracex or /tmp/tracex-UID, could not be made, or was removed")
	}
	return withHint(fmt.Errorf("%s is a Go program (%s) that was %w", what, info.GoVersion, errNotBuilt), makes)
}

var errNotBuilt = errors.New("not made by tracex build")
