package tables

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/export"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/lists"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/tree"
)

// Exports writes what the screen shows to files, one at a time. Its methods run on one goroutine.
type Exports struct {
	env     *env.Env
	tree    *tree.Tree
	steps   *tree.Steps
	filter  *search.Filter
	marks   *lists.Marks
	tables  *Tables
	program string // see Options.Program

	cur  *exporting     // nil if none is under way
	all  sync.WaitGroup // of the goroutines
	last string         // how the last one ended; "" before that
}

type exporting struct {
	name     string // of the file
	task     env.Task
	stopped  bool // by the user
	progress env.Progress
	err      error // once it has ended
}

// ExportWork writes a file. It runs on another goroutine, and ends soon after ctx does. tell gets its progress.
type ExportWork func(ctx context.Context, tell lazy.Progress) (ExportDone, error)

// ExportDone tells what has been written.
type ExportDone struct {
	Path  string
	Size  int64    // bytes
	Notes []string // what is worth knowing about it
}

// NewExports returns Exports that write nothing yet. program is what the files name as their writer.
func NewExports(e *env.Env, t *tree.Tree, steps *tree.Steps, filter *search.Filter, marks *lists.Marks, tables *Tables, program string) *Exports {
	return &Exports{env: e, tree: t, steps: steps, filter: filter, marks: marks, tables: tables, program: program}
}

// Run exports as the arguments say; without any it lists the formats. force replaces files, and writes too large ones.
func (x *Exports) Run(args string, force bool) tea.Cmd {
	if args == "" {
		return x.choose(force)
	}
	o, err := x.order(args, force)
	if err != nil {
		return x.env.Warn(err.Error())
	}
	return x.write(o)
}

// Begin begins an export, to a file of about this name, unless one is under way.
func (x *Exports) Begin(name string, work ExportWork) tea.Cmd {
	if x.Running() {
		return x.env.Warn("an export is under way: " + keys.ActionKey("stop", x.env.Glyphs) + " stops it")
	}
	r := &exporting{name: filepath.Base(name)}
	x.cur = r
	x.all.Add(1)
	return r.task.Run(x.env, func(ctx context.Context) func() tea.Cmd {
		defer x.all.Done()
		var d ExportDone
		d, r.err = work(ctx, r.progress.Tell)
		return env.Done(func() { x.ended(r, d) })
	})
}

// A message shows at least leastPath cells of a path, and leaves pathRest for the words around it.
const leastPath, pathRest = 24, 20

func (x *Exports) ended(r *exporting, d ExportDone) {
	if x.cur == r {
		x.cur = nil
	}
	x.tables.Retry()
	switch err := r.err; {
	case err == nil:
		wrote := func(path string) string { return "wrote " + path + ": " + display.Size(d.Size) }
		x.last = wrote(d.Path)
		short := wrote(x.env.Glyphs.CutMiddle(d.Path, max(leastPath, x.env.Width-pathRest)))
		x.env.Say(strings.Join(append([]string{short}, d.Notes...), "; "))
	case r.stopped || errors.Is(err, context.Canceled):
		x.last = r.name + ": stopped, nothing was written"
		x.env.Say(x.last)
	default:
		x.last = "not exported: " + screen.ErrorLine(err)
		switch {
		case errors.Is(err, fs.ErrExist):
			x.last += "; :export! replaces it"
		case errors.Is(err, fs.ErrPermission):
			x.last += "; :export FORMAT FILE names another place"
		}
		x.env.Warn(x.last)
	}
}

// Running reports whether an export is under way, and not being stopped.
func (x *Exports) Running() bool { return x.cur != nil && !x.cur.stopped }

// Stop stops the export under way, and reports whether there was one.
func (x *Exports) Stop() bool {
	if !x.Running() {
		return false
	}
	x.cur.stopped = true
	x.cur.task.Cancel()
	return true
}

// Text tells what is written, and how far it is; "" if nothing is.
func (x *Exports) Text() string {
	if !x.Running() {
		return ""
	}
	text := "exporting " + x.cur.name
	if done, total := x.Progress(); total > 0 {
		text += " " + display.Percent(done, total)
	}
	return text
}

