package ui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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

// engine compares two traces, or parts of them. Its methods run in the background, one after the other, First beside Run.
type engine interface {
	// Quiet makes kinds of differences not count: those between A and another recording of it. It is called before the others.
	Quiet(ctx context.Context, noise *lazy.LazyTraceReader, tell lazy.Progress) error
	// First finds the first place where they part: in A and in B; At is -1 on a side that has nothing more. ok is false if
	// they are equal. same is how many events are equal before.
	First(ctx context.Context, tell lazy.Progress) (at [2]lazy.Position, same int64, ok bool, err error)
	Run(ctx context.Context, tell lazy.Progress) error
	// Equal returns, after Run, how many calls of both are equal, of how many, and how many differences are quiet.
	Equal() (calls, of, quiet int64)
	// Open returns the diff, which is in temporary files. The caller closes the reader, then the pairs.
	Open(ctx context.Context, tell lazy.Progress) (*lazy.LazyTraceReader, enginePairs, error)
	Close() error
}

type enginePairs interface {
	tree.PairSource
	Close() error
}

// comparison is what is compared, and how.
type comparison struct {
	sides    [2]diffSide
	parts    [2]*lazy.Handle // of the two; nil for all
	identity bool            // objects are told apart
	noise    string          // the file of another recording of A; "" if there is none
}

// same reports whether two comparisons are one and the same.
func (c *comparison) same(o *comparison) bool {
	for i := range c.sides {
		p, q := c.parts[i], o.parts[i]
		if c.sides[i].reader != o.sides[i].reader || (p == nil) != (q == nil) || p != nil && *p != *q {
			return false
		}
	}
	return c.identity == o.identity && (c.noise == o.noise || samePath(c.noise, o.noise))
}

// name is the name of the tab.
func (c *comparison) name(g *screen.Glyphs) string {
	name := c.sides[0].name + " " + g.Versus + " " + c.sides[1].name
	if c.identity {
		name += " --identity"
	}
	if c.noise != "" {
		name += " --noise " + filepath.Base(c.noise)
	}
	return name
}

// diffTab is a comparison in a tab of its own.
type diffTab struct {
	comparison
	task env.Task

	progress env.Progress

	mu     sync.Mutex // guards the fields below
	what   string     // is done
	first  []string   // where the two part first, once that is known
	read   [2]int     // which generations of the two readers are compared; 0 before that is known
	kept   []*kept    // its diff
	closed bool       // the tab is
	work   sync.WaitGroup
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

// compare opens a tab that compares two traces, or shows the one that does.
func (t *Tabs) compare(c comparison) tea.Cmd {
	from := c.sides[0].model
	e := from.env
	e.Status.Clear()
	there := slices.IndexFunc(t.list, func(b *tab) bool { return b.diff != nil && b.diff.same(&c) && !b.diff.outdated() })
	if there >= 0 && t.list[there].err == nil {
		t.show(there)
		return nil
	}
	if c.sides[0].name == c.sides[1].name {
		for i := range c.sides {
			c.sides[i].name = lastParts(c.sides[i].path, 2)
		}
	}
	work := t.diffs.engine(&c)
	d := &diffTab{comparison: c, what: "comparing"}
	name := d.name(e.Glyphs)
	of := &tab{trace: madeTrace(name), name: name, diff: d}
	t.list = append(t.list, of)
	t.show(len(t.list) - 1)
	var end tea.Cmd
	if there >= 0 { // it had failed
		end = t.remove(there)
	}
	return tea.Batch(end, t.own(of, d.task.Feed(e, func(ctx context.Context, send func(func() tea.Cmd)) func() tea.Cmd {
		if !t.diffs.begin() {
			return nil
		}
		defer t.diffs.working.Done()
		done, open := d.start()
		if !open {
			return nil
		}
		defer done()
		made, err := d.run(ctx, t, work, func() { send(func() tea.Cmd { return nil }) })
		if err = errors.Join(err, work.Close()); made != nil {
			err = errors.Join(err, t.keepFor(d, made.close))
		}
		return func() tea.Cmd { return t.compared(d, made, err) }
	})))
}

// start notes that work on the traces begins, which calls done at its end; open is false if the tab is closed.
func (d *diffTab) start() (done func(), open bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, false
	}
	groups := []*sync.WaitGroup{&d.work}
	for _, s := range d.sides {
		if s.other != nil {
			groups = append(groups, &s.other.work)
		}
	}
	for _, g := range groups {
		g.Add(1)
	}
	return func() {
		for _, g := range groups {
			g.Done()
		}
	}, true
}

