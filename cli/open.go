package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/lazy/query"
	"tracex/recorder/convert/importer"
	"tracex/ui"
)

func newOpenCommand(a *app) *cobra.Command {
	f := new(screenFlags)
	follow, fresh := false, false
	c := &cobra.Command{
		Use:   "open [FILE…]",
		Short: "Explore traces, or those that were open last",
		Example: `tracex 'trace.bin#1204' --source src   # at an event, with source code
tracex old.bin new.bin                 # each in a tab; Ctrl-T: next
tracex trace.json.gz                   # converted first; see tracex convert`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case slices.Contains(args, ""):
				return a.oneTrace(c, args)
			case len(args) == 0 && len(lastOpened()) > 0:
				return nil
			}
			return a.oneTrace(c, args[:min(1, len(args))])
		},
	}
	f.add(c)
	c.Flags().BoolVar(&a.noWrite, "no-write", false, "write no index, summary, notes or session")
	c.Flags().BoolVar(&fresh, "fresh", false, "start at the first row, not where you were")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "show new events as they are recorded")
	c.RunE = func(c *cobra.Command, args []string) error {
		look, err := f.options()
		if err != nil {
			return err
		}
		look.Follow, look.Fresh = follow, fresh
		o := lazy.Options{Memory: int64(f.memory), NoWrite: a.noWrite, Index: a.index, Follow: follow}
		if len(args) == 0 {
			args = lastOpened()
		}
		if paths := distinct(args); len(paths) > 1 {
			return exploreAll(c.Context(), a, paths, o, look)
		}
		path, at := splitPlace(args[0])
		if at.given {
			look.At = &at.handle
		}
		return explore(c.Context(), a, path, []string{path}, o, look)
	}
	return c
}

// explore shows a trace until the user quits. keep is what to open the next time without a file. If its output is a
// pipe or a file, it prints the trace instead, as the command print does; if it needs a terminal otherwise, it reports
// what is wrong with the trace, or that there is no terminal.
func explore(ctx context.Context, a *app, path string, keep []string, o lazy.Options, look ui.Options) (err error) {
	if !a.terminal() && !o.Follow {
		p := &printCommand{app: a, raw: look.Raw, event: -1}
		if look.At != nil {
			p.at = place{*look.At, true}
		}
		if err := p.check(new(pflag.FlagSet)); err != nil {
			return err
		}
		return a.openHint(path, p.printTrace(ctx, path))
	}
	if missing := a.missing(); missing != "" {
		return noTerminal(a, missing, path, o)
	}
	ui.Prepare()
	quiet, err := a.quiet()
	if err != nil {
		return err
	}
	defer quiet.stderr.Close()
	look.Other = others(quiet, o, look)
	x := &explored{app: a, path: path, keep: keep, options: o, look: look}
	defer limitMemory(cmp.Or(o.Memory, lazy.DefaultMemory))()
	defer func() { err = x.close(err) }()
	r, look, err := x.Open(ctx)
	if err != nil {
		return err
	}
	return ui.Run(ctx, r, look)
}

// explored is a trace that the explorer shows.
type explored struct {
	app     *app
	path    string
	keep    []string // what is open with it, for the next time
	options lazy.Options
	look    ui.Options

	mu    sync.Mutex // held while it opens
	in    *input
	r     *lazy.LazyTraceReader
	stop  func() // ends the work aside: its summary
	ended bool
}

// Path returns the file as the user named it.
func (x *explored) Path() string { return x.path }

// Open opens the trace for the explorer. Whatever it returns, the caller calls close.
func (x *explored) Open(ctx context.Context) (*lazy.LazyTraceReader, ui.Options, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ended {
		return nil, x.look, context.Canceled
	}
	a, o, look := x.app, x.options, x.look
	in, err := openToExplore(ctx, a, x.path, o)
	if err != nil {
		return nil, look, err
	}
	x.in = in
	if in.rest != nil {
		o.Ended, o.Unended = in.rest.recovered, in.rest.unended
	}
	switch { // a temporary copy does not grow
	case in.made != nil && in.name != importer.StdinName:
		o.NoWrite, look.Path = o.NoWrite || !in.made.Cached(), in.name
	case in.dir != "" && in.rest != nil:
		o.NoWrite, look.Path = true, in.name
	case in.dir != "":
		o.NoWrite, look.Name = true, in.name
	default:
		o.Finish = in.rest.more
	}
	o.Alone = in.alone()
	if x.r, err = lazy.Open(in.path, o); err != nil {
		return nil, look, a.openHint(x.path, err)
	}
	x.stop = aside(ctx, func(ctx context.Context) {
		if !x.options.NoWrite && x.keep != nil {
			keepOpened(x.keep)
		}
		if !o.NoWrite {
			query.KeepSummary(ctx, x.r, lazy.SummaryLeast, summaryIdle)
		}
	})
	in.spool(x.r.Unfollow)
	in.remark(&look)
	if in.dir == "" && !look.Tour {
		openNotes(&look, in.path, o.NoWrite)
	}
	return x.r, look, nil
}

// Close closes a trace that was opened to be compared with another.
func (x *explored) Close() error { return x.close(nil) }

