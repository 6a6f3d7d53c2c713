package ui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
	"tracex/ui/internal/tree"
)

// OtherTrace is a trace that is compared with one that is open. Close closes what Open returned.
type OtherTrace interface {
	Trace
	Close() error
}

// engine compares two traces, or parts of them. Its methods run in the background, one after the other, First beside Run.
type engine interface {
	// First finds the first place where they part: in A and in B; At is -1 on a side that has nothing more. ok is false if
	// they are equal. same is how many events are equal before.
	First(ctx context.Context, tell lazy.Progress) (at [2]lazy.Position, same int64, ok bool, err error)
	Run(ctx context.Context, tell lazy.Progress) error
	// Equal returns, after Run, how many calls of both are equal, of how many.
	Equal() (calls, of int64)
	// Open returns the diff, which is in temporary files. The caller closes the reader, then the pairs.
	Open(ctx context.Context, tell lazy.Progress) (*lazy.LazyTraceReader, enginePairs, error)
	Close() error
}

type enginePairs interface {
	tree.PairSource
	Close() error
}

// diffs is what the tabs with comparisons have in common.
type diffs struct {
	engine func(a, b *lazy.LazyTraceReader, parts [2]*lazy.Handle) engine // nil parts are all of a trace
	others []*otherSide                                                   // traces that were opened to be compared

	mu      sync.Mutex // guards the fields below
	working sync.WaitGroup
	ended   bool
	life    context.Context    // of the traces that are opened; nil before the first is
	end     context.CancelFunc // of life
	closers []func() error     // of readers and temporary files
}

// begin begins work in the background, which calls working.Done at its end; false if the explorer ends.
func (d *diffs) begin() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.ended {
		d.working.Add(1)
	}
	return !d.ended
}

// lifeIn returns a context within that of the explorer, which close ends.
func (d *diffs) lifeIn(ctx context.Context) context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.life == nil {
		d.life, d.end = context.WithCancel(ctx)
	}
	if d.ended {
		d.end()
	}
	return d.life
}

// keep notes what is to be closed when the explorer ends.
func (d *diffs) keep(closer func() error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closers = append(d.closers, closer)
}

// close stops what opens a trace, waits for what runs, and closes all that was opened and made. The Envs must be closed before.
func (d *diffs) close() (err error) {
	d.mu.Lock()
	d.ended = true
	if d.end != nil {
		d.end()
	}
	d.mu.Unlock()
	d.working.Wait()
	for _, f := range slices.Backward(d.closers) {
		err = errors.Join(err, f())
	}
	return err
}

// otherSide is a trace that was opened to be compared.
type otherSide struct {
	trace   OtherTrace
	reader  *lazy.LazyTraceReader
	options Options
	model   *Model // that shows it; nil before one does
}

// diffTab is a comparison in a tab of its own.
type diffTab struct {
	sides [2]diffSide
	parts [2]*lazy.Handle // of the two; nil for all
	task  env.Task

	progress env.Progress

	mu    sync.Mutex // guards the fields below
	what  string     // is done
	first []string   // where the two part first, once that is known
}

// diffSide is A or B of a comparison.
type diffSide struct {
	name   string
	reader *lazy.LazyTraceReader
	model  *Model     // that shows it; nil if none does
	other  *otherSide // nil if it was open before
}

// tell tells what is going on.
func (d *diffTab) tell(e *env.Env, put func(text string, role theme.Role)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text := e.Spinner() + " " + d.what
	if done, total := d.progress.Told(); total > 0 {
		text += " " + display.Percent(done, total)
	}
	put("comparing A "+d.sides[0].name+" with B "+d.sides[1].name, theme.Bold)
	put(text, theme.Plain)
	for i, line := range d.first {
		if i == 0 {
			put("", theme.Plain)
		}
		put(line, theme.Plain)
	}
}

// begins notes what is done from now on.
func (d *diffTab) begins(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.what = what
	d.progress.Tell(0, 0)
}