// keepFor notes what is to be closed with the tab of a diff: at once if that is closed.
func (t *Tabs) keepFor(d *diffTab, closer func() error) error {
	k := t.diffs.keep(closer)
	d.mu.Lock()
	if !d.closed {
		d.kept = append(d.kept, k)
		k = nil
	}
	d.mu.Unlock()
	if k == nil {
		return nil
	}
	return t.diffs.release(k)
}

// outdated reports whether a trace has changed since it was compared.
func (d *diffTab) outdated() bool {
	d.mu.Lock()
	read := d.read
	d.mu.Unlock()
	for i, s := range d.sides {
		lazy.LookForAnother(s.reader)
		if st := s.reader.Status(); st.Replaced || read[i] != 0 && read[i] != st.Generation {
			return true
		}
	}
	return false
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
	quiet  int64
}

func (m *madeDiff) close() error { return errors.Join(m.reader.Close(), m.pairs.Close()) }

// run compares, and opens the result.
func (d *diffTab) run(ctx context.Context, t *Tabs, work engine, news func()) (*madeDiff, error) {
	for i := range d.sides {
		r := d.sides[i].reader
		if err := r.Wait(ctx); err != nil {
			return nil, err
		}
		d.mu.Lock()
		d.read[i] = r.Status().Generation
		d.mu.Unlock()
	}
	tell := func(done, total int64) {
		before, of := d.progress.Told()
		if d.progress.Tell(done, total); total > 0 && (of != total || 1000*done/total != 1000*before/total) {
			news()
		}
	}
	news()
	if err := d.quiet(ctx, t, work, tell, news); err != nil {
		return nil, err
	}
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
	made.equal[0], made.equal[1], made.quiet = work.Equal()
	return made, nil
}

// quiet finds what differs between A and another recording of it, if there is one.
func (d *diffTab) quiet(ctx context.Context, t *Tabs, work engine, tell lazy.Progress, news func()) (err error) {
	if d.noise == "" {
		return nil
	}
	d.begins("comparing A with " + filepath.Base(d.noise))
	news()
	other := d.sides[0].model.compare.given.Other(d.noise)
	k := t.diffs.keep(other.Close)
	defer func() { err = errors.Join(err, t.diffs.release(k)) }()
	r, _, err := t.open(ctx, other)
	if err == nil {
		err = r.Wait(ctx)
	}
	if err == nil {
		err = work.Quiet(ctx, r, tell)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(d.noise), err)
	}
	d.begins("comparing")
	return nil
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
	i := slices.IndexFunc(t.list, func(b *tab) bool { return b.diff == d })
	switch {
	case i < 0:
		return nil
	case err != nil:
		t.list[i].err = fmt.Errorf("the two cannot be compared: %w", err)
		return nil
	}
	o := d.options()
	o.Diff = &LiveDiff{Pairs: made.pairs, Timed: true, Equal: made.equal, Quiet: made.quiet, Noise: d.noise}
	for i, s := range d.sides {
		o.Diff.Sides[i] = env.Side{Name: s.name, Path: s.path, Reader: s.reader}
		_, timed := s.reader.Times()
		o.Diff.Timed = o.Diff.Timed && timed
		o.Diff.Tops[i] = query.TopSide{Word: sideNames[i], Name: s.name, R: s.reader, Below: d.parts[i]}
	}
	return t.opened(i, opened{made.reader, o, nil})
}

// options are those of the Model that the comparison was asked for in, without what belongs to its trace.
func (d *diffTab) options() Options {
	from := d.sides[0].model
	o := Options{ASCII: from.env.Glyphs.ASCII, Unicode: !from.env.Glyphs.ASCII, NoMouse: from.env.NoMouse, NoSticky: !from.tree.Sticky, Fresh: true, Raw: true}
	o.Name = d.name(from.env.Glyphs)
	o.Keys, o.Source, o.Themes, o.Theme, o.Colors, o.Program = from.compare.given.Keys, from.compare.given.Source, from.compare.given.Themes, from.compare.given.Theme, from.compare.given.Colors, from.compare.given.Program
	return o
}

// stopDiff stops the comparison of a tab that has no Model yet.
func (t *Tabs) stopDiff(i int) tea.Cmd {
	d := t.list[i].diff
	if d == nil || !d.task.Running() {
		return nil
	}
	end := t.remove(i)
	from := d.sides[0].model
	from.env.Say("stopped: nothing was compared; " + keys.ActionKey("next-difference", from.env.Glyphs) + " asks again")
	from.frame = from.newFrame()
	return end
}