// others returns what opens a trace to compare with one that is shown, by its path.
func others(a *app, o lazy.Options, look ui.Options) func(path string) ui.OtherTrace {
	o.Follow, look.Follow, look.At, look.Tour = false, false, nil, false
	return func(path string) ui.OtherTrace {
		return &explored{app: a, path: path, options: o, look: look}
	}
}

// quiet returns an app that writes no remarks: what opens while another trace is shown must not write over it. The caller
// closes its stderr.
func (a *app) quiet() (*app, error) {
	q := *a
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	q.stderr = null
	return &q, err
}

// close closes what is open, and returns err with the names that the user knows.
func (x *explored) close(err error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.ended = true
	if x.in == nil {
		return err
	}
	if x.r != nil {
		x.stop()
		x.r.Close()
	}
	err = x.in.blame(errors.Join(err, x.in.fault()))
	x.in.close()
	return err
}

// exploreAll shows several traces, each in a tab. They share the memory.
func exploreAll(ctx context.Context, a *app, paths []string, o lazy.Options, look ui.Options) (err error) {
	if missing := a.missing(); missing != "" {
		return noTerminal(a, missing, paths[0], o)
	}
	if a.index != "" {
		return &usageError{"--index is the index of one trace, but there are " + strconv.Itoa(len(paths)), "open one trace, or leave the indexes beside theirs"}
	}
	ui.Prepare()
	memory := cmp.Or(o.Memory, lazy.DefaultMemory)
	defer limitMemory(memory)()
	quiet, err := a.quiet()
	if err != nil {
		return err
	}
	defer quiet.stderr.Close()
	look.Other = others(quiet, o, look)
	o.Memory = memory / int64(len(paths))
	var all []ui.Trace
	for _, path := range paths {
		x := &explored{app: quiet, keep: paths, options: o, look: look}
		var at place
		if x.path, at = splitPlace(path); at.given {
			x.look.At = &at.handle
		}
		defer func() { err = x.close(err) }()
		all = append(all, x)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return ui.RunAll(ctx, all)
}

// distinct returns the arguments without those that name a file again.
func distinct(args []string) (paths []string) {
	var seen []os.FileInfo
	for _, arg := range args {
		path, _ := splitPlace(arg)
		st, err := os.Stat(path)
		if slices.Contains(paths, arg) || err == nil && slices.ContainsFunc(seen, func(other os.FileInfo) bool { return os.SameFile(st, other) }) {
			continue
		}
		if err == nil {
			seen = append(seen, st)
		}
		paths = append(paths, arg)
	}
	return paths
}

// summaryIdle is how long a trace has been open before its summary is made.
const summaryIdle = 3 * time.Second

// aside does work that the explorer does not wait for. The caller calls stop, which waits for it.
func aside(ctx context.Context, work func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		work(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// openNotes opens the notes of a trace for the explorer. What is wrong with them is shown there.
func openNotes(look *ui.Options, trace string, noWrite bool) {
	b, err := notes.Open(trace, notesOptions(noWrite))
	look.Notes = b
	k, name := b.Damaged(), filepath.Base(trace)+format.NotesSuffix
	switch {
	case look.Remark != "":
	case err != nil:
		look.Remark = strings.ReplaceAll(message(err), trace+format.NotesSuffix, name)
	case b.Aside() != "":
		look.Remark = name + " " + notesAside(b.Aside())
	case k > 0:
		look.Remark = fmt.Sprintf("%s: %s cannot be read; the file keeps what is there", name, counted(int64(k), "line"))
	}
}

// openToExplore opens the trace that the argument names; a followed one as far as it
// has been written.
func openToExplore(ctx context.Context, a *app, path string, o lazy.Options) (*input, error) {
	if !o.Follow {
		return a.openWhole(ctx, path, !o.NoWrite)
	}
	if a.convertible(ctx, path) {
		return nil, &usageError{path + " is converted to a trace, which never grows", "open it without --follow"}
	}
	in, err := a.openGrowing(ctx, path)
	if err == nil && in.dir == "" {
		in.finish(ctx, a, !o.NoWrite)
	}
	return in, err
}

// noTerminal is explore without a terminal; missing names the missing part.
func noTerminal(a *app, missing, path string, o lazy.Options) error {
	if path != "-" && !a.convertible(context.Background(), path) {
		if m := finish(context.Background(), a, path, !o.NoWrite); m.hint != "" {
			a.remark(path, fmt.Errorf("%w; %s", m.unended().Why, m.hint))
		}
		o.NoWrite = true
		r, err := lazy.Open(path, o)
		if err != nil {
			return a.openHint(path, err)
		}
		defer r.Close()
	}
	return &usageError{missing, "tracex print " + path + " prints the trace as text"}
}

// openHint adds advice for a file that does not exist, if the user may have meant a command,
// and for a trace that cannot be followed.
func (a *app) openHint(path string, err error) error {
	if errors.Is(err, lazy.ErrPacked) {
		return &usageError{path + " is a packed trace, which never grows", "open it without --follow"}
	}
	if a.implied && errors.Is(err, fs.ErrNotExist) {
		return withHint(err, "tracex --help lists the commands")
	}
	return err
}
