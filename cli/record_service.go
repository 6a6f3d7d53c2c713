package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tracex/recorder/perfetto/consumer"
	"tracex/recorder/perfetto/messages"
	"tracex/recorder/perfetto/service"
	"tracex/recorder/recording"
)

const (
	// connectPatience is how long a running service may take to accept a connection, and a
	// session.
	connectPatience = 10 * time.Second
	// lastFlush is how long programs may take to commit what they have when a session is
	// ended from the keyboard.
	lastFlush = 5 * time.Second
)

// serviceFlags are the flags of record that go with --service: the config says what is
// recorded.
var serviceFlags = map[string]bool{"service": true, "output": true, "force": true, "keep-raw": true, "format-version": true}

// checkServiceFlags refuses flags of other recordings.
func checkServiceFlags(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		if err == nil && !serviceFlags[f.Name] && flags.Lookup(f.Name) == f {
			err = &usageError{"--" + f.Name + " does not go with --service", "the config says what is recorded"}
		}
	})
	return err
}

// serviceRecording is a recording that a running service makes.
type serviceRecording struct {
	*recordCommand
	service string // address of its socket for consumers; "" for the usual one
}

// run records as the command perfetto does: the session of a config, until it ends, or a
// signal ends it.
func (r *serviceRecording) run(ctx context.Context, path string) error {
	config, err := r.readConfig(path)
	if err != nil {
		return err
	}
	s, err := r.begin(ctx, r.app, recording.Options{Kind: recording.Elsewhere, Command: []string{"--service", r.service, path}})
	if err != nil {
		return err
	}
	patience, stop := context.WithTimeout(ctx, connectPatience)
	c, err := consumer.Connect(patience, r.service)
	stop()
	if err != nil {
		return r.end(s, withHint(err, "--service names the socket for consumers; tracex serve, or Perfetto's traced, is a service"))
	}
	defer c.Close()
	err = r.end(s, r.recordSession(ctx, c, s, config))
	if err != nil && ctx.Err() != nil { // the command ends with the signal instead of the error
		report(r.stderr, err)
	}
	return err
}

// recordSession records a session, and makes the trace.
func (r *serviceRecording) recordSession(ctx context.Context, c *consumer.Consumer, s *recording.Session, config *messages.TraceConfig) error {
	spool, err := os.OpenFile(s.Spool(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer spool.Close()
	var to *os.File
	if config.GetWriteIntoFile() {
		to = spool
	}
	// A signal that arrives meanwhile ends the session, not the attempt: programs may have
	// recorded something.
	patience, stop := context.WithTimeout(context.WithoutCancel(ctx), connectPatience)
	session, err := c.StartInto(patience, config, to)
	stop()
	if err != nil {
		return err
	}
	ends := "Ctrl-C ends it"
	if d := config.GetDurationMs(); d > 0 {
		ends = fmt.Sprintf("for %v; Ctrl-C ends it earlier", time.Duration(d)*time.Millisecond)
	}
	r.say(fmt.Sprintf("recording with the service at %s (%s)", cmp.Or(r.service, consumer.Address()), ends))
	ended := session.Wait(ctx)
	// From here on a signal must not lose the recording.
	defer r.explainSignals(r.output, os.Exit)()
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
		if err := session.Flush(ctx, lastFlush); err != nil {
			r.remark("the last events may be missing", err)
		}
		ended = session.Stop(ctx)
	}
	ctx = context.WithoutCancel(ctx)
	if to == nil && !errors.Is(ended, consumer.ErrDisconnected) {
		out := bufio.NewWriterSize(spool, 1<<20)
		ended = errors.Join(ended, session.Copy(ctx, out), out.Flush())
	}
	kept, err := s.CompleteSpool(ctx, sizeOf(spool) == 0, ended)
	if kept != "" {
		r.say("kept what the service recorded in " + kept)
	}
	return recordError(err)
}

// readConfig reads the config of a session, from standard input if path is "-".
func (r *serviceRecording) readConfig(path string) (*messages.TraceConfig, error) {
	var text []byte
	var err error
	if path == "-" {
		text, err = io.ReadAll(r.stdin)
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	config, err := consumer.ParseConfig(text)
	if err != nil {
		return nil, &usageError{path + ": " + message(err), "the config is what perfetto -c takes: a TraceConfig as text or encoded; encoded, it may have fields that are not known here"}
	}
	if config.GetOutputPath() != "" {
		return nil, &usageError{path + ": with output_path the service writes the trace elsewhere", "remove output_path; -o names the trace"}
	}
	return config, nil
}

func newServeCommand(a *app) *cobra.Command {
	var producers, consumers string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run a tracing service that programs connect to",
		Long: "Run a tracing service that speaks Perfetto's protocol, until it is interrupted. Programs connect and offer what " +
			"they can record; consumers, such as the command perfetto, record it. " +
			"The sockets are those in $" + service.ProducerVariable + " and $" + service.ConsumerVariable + ", or Perfetto's own.",
		Example: `tracex serve                          # at the usual sockets
tracex serve --producers /tmp/p --consumers /tmp/c`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := c.Flags()
	flags.StringVar(&producers, "producers", "", "socket for programs")
	flags.StringVar(&consumers, "consumers", "", "socket for consumers")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return serve(c.Context(), a, cmp.Or(producers, service.ProducerAddress()), cmp.Or(consumers, service.ConsumerAddress()))
	}
	return c
}

// serve runs a service until the program is told to stop, which is its ordinary end.
func serve(ctx context.Context, a *app, producers, consumers string) error {
	s, err := service.Start(service.Config{Producers: producers, Consumers: consumers, OnError: a.reportServiceError})
	if err != nil {
		return withHint(err, "--producers and --consumers name other sockets")
	}
	at, from := s.Addresses()
	fmt.Fprintf(a.stderr, "programs connect to   %s\nconsumers connect to  %s\nCtrl-C stops the service\n",
		printable(strings.Join(at, ",")), printable(strings.Join(from, ",")))
	<-ctx.Done()
	return s.Close()
}
