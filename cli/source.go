package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/sourcefiles"
)

// sourceCommand is the command source with its flags.
type sourceCommand struct {
	*app
	tableFlags
	raw  bool
	most int64
	dirs []string
}

func newSourceCommand(a *app) *cobra.Command {
	x := &sourceCommand{app: a}
	c := &cobra.Command{
		Use:   "source FILE CALL",
		Short: "Show the source of a call with what it did at each line",
		Long: "Show the lines of the function that was called with the values that the call read and wrote there, the results of the calls that it made, " +
			"its loops and exceptions, and how often each line ran. Another event stands for the call around it, a loop or an iteration for itself.",
		Example: `tracex source 'trace.bin#1204'
tracex source trace.bin '#1204' --source src
tracex source trace.bin '#1204' --json`,
		Args: onePlace,
	}
	flags := c.Flags()
	flags.BoolVar(&x.raw, "raw", false, "all recorded events, including compiler-generated ones")
	flags.StringArrayVar(&x.dirs, "source", nil, "directory with source code; more than one if repeated")
	flags.Int64Var(&x.most, "events", query.MostOwn, "look at the first N events of the call")
	x.tableFlags.add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		path, at, err := placeArguments(c, args)
		if err != nil {
			return err
		}
		if x.most <= 0 {
			return &usageError{fmt.Sprintf("--events is %d; it must be at least 1", x.most), ""}
		}
		if err := x.check(); err != nil {
			return err
		}
		ctx := c.Context()
		return a.withTrace(ctx, path, func(_ *input, r *lazy.LazyTraceReader) error { return x.show(ctx, r, at) })
	}
	return c
}

// show prints the table.
func (x *sourceCommand) show(ctx context.Context, r *lazy.LazyTraceReader, h lazy.Handle) error {
	at, event, err := r.Find(ctx, h)
	if err != nil {
		return err
	}
	if at.At < 0 {
		return &usageError{h.String() + " is a thread, not an event", "such as '#1204', the number of an event"}
	}
	l := query.NewLines(r, query.LinesOptions{Raw: x.raw, At: query.HistoryPoint{Position: at, Event: event}, Most: x.most})
	switch err := l.Run(ctx); {
	case errors.Is(err, query.ErrHidden):
		return hiddenError(h.String(), err)
	case errors.Is(err, lazy.ErrNoCall):
		return fmt.Errorf("%s: %w", h, err)
	case err != nil:
		return err
	}
	if err := x.remarkFiles(r); err != nil {
		return err
	}
	problem := r.Status().Problem
	found := l.Found()
	texts, notes := sourceTexts(ctx, r, &found, x.dirs)
	t := found.Table(query.LinesView{Texts: texts, G: &display.Unicode})
	t.Notes = append(t.Notes, notes...)
	_, err = x.write(x.app, t, 0)
	return errors.Join(err, problem)
}

// sourceTexts reads the files of lines: where the trace says, or below directories. If none are given, files of Go are
// looked for in the module around the working directory. Notes tell what was not found, or may be another file.
func sourceTexts(ctx context.Context, r *lazy.LazyTraceReader, f *query.LinesFound, dirs []string) (texts map[string][]string, notes []string) {
	texts = make(map[string][]string)
	asked := len(dirs) > 0
	if dir := sourcefiles.ModuleAround("."); !asked && dir != "" {
		dirs = []string{dir}
	}
	finder := sourcefiles.New(dirs)
	for _, s := range sourceSpots(r, f) {
		file, found := s.File, finder.Whole(ctx, s)
		if found.Err != nil && (len(dirs) == 0 || !asked && !s.IsGo()) {
			continue
		}
		err := found.Err
		if err == nil {
			texts[file], err = sourcefiles.ReadAll(found.Path)
		}
		switch {
		case err != nil:
			delete(texts, file)
			notes = append(notes, err.Error())
		case len(texts[file]) < s.Line:
			notes = append(notes, found.Name()+", which has no line "+strconv.Itoa(s.Line))
		case found.Alike > 1:
			notes = append(notes, found.Name())
		}
	}
	if !asked && len(texts) == 0 && f.File != "" {
		notes = append(notes, "--source DIR shows the text of "+f.File)
	}
	return texts, notes
}

// sourceSpots returns the last line of each file of lines, that of the function first. Their files are named as in the
// trace.
func sourceSpots(r *lazy.LazyTraceReader, f *query.LinesFound) (spots []sourcefiles.Spot) {
	at := make(map[string]int) // indexes of spots
	if f.File != "" {
		at[f.File], spots = 0, append(spots, sourcefiles.Spot{File: f.File, Class: f.Class, Import: f.Import, Function: f.Name, Line: f.Last})
	}
	for _, line := range f.Lines {
		i, ok := at[line.File]
		if !ok {
			i, spots = len(spots), append(spots, sourcefiles.Spot{File: line.File})
			at[line.File] = i
		}
		spots[i].Line = max(spots[i].Line, line.Line)
	}
	r.WithContext(func(c *format.Context) {
		for l := range c.Locations() {
			file, line, ok := c.FileLine(l.ID)
			if i, known := at[file]; ok && known && spots[i].Class == "" && spots[i].Line == line {
				spots[i].Class = format.PlaceClass(c, l)
				spots[i].Import = filter.ImportPath(c, spots[i].Class)
			}
		}
	})
	return spots
}
