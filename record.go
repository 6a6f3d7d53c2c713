package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"google.golang.org/protobuf/proto"

	"tracex/recorder"
	"tracex/recorder/ipc"
	"tracex/recorder/perfetto"
	"tracex/recorder/service"
)

// recordFlags are the flags of record.
type recordFlags struct {
	output     string
	force      bool
	buffer     byteSize
	categories []string
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
	c.RunE = func(c *cobra.Command, args []string) error { return a.record(c.Context(), f, args) }
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
	dir, err := socketFolder("tracex-record-")
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
	raw, err := os.CreateTemp(filepath.Dir(f.output), "."+filepath.Base(f.output)+"-*.pftrace")
	if err != nil {
		return placeError(f.output, err)
	}
	keep := false
	defer func() {
		raw.Close()
		if !keep {
			os.Remove(raw.Name())
		}
	}()
	kept := func(err error) error {
		keep = true
		return withHint(err, "what was recorded is in "+keepRaw(raw.Name(), f.output)+", for tracex convert")
	}
	recording, err := startRecording(ctx, filepath.Join(dir, "consumers"), raw, f)
	if err != nil {
		return err
	}
	failed := a.runRecorded(ctx, dir, args)
	var missing *usageError
	if errors.As(failed, &missing) {
		return failed
	}
	// From here on a signal is no reason to lose what there is.
	ctx = context.WithoutCancel(ctx)
	recorded, err := recording.stop(ctx)
	if err == nil {
		recorded, err = a.finishRecorders(dir, raw, recorded)
	}
	switch {
	case err != nil:
		return kept(err)
	case !recorded:
		err := errors.New(args[0] + " recorded nothing: there is no trace")
		return withHint(err, "a program records if it has Perfetto's client library or tracex's recorder, and runs until it is connected")
	}
	// Standard output is the program's.
	beside := *a
	beside.stdout = a.stderr
	if err := beside.convert(ctx, raw.Name(), f.output, f.force); err != nil {
		return kept(err)
	}
	return failed
}

// finishRecorders adds to what was recorded what recorders of programs that ended
// without a word had not sent. recorded says that there is anything.
func (a *app) finishRecorders(dir string, raw *os.File, recorded bool) (bool, error) {
	left, err := filepath.Glob(filepath.Join(dir, "*"+recorder.LiveSuffix))
	if err != nil {
		return recorded, err
	}
	for _, path := range left {
		if _, err := raw.Seek(0, io.SeekEnd); err != nil {
			return recorded, err
		}
		done, err := recorder.FinishShared(path, raw)
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
	return recorded, nil
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
	_ = os.Remove(path) // a second name does no harm
	return to
}

// childExit is the status of a program that was run, where it is not 0. The
// program itself said why.
type childExit int

func (e childExit) Error() string { return fmt.Sprintf("the program ended with status %d", int(e)) }

// runRecorded runs the program to its end, with the service's sockets in its
// environment.
func (a *app) runRecorded(ctx context.Context, dir string, args []string) error {
	c := exec.Command(args[0], args[1:]...)
	c.Stdin, c.Stdout, c.Stderr = a.stdin, a.stdout, a.stderr
	c.Env = append(os.Environ(),
		ipc.ProducerVariable+"="+filepath.Join(dir, "producers"),
		ipc.ConsumerVariable+"="+filepath.Join(dir, "consumers"),
		recorder.LiveFolder+"="+dir)
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

// recording is a session of the private service.
type recording struct {
	port  *ipc.Binding
	end   chan error
	close func()
}

// startRecording starts a session that is written into a file.
func startRecording(ctx context.Context, address string, to *os.File, f recordFlags) (*recording, error) {
	client, err := ipc.Dial(ctx, address, ipc.Options{})
	if err != nil {
		return nil, err
	}
	port, err := client.Bind(ctx, "ConsumerPort")
	if err != nil {
		client.Close()
		return nil, err
	}
	r := &recording{port: port, end: make(chan error, 1), close: client.Close}
	err = port.CallFile("EnableTracing", &perfetto.EnableTracingRequest{TraceConfig: recordConfig(f)}, to, func(reply ipc.Reply) {
		m := new(perfetto.EnableTracingResponse)
		err := reply.Decode(m)
		if err == nil && m.GetError() != "" {
			err = errors.New(m.GetError())
		}
		r.end <- err
	})
	if err == nil {
		// The answer shows that the session is there, before the program is.
		err = port.Invoke(ctx, "QueryCapabilities", &perfetto.QueryCapabilitiesRequest{}, nil)
	}
	if err != nil {
		client.Close()
		return nil, err
	}
	return r, nil
}

// recordConfig asks for all that a program can record.
func recordConfig(f recordFlags) *perfetto.TraceConfig {
	// Perfetto's library begins to trace before it is connected if a session's
	// categories will be those that it was told: "*" says what none would.
	events := &perfetto.DataSourceConfig{
		Name:             proto.String("track_event"),
		TrackEventConfig: &perfetto.TrackEventConfig{EnabledCategories: []string{"*"}},
	}
	if len(f.categories) > 0 {
		events.TrackEventConfig = &perfetto.TrackEventConfig{EnabledCategories: f.categories, DisabledCategories: []string{"*"}}
	}
	// Clearing has Perfetto's library say names and tracks again, which all that
	// follows upon a loss would lack else.
	const flushEvery, clearEvery, writeEvery = time.Second, time.Second, 250 * time.Millisecond
	return &perfetto.TraceConfig{
		Buffers: []*perfetto.TraceConfig_BufferConfig{{
			SizeKb:     proto.Uint32(uint32(max(int64(f.buffer)>>10, 64))),
			FillPolicy: perfetto.TraceConfig_BufferConfig_RING_BUFFER.Enum(),
		}},
		DataSources: []*perfetto.TraceConfig_DataSource{
			{Config: events},
			{Config: &perfetto.DataSourceConfig{Name: proto.String("tracex.calls")}},
		},
		WriteIntoFile:     proto.Bool(true),
		FileWritePeriodMs: proto.Uint32(uint32(writeEvery / time.Millisecond)),
		FlushPeriodMs:     proto.Uint32(uint32(flushEvery / time.Millisecond)),
		WriteFlushMode:    perfetto.TraceConfig_WRITE_FLUSH_DISABLED.Enum(), // besides these
		IncrementalStateConfig: &perfetto.TraceConfig_IncrementalStateConfig{
			ClearPeriodMs: proto.Uint32(uint32(clearEvery / time.Millisecond)),
		},
	}
}

// stop ends the session: when it returns, the file has all of it. It reports
// whether a program wrote anything.
func (r *recording) stop(ctx context.Context) (recorded bool, err error) {
	defer r.close()
	// A program that is gone has nothing to flush: an error says no more.
	_ = r.port.Invoke(ctx, "Flush", &perfetto.FlushRequest{TimeoutMs: proto.Uint32(2000)}, nil)
	if err := r.port.Invoke(ctx, "DisableTracing", &perfetto.DisableTracingRequest{}, nil); err != nil {
		return false, err
	}
	if err := <-r.end; err != nil {
		return false, err
	}
	var answer perfetto.GetTraceStatsResponse
	if err := r.port.Invoke(ctx, "GetTraceStats", &perfetto.GetTraceStatsRequest{}, &answer); err != nil {
		return false, err
	}
	for _, b := range answer.GetTraceStats().GetBufferStats() {
		recorded = recorded || b.GetChunksWritten() > 0
	}
	return recorded, nil
}