// Progress returns how much of the file is written; total is 0 if that is unknown.
func (x *Exports) Progress() (done, total int64) {
	if x.cur == nil {
		return 0, 0
	}
	return x.cur.progress.Told()
}

// Last tells how the last export ended, also after its message has gone; "" if there was none.
func (x *Exports) Last() string { return x.last }

// Close stops what is under way, and waits for its end. The error tells that it was not complete.
func (x *Exports) Close() error {
	r := x.cur
	running := x.Stop()
	x.all.Wait()
	if r != nil && running && r.err != nil {
		return fmt.Errorf("the export of %s was not complete: nothing was written", r.name)
	}
	return nil
}

func (x *Exports) write(o *exportOrder) tea.Cmd {
	n := x.file(o)
	return x.Begin(cmp.Or(o.file, n.Proposed()), func(ctx context.Context, tell lazy.Progress) (d ExportDone, err error) {
		to, err := n.Destination() // at once, not after reading
		if d.Path = to.Path; err != nil {
			return d, err
		}
		switch {
		case o.format.events != nil:
			d.Size, d.Notes, err = x.writeEvents(ctx, o, to, tell)
		case o.format.rows != nil:
			var rows *export.Rows
			if rows, err = o.rows(ctx); err != nil {
				return d, err
			}
			d.Size, err = rows.Save(ctx, o.format.rows, to, tell)
			if rows.Table.Partial {
				d.Notes = append(d.Notes, "the table is not complete: it was stopped")
			}
		default:
			d.Size, err = export.SaveText(to, func(w io.Writer) error {
				if err := x.env.Trace.Reader.Wait(ctx); err != nil {
					return err
				}
				return o.print(ctx, w)
			})
			d.Notes = append(d.Notes, x.remarks()...)
		}
		if o.note != "" {
			d.Notes = append(d.Notes, o.note)
		}
		d.Notes = slices.Insert(d.Notes, 0, o.what)
		return d, err
	})
}

func (x *Exports) writeEvents(ctx context.Context, o *exportOrder, to export.Destination, tell lazy.Progress) (size int64, notes []string, err error) {
	r := x.env.Trace.Reader
	if err = r.Wait(ctx); err != nil {
		return 0, nil, err
	}
	f := o.format.events
	scope, err := o.scope(ctx, r, o.raw || f.Raw)
	if err != nil {
		return 0, nil, err
	}
	j, err := export.NewJob(r, export.Options{
		Scope: scope, NoValues: o.words["no-values"], Reads: o.words["reads"], Force: o.force, Title: filepath.Base(x.env.Trace.File()), Program: x.program,
	})
	if err != nil {
		return 0, nil, err
	}
	if size, err = j.Save(ctx, f, to, tell); err != nil {
		return 0, nil, o.explain(err)
	}
	for _, l := range j.LeftOut() {
		notes = append(notes, "left out "+display.Grouped(l.Count)+" "+l.What)
	}
	if !j.Timed && f.Axis {
		notes = append(notes, "the trace has no times: one event is shown as one microsecond")
	}
	return size, append(notes, x.remarks()...), nil
}

// remarks tells whether a trace has more than is exported.
func (x *Exports) remarks() (notes []string) {
	switch st := x.env.Trace.Reader.Status(); {
	case st.Problem != nil:
		notes = append(notes, "only what is not damaged")
	case st.Growth.On:
		notes = append(notes, "what was recorded so far")
	}
	return notes
}

// explain adds to an error what can be done.
func (o *exportOrder) explain(err error) error {
	var large *export.TooLargeError
	switch {
	case errors.Is(err, export.ErrNothing) && len(ranges(o.steps)) > 0:
		return fmt.Errorf("%w and of the range: :unfilter ends the range", err)
	case !errors.As(err, &large):
		return err
	}
	hint := ":focus, :drop or :range leave out more"
	if large.MinDur > 0 {
		hint = fmt.Sprintf(":drop dur<%v leaves about %d", time.Duration(large.MinDur), max(large.Then/1e6, 1))
	}
	return fmt.Errorf("about %d MB, and %s loads %d; %s; :export! writes it", large.Size/1e6, large.Target, large.Limit/1e6, hint)
}