// compareWith compares the trace of a Model with that of a file: it opens that, and then a tab.
func (t *Tabs) compareWith(from *Model, path string) tea.Cmd {
	a := diffSide{name: from.env.Trace.Name(), reader: from.env.Trace.Reader, model: from}
	for i := range t.list {
		if tab := &t.list[i]; tab.model != nil && tab.diff == nil && samePath(tab.trace.Path(), path) {
			return t.compare(a, diffSide{name: tab.name, reader: tab.model.env.Trace.Reader, model: tab.model}, [2]*lazy.Handle{})
		}
	}
	for _, o := range t.diffs.others {
		if samePath(o.trace.Path(), path) {
			return t.compare(a, diffSide{name: filepath.Base(path), reader: o.reader, other: o}, [2]*lazy.Handle{})
		}
	}
	other := from.compare.given.Other(path)
	from.env.Say("opening " + path)
	return from.compare.opening.Run(from.env, func(ctx context.Context) func() tea.Cmd {
		if !t.diffs.begin() {
			return nil
		}
		defer t.diffs.working.Done()
		t.diffs.keep(other.Close)
		r, o, err := t.open(ctx, other)
		return func() tea.Cmd {
			if err != nil {
				text := screen.ErrorLine(err)
				if base := filepath.Base(path); !strings.Contains(text, base) {
					text = base + ": " + text
				}
				return from.env.Warn(text)
			}
			side := &otherSide{trace: other, reader: r, options: o}
			t.diffs.others = append(t.diffs.others, side)
			return t.compare(a, diffSide{name: filepath.Base(path), reader: r, other: side}, [2]*lazy.Handle{})
		}
	})
}

// open opens a trace until ctx ends. The trace lives longer than ctx, which ends with the task that opens it.
func (t *Tabs) open(ctx context.Context, other OtherTrace) (*lazy.LazyTraceReader, Options, error) {
	life, cancel := context.WithCancel(t.diffs.lifeIn(t.ctx))
	keep := context.AfterFunc(ctx, cancel)
	defer keep()
	return other.Open(life)
}

func samePath(a, b string) bool {
	x, err := filepath.Abs(a)
	y, other := filepath.Abs(b)
	return err == nil && other == nil && x == y
}

// compare opens a tab that compares two traces.
func (t *Tabs) compare(a, b diffSide, parts [2]*lazy.Handle) tea.Cmd {
	e := t.asked.env
	work := t.diffs.engine(a.reader, b.reader, parts)
	if a.name == b.name {
		a.name, b.name = lastParts(a.reader.Path(), 2), lastParts(b.reader.Path(), 2)
	}
	e.Status.Clear()
	d := &diffTab{sides: [2]diffSide{a, b}, parts: parts, what: "comparing"}
	name := a.name + " " + e.Glyphs.Versus + " " + b.name
	t.list = append(t.list, tab{trace: madeTrace(name), name: name, diff: d})
	i := len(t.list) - 1
	t.show(i)
	cmd := d.task.Feed(e, func(ctx context.Context, send func(func() tea.Cmd)) func() tea.Cmd {
		if !t.diffs.begin() {
			return nil
		}
		defer t.diffs.working.Done()
		made, err := d.run(ctx, work, func() { send(func() tea.Cmd { return nil }) })
		if err = errors.Join(err, work.Close()); made != nil {
			t.diffs.keep(made.close)
		}
		return func() tea.Cmd { return t.compared(d, made, err) }
	})
	return t.own(i, cmd)
}

// madeTrace is the name of a diff that is made here.
type madeTrace string

func (m madeTrace) Path() string { return string(m) }

func (m madeTrace) Open(context.Context) (*lazy.LazyTraceReader, Options, error) {
	panic("a diff that is made is not opened by its path")
}

// madeDiff is a diff that is open.
type madeDiff struct {
	reader *lazy.LazyTraceReader
	pairs  enginePairs
	equal  [2]int64 // see LiveDiff
}

func (m *madeDiff) close() error { return errors.Join(m.reader.Close(), m.pairs.Close()) }

// run compares, and opens the result.
func (d *diffTab) run(ctx context.Context, work engine, news func()) (*madeDiff, error) {
	for _, s := range d.sides {
		if err := s.reader.Wait(ctx); err != nil {
			return nil, err
		}
	}
	tell := func(done, total int64) {
		before, of := d.progress.Told()
		if d.progress.Tell(done, total); total > 0 && (of != total || 1000*done/total != 1000*before/total) {
			news()
		}
	}
	news()
	if err := d.compare(ctx, work, tell, news); err != nil {
		return nil, err
	}
	d.begins("writing the diff")
	news()
	r, pairs, err := work.Open(ctx, tell)
	if err != nil {
		return nil, err
	}
	made := &madeDiff{reader: r, pairs: pairs}
	made.equal[0], made.equal[1] = work.Equal()
	return made, nil
}

