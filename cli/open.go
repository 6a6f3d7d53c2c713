package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/notes"
	"tracex/lazy/query"
	"tracex/ui"
)

func newOpenCommand(a *app) *cobra.Command {
	f := new(screenFlags)
	noWrite, follow, fresh := false, false, false
	c := &cobra.Command{
		Use:   "open FILE",
		Short: "Explore a trace in the terminal",
		Example: `tracex trace.bin                       # same as tracex open trace.bin
tracex 'trace.bin#1204' --source src   # at an event, with source code
tracex trace.json.gz                   # converted first; see tracex convert
tracex open --follow trace.bin         # while it is being recorded`,
		Args: a.oneTrace,
	}
	f.add(c)
	c.Flags().BoolVar(&noWrite, "no-write", false, "write no index, summary, notes or session")
	c.Flags().BoolVar(&fresh, "fresh", false, "start at the first row, not where you were")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "show new events as they are recorded")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		look, err := f.options()
		if err != nil {
			return err
		}
		look.Follow, look.Fresh = follow, fresh
		path, at := splitPlace(path)
		if at.given {
			look.At = &at.handle
		}
		return explore(ctx, a, path, lazy.Options{Memory: int64(f.memory), NoWrite: noWrite, Index: a.index, Follow: follow}, look)
	})
	return c
}

// explore shows a trace until the user quits. Without a terminal it reports what is wrong with
// the trace, or otherwise that a terminal is needed.
func explore(ctx context.Context, a *app, path string, o lazy.Options, look ui.Options) (err error) {
	if missing := a.missing(); missing != "" {
		return noTerminal(a, missing, path, o)
	}
	in, err := openToExplore(ctx, a, path, o)
	if err != nil {
		return err
	}
	defer in.close()
	defer func() { err = in.blame(errors.Join(err, in.fault())) }()
	if in.rest != nil {
		o.Ended, o.Unended = in.rest.recovered, in.rest.unended
	}
	switch { // a temporary copy does not grow
	case in.made != nil && in.name != stdinName:
		o.NoWrite, look.Path = o.NoWrite || !in.made.cached(), in.name
	case in.dir != "" && in.rest != nil:
		o.NoWrite, look.Path = true, in.name
	case in.dir != "":
		o.NoWrite, look.Name = true, in.name
	default:
		o.Finish = in.rest.more
	}
	defer limitMemory(cmp.Or(o.Memory, lazy.DefaultMemory))()
	r, err := lazy.Open(in.path, o)
	if err != nil {
		return a.openHint(path, err)
	}
	defer r.Close()
	defer keepSummary(ctx, r, o.NoWrite)()
	in.spool(r.Unfollow)
	in.remark(&look)
	if in.dir == "" && !look.Tour {
		openNotes(&look, in.path, o.NoWrite)
	}
	return ui.Run(ctx, r, look)
}

// summaryIdle is how long a trace has been open before its summary is made.
const summaryIdle = 3 * time.Second

// keepSummary makes the summary of a large trace in the background. The caller calls stop.
func keepSummary(ctx context.Context, r *lazy.LazyTraceReader, noWrite bool) (stop func()) {
	if noWrite {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		query.KeepSummary(ctx, r, lazy.SummaryLeast, summaryIdle)
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
