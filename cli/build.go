package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tracex/recorder/instrument"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/wrapper"
	"tracex/recorder/recording"
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
		plan = instrument.Inside
		if !instrument.IsInside(command) {
			goCommand = []string{"go"}
		}
	}
	toolchain, err := instrument.FindToolchain(ctx, goCommand)
	if err != nil {
		return nil, unsupported(err)
	}
	tools, err := instrument.MakeTools(ctx, toolchain)
	if err != nil {
		return nil, err
	}
	made, err := plan(ctx, toolchain, tools, command, o)
	return made, unsupported(err)
}

// unsupported adds to an error which programs can be recorded, if it says that some cannot.
func unsupported(err error) error {
	var u *instrument.Unsupported
	if errors.As(err, &u) {
		return withHint(err, u.Hint())
	}
	return err
}

// buildFlags are the flags that decide what is instrumented: a change of them compiles again.
type buildFlags struct {
	packages       []string
	tests, trivial bool
	waits          bool
}

// goMark marks flags for instrumented programs, with the name of the flag's argument. Help names
// them in few lines; tracex help go describes them.
const goMark = "go"

func (b *buildFlags) add(f *pflag.FlagSet) {
	f.StringArrayVarP(&b.packages, "packages", "p", nil, "packages to instrument, as patterns of go build: work (the main modules), std, net/http, example.com/x/...; repeatable. Default: work and those of the command line")
	f.BoolVar(&b.tests, "tests", true, "functions in test files, too")
	f.BoolVar(&b.trivial, "trivial", true, "small functions that call nothing, or only pass on their arguments, too")
	f.BoolVar(&b.waits, "waits", false, "where goroutines wait, for what, and for how long; Go's own packages are built once more for that")
	markShared(f, goMark, map[string]string{"packages": "PATTERN", "tests": "", "trivial": "", "waits": ""})
}

func (b *buildFlags) options() instrument.Options {
	return instrument.Options{Packages: b.packages, Tests: b.tests, Trivial: b.trivial, Waits: b.waits}
}

// callFlags are the flags that decide what an instrumented program records.
type callFlags struct{ recording.Calls }

func (c *callFlags) add(f *pflag.FlagSet) {
	f.StringArrayVar(&c.Only, "only", nil, "only these functions: 'shop.Open', 'shop.(*Order).Pay', 'shop.*', 'example.com/x/...'; repeatable")
	f.StringArrayVar(&c.Skip, "skip", nil, "not these functions; repeatable")
	f.IntVar(&c.Depth, "depth", 0, "pointers to follow into structs, at most 8; errors and panics have 1 at least")
	f.IntVar(&c.Strings, "strings", 64, "bytes to keep of a string, at most 255")
	f.IntVar(&c.Fields, "fields", 12, "fields to keep of a struct, at most 1000")
	f.IntVar(&c.Elements, "elements", 8, "elements to keep of slices, arrays and maps of strings, numbers or booleans, at most 255")
	f.IntVar(&c.Levels, "levels", 0, "leave out calls nested deeper, and count them")
	f.Var((*byteSize)(&c.Limit), "limit", "what a process may write to disk before it stops recording; default: 8GiB, and a third of what is free for all")
	f.Var((*lastFlag)(&c.Calls), "last", "keep only the newest calls: about so much of a process's data, or of so long, such as 5s")
	f.StringArrayVar(&c.Until, "until", nil, "stop a moment after the first such call, or after any panic: 'shop.Refund arg.amount>100 ret.err!=nil', panic; repeatable")
	f.StringArrayVar(&c.Each, "each", nil, "only the calls of a function, such as a handler, and what they call: trees of calls begin there; repeatable")
	f.DurationVar(&c.Slower, "slower", 0, "keep only trees of calls that took so long, such as 200ms")
	f.Var((*shareFlag)(&c.Sample), "sample", "record a part of the call trees, chosen by chance: 1%; a tree is what a goroutine calls from outside of recorded functions")
	f.BoolVar(&c.NoTimes, "no-times", false, "record no times")
	markShared(f, goMark, map[string]string{"only": "FUNC", "skip": "FUNC", "depth": "N", "strings": "N", "fields": "N", "elements": "N", "levels": "N", "limit": "SIZE", "last": "SIZE", "until": "WHAT", "each": "FUNC", "slower": "TIME", "sample": "N%", "no-times": ""})
}

// lastFlag is the flag --last: a size, or a duration.
type lastFlag recording.Calls

func (*lastFlag) Type() string { return "size" }

func (l *lastFlag) String() string {
	switch {
	case l.LastFor > 0:
		return l.LastFor.String()
	case l.Last > 0:
		return (*byteSize)(&l.Last).String()
	}
	return ""
}

// Set reads a size, or a duration that ends in seconds: 5m is a size.
func (l *lastFlag) Set(text string) error {
	l.Last, l.LastFor = 0, 0
	if d, err := time.ParseDuration(text); err == nil && d > 0 && strings.HasSuffix(text, "s") {
		l.LastFor = d
		return nil
	}
	if (*byteSize)(&l.Last).Set(text) != nil {
		return errors.New("expected a size such as 64MiB, or a duration in seconds such as 5s or 1m30s")
	}
	return nil
}

// shareFlag is the flag --sample: a part of a whole, in percent.
type shareFlag float64

func (*shareFlag) Type() string { return "share" }

func (s *shareFlag) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatFloat(100*float64(*s), 'g', -1, 64) + "%"
}

func (s *shareFlag) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	share, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !percent || !(share >= 1e-7 && share <= 100) {
		return errors.New("expected a share from 0.0000001% to 100%, such as 1%")
	}
	*s = shareFlag(share / 100)
	return nil
}

// check refuses values that would silently mean something else.
func (c *callFlags) check() error {
	for _, n := range []struct {
		name        string
		value, most int
	}{{"depth", c.Depth, 8}, {"strings", c.Strings, 255}, {"fields", c.Fields, 1000}, {"elements", c.Elements, 255}, {"levels", c.Levels, 1 << 30}} {
		if n.value < 0 || n.value > n.most {
			return &usageError{fmt.Sprintf("--%s is %d", n.name, n.value), fmt.Sprintf("it must be from 0 to %d", n.most)}
		}
	}
	if limit, least := byteSize(c.Limit), byteSize(raw.LeastLimit); limit > 0 && limit < least {
		return &usageError{"--limit is " + limit.String(), "it must be at least " + least.String() + ": that has room for the first calls and the newest"}
	}
	if c.Slower < 0 || c.Slower > 0 && (c.Last > 0 || c.LastFor > 0 || len(c.Until) > 0) {
		return &usageError{"--slower keeps trees of calls, whenever they were: it takes a time, and goes with neither --last nor --until", "--slower 200ms"}
	}
	if err := c.Check(); err != nil {
		return &usageError{"--until: " + err.Error(), "it takes a pattern of functions, such as 'shop.Refund', with conditions, such as 'shop.Refund arg.amount>100 ret.err!=nil', or panic"}
	}
	for _, p := range slices.Concat(c.Only, c.Skip, c.Each) {
		if p == "" || strings.ContainsAny(p, " \t\n") {
			return &usageError{fmt.Sprintf("%q is not a pattern of functions", p), "a pattern is one word, such as 'shop.(*Order).Pay', 'shop.*' or 'example.com/x/...'"}
		}
	}
	return nil
}