// compare compares, and meanwhile looks for the first place where the two part, which is mostly known much sooner.
func (d *diffTab) compare(ctx context.Context, work engine, tell lazy.Progress, news func()) error {
	var group sync.WaitGroup
	defer group.Wait()
	until, stop := context.WithCancel(ctx)
	defer stop()
	group.Go(func() {
		if at, same, ok, err := work.First(until, nil); ok && err == nil { // what fails here fails there too
			d.found(until, at, same)
			news()
		}
	})
	return work.Run(ctx, tell)
}

// found notes the first place where the two part.
func (d *diffTab) found(ctx context.Context, at [2]lazy.Position, same int64) {
	lines := []string{"the first difference, after " + display.Plural(same, "equal event") + ":"}
	for i, p := range at {
		text := "nothing more"
		if p.At >= 0 {
			if point, ok, err := query.PointOf(ctx, d.sides[i].reader, p); err == nil && ok {
				text = lazy.EventHandle(point.Event).String() + "  " + point.Text
			}
		}
		lines = append(lines, "  "+sideNames[i]+" "+text)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.first = lines
}

// compared shows a diff that is made, in place of what was told of the comparison.
func (t *Tabs) compared(d *diffTab, made *madeDiff, err error) tea.Cmd {
	i := t.indexOf(d)
	switch {
	case i < 0:
		return nil
	case err != nil:
		t.list[i].err = fmt.Errorf("the two cannot be compared: %w", err)
		return nil
	}
	o := d.options()
	o.Diff = &LiveDiff{Names: [2]string{d.sides[0].name, d.sides[1].name}, Pairs: made.pairs, Timed: true, Equal: made.equal}
	for _, s := range d.sides {
		_, timed := s.reader.Times()
		o.Diff.Timed = o.Diff.Timed && timed
	}
	return t.opened(i, opened{made.reader, o, nil})
}

// options are those of the Model that the comparison was asked for in, without what belongs to its trace.
func (d *diffTab) options() Options {
	from := d.sides[0].model
	o := Options{ASCII: from.env.Glyphs.ASCII, Unicode: !from.env.Glyphs.ASCII, NoMouse: from.env.NoMouse, NoSticky: !from.tree.Sticky, Fresh: true}
	o.Name = d.sides[0].name + " " + from.env.Glyphs.Versus + " " + d.sides[1].name
	o.Keys, o.Source, o.Themes, o.Theme, o.Colors, o.Program = from.compare.given.Keys, from.compare.given.Source, from.compare.given.Themes, from.compare.given.Theme, from.compare.given.Colors, from.compare.given.Program
	return o
}

func (t *Tabs) indexOf(d *diffTab) int {
	for i := range t.list {
		if t.list[i].diff == d {
			return i
		}
	}
	return -1
}

// stopDiff stops the comparison of a tab that has no Model yet.
func (t *Tabs) stopDiff(i int) {
	d := t.list[i].diff
	if d == nil || !d.task.Stop() {
		return
	}
	from := d.sides[0].model
	if i == len(t.list)-1 { // others keep their numbers
		t.list = t.list[:i]
	} else {
		t.list[i].err = errors.New("the comparison was stopped")
	}
	t.showModel(from)
	from.env.Say("stopped: nothing was compared; " + keys.ActionKey("next-difference", from.env.Glyphs) + " asks again")
	from.frame = from.newFrame()
}

func (t *Tabs) showModel(m *Model) {
	for i := range t.list {
		if t.list[i].model == m {
			t.show(i)
		}
	}
}

// showSide shows a place of A or B of a diff, each in its own tab.
func (t *Tabs) showSide(of *Model, side int, at lazy.Position) tea.Cmd {
	var s *diffSide
	for i := range t.list {
		if t.list[i].model == of && t.list[i].diff != nil {
			s = &t.list[i].diff.sides[side]
		}
	}
	if s == nil {
		return nil
	}
	var begin tea.Cmd
	if s.model == nil {
		s.model = s.other.model // another diff may have opened it
	}
	if s.model == nil {
		t.list = append(t.list, tab{trace: s.other.trace, name: s.name})
		i := len(t.list) - 1
		o := s.other.options
		o.Fresh = true
		begin = t.opened(i, opened{s.reader, o, nil})
		s.model, s.other.model = t.list[i].model, t.list[i].model
	}
	t.showModel(s.model)
	cmd := s.model.compare.showPlace(at)
	_, more := s.model.Update(nil) // brings its screen up to date
	return tea.Batch(begin, t.own(t.shown, tea.Batch(cmd, more)))
}
