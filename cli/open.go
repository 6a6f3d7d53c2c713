package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tracex/lazy"
	"tracex/ui"
)

// screenFlags are the flags of what draws a screen: open and demo.
type screenFlags struct {
	memory byteSize
	colour string
	look   ui.Options // but for its colour
	flags  *pflag.FlagSet
}

// add defines the flags.
func (f *screenFlags) add(flags *pflag.FlagSet) {
	f.flags = flags
	f.memory, f.colour = lazy.DefaultMemory, string(ui.ColorAuto)
	flags.BoolVar(&f.look.Raw, "raw", false, "all events as recorded, nothing folded")
	flags.Var(&f.memory, "memory", "memory budget for what is loaded")
	flags.StringArrayVar(&f.look.Source, "source", nil, "folder with sources (repeatable)")
	flags.StringVar(&f.colour, "color", f.colour, "when to use colours: auto, always or never")
	flags.BoolVar(&f.look.ASCII, "ascii", false, "draw ASCII only, as without a UTF-8 locale")
	flags.BoolVar(&f.look.NoMouse, "no-mouse", false, "disable the mouse")
}

// completeColour lets a shell complete what --color takes.
func completeColour(c *cobra.Command) {
	words := []cobra.Completion{string(ui.ColorAuto), string(ui.ColorAlways), string(ui.ColorNever)}
	if err := c.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is not there, or was given words twice
	}
}

// options checks the flags and returns how the screen is to look.
func (f *screenFlags) options() (ui.Options, error) {
	o := f.look
	o.Unicode = f.flags.Changed("ascii") && !o.ASCII
	switch o.Color = ui.Color(f.colour); o.Color {
	case ui.ColorAuto, ui.ColorAlways, ui.ColorNever:
	default:
		return o, &usageError{"--color is auto, always or never, not " + f.colour, ""}
	}
	for _, dir := range o.Source {
		if !isDir(dir) {
			return o, &usageError{"--source " + dir + " is no folder", ""}
		}
	}
	return o, nil
}

func (a *app) openCommand() *cobra.Command {
	f := new(screenFlags)
	noWrite, follow := false, false
	c := &cobra.Command{
		Use:   "open FILE",
		Short: "Explore a trace in the terminal",
		Example: `tracex trace.bin                       # same as tracex open trace.bin
tracex open --source src/main/java trace.bin
tracex open --memory 64MiB --no-write huge.bin
tracex open --follow trace.bin         # while it is being recorded`,
		Args: a.oneTrace,
	}
	f.add(c.Flags())
	completeColour(c)
	c.Flags().BoolVar(&noWrite, "no-write", false, "write no index file")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "show what is being recorded, as it comes")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		look, err := f.options()
		if err != nil {
			return err
		}
		look.Follow = follow
		return a.explore(ctx, path, lazy.Options{Memory: int64(f.memory), NoWrite: noWrite, Follow: follow}, look)
	})
	return c
}

// explore shows a trace until the person leaves it. Without a terminal it tells
// what is wrong with the trace, if anything, or that a terminal is needed.
func (a *app) explore(ctx context.Context, path string, o lazy.Options, look ui.Options) (err error) {
	if missing := a.missing(); missing != "" {
		return a.noTerminal(missing, path, o)
	}
	in, err := a.openToExplore(ctx, path, o)
	if err != nil {
		return err
	}
	defer in.close()
	defer func() { err = in.blame(errors.Join(err, in.fault())) }()
	if in.rest != nil {
		o.Ended, o.Unended = in.rest.told, in.rest.unended
	}
	switch { // where the files are our own nothing comes any more
	case in.dir != "" && in.rest != nil:
		o.NoWrite, look.Path = true, in.name
	case in.dir != "":
		o.NoWrite, look.Name = true, in.name
	default:
		o.Finish = in.rest.more
	}
	r, err := lazy.Open(in.path, o)
	if err != nil {
		return a.openHint(path, err)
	}
	defer r.Close()
	in.spool(r.Unfollow)
	return ui.Run(ctx, r, look)
}

// openToExplore opens what the argument names; of a trace that is followed, what
// there is of it.
func (a *app) openToExplore(ctx context.Context, path string, o lazy.Options) (*input, error) {
	if !o.Follow {
		return a.openWhole(ctx, path, !o.NoWrite)
	}
	in, err := a.openGrowing(ctx, path)
	if err == nil && in.dir == "" {
		a.findRest(ctx, in, !o.NoWrite)
	}
	return in, err
}

// noTerminal says what open is missing.
func (a *app) noTerminal(missing, path string, o lazy.Options) error {
	if path != "-" {
		if m := a.finish(context.Background(), path, !o.NoWrite); m.hint != "" {
			a.remark(path, fmt.Errorf("%w; %s", m.unended().Why, m.hint))
		}
		o.NoWrite = true
		r, err := lazy.Open(path, o)
		if err != nil {
			return a.openHint(path, err)
		}
		defer r.Close()
	}
	return &usageError{missing, "tracex print " + path + " writes the trace as text"}
}

// openHint adds the advice for a word that is no file, where a command may have
// been meant, and for a trace that was not meant to be followed.
func (a *app) openHint(path string, err error) error {
	if errors.Is(err, lazy.ErrPacked) {
		return &usageError{path + " is a packed trace: it does not grow", "open it without --follow"}
	}
	if a.implied && errors.Is(err, fs.ErrNotExist) {
		return withHint(err, "tracex --help lists the commands")
	}
	return err
}
