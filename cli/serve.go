package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"tracex/recorder/perfetto/service"
)

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

// reportServiceError reports an error that does not stop a service.
func (a *app) reportServiceError(err error) {
	fmt.Fprintf(a.stderr, "tracex: %s\n", printable(message(err)))
}
