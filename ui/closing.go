package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
)

// diffs is what the tabs with comparisons have in common.
type diffs struct {
	engine func(c *comparison) engine
	others []*otherSide // traces that were opened to be compared

	mu      sync.Mutex // guards the fields below
	working sync.WaitGroup
	ended   bool
	life    context.Context    // of the traces that are opened; nil before the first is
	end     context.CancelFunc // of life
	kept    []*kept
}

// kept are a reader or temporary files that are open.
type kept struct{ close func() error } // once

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

// keep notes what is to be closed when the explorer ends, unless it is released before.
func (d *diffs) keep(closer func() error) *kept {
	k := &kept{sync.OnceValue(closer)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = append(d.kept, k)
	return k
}

// release closes what was kept.
func (d *diffs) release(k *kept) error {
	err := k.close()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = slices.DeleteFunc(d.kept, func(other *kept) bool { return other == k })
	return err
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
	for _, k := range slices.Backward(d.kept) {
		err = errors.Join(err, k.close())
	}
	return err
}

// closeTab is :close, and its key: it closes a tab, named as :trace takes it; "" is the one that is shown.
func (t *Tabs) closeTab(e *env.Env, arg string) tea.Cmd {
	if t == nil {
		return e.Say(onlyTrace(e))
	}
	i := t.shown
	if arg != "" {
		var err error
		if i, err = t.find(arg); err != nil {
			return e.Say(err.Error())
		}
	}
	if why := t.stays(t.list[i]); why != nil {
		return e.Say(why.Error())
	}
	name := t.list[i].name
	end := t.remove(i)
	t.asked.env.Say("closed " + name)
	t.asked.frame = t.asked.newFrame()
	return end
}

func onlyTrace(e *env.Env) string {
	return "no other trace is open: " + keys.ActionKey("quit", e.Glyphs) + " quits"
}

// stays tells why a tab cannot be closed.
func (t *Tabs) stays(b *tab) error {
	if !slices.ContainsFunc(t.list, func(o *tab) bool { return o != b && o.model != nil }) {
		return errors.New(onlyTrace(t.asked.env))
	}
	for i, o := range t.list {
		if d := o.diff; d != nil && b.model != nil && (d.sides[0].model == b.model || d.sides[1].model == b.model && d.sides[1].other == nil) {
			return fmt.Errorf("tab %d compares this trace: close that before (:close %d)", i+1, i+1)
		}
	}
	return nil
}

// remove removes a tab, and shows another in its place: after a diff its A. Its work is stopped. The command closes what
// no other tab uses; the caller of RunAll closes the traces that it gave.
func (t *Tabs) remove(i int) (end tea.Cmd) {
	b, shown := t.list[i], t.list[t.shown]
	t.list = slices.Delete(t.list, i, i+1)
	var err error
	if b.model != nil {
		b.model.env.Close()
		err = b.model.leave()
	}
	unused := t.unused(b)
	to := slices.Index(t.list, shown)
	if to < 0 && b.diff != nil {
		to = slices.IndexFunc(t.list, func(o *tab) bool { return o.model != nil && o.model == b.diff.sides[0].model })
	}
	if to < 0 {
		to = min(i, len(t.list)-1)
	}
	t.show(to)
	if t.asked == b.model {
		next := t.list[slices.IndexFunc(t.list, func(o *tab) bool { return o.model != nil })].model
		next.themes.kept = t.asked.themes.kept
		t.asked = next
	}
	return t.own(t.list[to], func() tea.Msg {
		if !t.diffs.begin() {
			return nil
		}
		defer t.diffs.working.Done()
		for _, u := range unused {
			u.work.Wait() // it was stopped
			err = errors.Join(err, t.diffs.release(u.kept))
		}
		if err == nil {
			return nil
		}
		return env.Failed{What: "closing " + b.name + " failed", Err: err}
	})
}

// unused is what is to be closed once work has ended.
type unused struct {
	*kept
	work *sync.WaitGroup
}

// unused returns what no tab uses any more once one is removed.
func (t *Tabs) unused(b *tab) (list []unused) {
	if d := b.diff; d != nil {
		d.task.Stop()
		d.mu.Lock()
		d.closed = true
		for _, k := range d.kept {
			list = append(list, unused{k, &d.work})
		}
		d.mu.Unlock()
	}
	for _, tab := range t.list {
		if d := tab.diff; d != nil && b.model != nil && d.sides[1].model == b.model {
			d.mu.Lock() // it may be about to start
			d.sides[1].model = nil
			d.mu.Unlock()
		}
	}
	t.diffs.others = slices.DeleteFunc(t.diffs.others, func(o *otherSide) bool {
		if o.model == b.model {
			o.model = nil
		}
		if o.model != nil || slices.ContainsFunc(t.list, func(x *tab) bool { return x.diff != nil && (x.diff.sides[0].other == o || x.diff.sides[1].other == o) }) {
			return false
		}
		list = append(list, unused{o.kept, &o.work})
		return true
	})
	return list
}
