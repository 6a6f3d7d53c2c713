package cli

import (
	"context"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"tracex/recorder/instrument"
	"tracex/recorder/instrument/wrapper"
)

// buildCommand is the command build.
type buildCommand struct {
	*app
	buildFlags
	output  string
	verbose bool
	command string
}

func newBuildCommand(a *app) *cobra.Command {
	b := &buildCommand{app: a}
	c := &cobra.Command{
		Use:   "build [flags] [PACKAGE]...",
		Short: "Build a Go program that can record",
		Long: "Build a Go program, like go build, that can record each of its calls with arguments and results. " +
			"It does so from its start under tracex record, and for a while when tracex attach asks it to. " +
			"While it does not record, a call costs a few nanoseconds more. Flags of go build follow --.",
		Example: `tracex build -o server ./cmd/server
tracex record -- ./server           # from its start
tracex attach --for 10s "$(pidof server)"`,
		Args: cobra.ArbitraryArgs,
	}
	flags := c.Flags()
	flags.StringVarP(&b.output, "output", "o", "", "file or folder for the program, as in go build")
	b.add(flags)
	flags.BoolVarP(&b.verbose, "verbose", "v", false, "tell what is instrumented, and what is not and why")
	flags.StringVar(&b.command, "go", "go", "the go command to build with")
	c.RunE = func(c *cobra.Command, args []string) error { return b.run(c.Context(), c.ArgsLenAtDash(), args) }
	return c
}

func (b *buildCommand) run(ctx context.Context, dash int, args []string) error {
	command := []string{b.command, "build"}
	if b.output != "" {
		command = append(command, "-o", b.output)
	}
	if dash >= 0 {
		command = append(command, args[dash:]...)
		args = args[:dash]
	}
	command = append(command, args...)
	o := b.options()
	if b.verbose {
		var err error
		if o.Report, err = os.MkdirTemp("", "tracex-build-"); err != nil {
			return err
		}
		defer os.RemoveAll(o.Report)
	}
	plan, err := planned(ctx, command, false, o)
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, plan.Args[0], plan.Args[1:]...)
	c.Stdin, c.Stdout, c.Stderr = b.stdin, b.stdout, b.stderr
	c.Env = append(os.Environ(), plan.Env...)
	failed := exitOf(c.Run())
	if b.verbose {
		built, err := wrapper.ReadReports(o.Report)
		if err != nil {
			b.remark("cannot tell what was instrumented", err)
		}
		b.tellBuilt(built)
	}
	return failed
}

// planned makes the tools for a go command, or, with inside, for a command that runs go, and the command that uses them.
func planned(ctx context.Context, command []string, inside bool, o instrument.Options) (*instrument.Plan, error) {
	goCommand, plan := command, instrument.Make
	if inside {
		goCommand, plan = []string{"go"}, instrument.Inside
	}
	toolchain, err := instrument.FindToolchain(ctx, goCommand)
	if err != nil {
		return nil, err
	}
	tools, err := instrument.MakeTools(ctx, toolchain)
	if err != nil {
		return nil, err
	}
	return plan(ctx, toolchain, tools, command, o)
}
