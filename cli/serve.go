package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tracex/recorder/perfetto/ipc"
	"tracex/recorder/perfetto/service"
)

func (a *app) serveCommand() *cobra.Command {
	var producers, consumers string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run a tracing service, to which programs connect",
		Long: "Run a tracing service that speaks Perfetto's protocol: programs connect to it and offer what they can " +
			"record, and consumers, such as the command perfetto, record it. It runs until it is stopped. " +
			"The sockets are those that $" + ipc.ProducerVariable + " and $" + ipc.ConsumerVariable + " name, or Perfetto's own.",
		Example: `tracex serve                          # at the usual places
tracex serve --producers /tmp/p --consumers /tmp/c`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := c.Flags()
	flags.StringVar(&producers, "producers", "", "socket for programs")
	flags.StringVar(&consumers, "consumers", "", "socket for consumers")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if producers == "" {
			producers = ipc.ProducerAddress()
		}
		if consumers == "" {
			consumers = ipc.ConsumerAddress()
		}
		return a.serve(c.Context(), producers, consumers)
	}
	return c
}

// noArguments checks that a command was given none.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return &usageError{c.CommandPath() + " takes no arguments", "there are: " + strings.Join(args, " ")}
}

// serve runs a service until the program is told to stop, which is its ordinary
// end.
func (a *app) serve(ctx context.Context, producers, consumers string) error {
	s, err := service.Start(service.Config{
		Producers: producers, Consumers: consumers,
		OnError: func(err error) { fmt.Fprintf(a.stderr, "tracex: %s\n", printable(err.Error())) },
	})
	if err != nil {
		return withHint(err, "--producers and --consumers name other places")
	}
	at, from := s.Addresses()
	fmt.Fprintf(a.stderr, "programs connect to   %s\nconsumers connect to  %s\nCtrl-C ends the service\n",
		printable(strings.Join(at, ",")), printable(strings.Join(from, ",")))
	<-ctx.Done()
	return s.Close()
}
