package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/goroutines"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

func (p *Jobs) GoTo(a Address) tea.Cmd {
	if p.env.Trace.Made() && (a.Kind == Event || a.Kind == Place || a.Kind == Time) {
		return p.env.Say("a row of a diff has its places in A and in B: go to " + a.Text + " there, in its tab")
	}
	switch a.Kind {
	case Share:
		return p.toShare(a.Share, a.Text)
	case Thread:
		return p.toThread(a.Number, a.Text)
	case Goroutine:
		return p.toGoroutine(a.Number, a.Text)
	case Time:
		return p.toTime(a.Number)
	case Event:
		if a.Number < 0 {
			return p.env.Warn("no event " + a.Text + " in the trace")
		}
		return p.ToHandle(lazy.EventHandle(int32(a.Number)), nil)
	case Place:
		return p.ToHandle(lazy.PositionHandle(a.Place), nil)
	}
	return nil
}

func (p *Jobs) toShare(share float64, text string) tea.Cmd {
	thread, ok := p.tree.Out.Thread()
	if !ok {
		return nil
	}
	at, err := p.env.Trace.Reader.FindFraction(thread, share/100)
	if err != nil {
		return p.env.Fail(cannotGo, err)
	}
	p.tree.Visit()
	return p.Reveal(at, func(n *lazy.Node) tea.Cmd {
		if share > 100 {
			p.env.Say(text + "% is past the end of the thread: this is the end")
		}
		p.tree.Out.Settle()
		p.tree.Out.Jump(RowOf(n))
		t, _ := p.env.Trace.Reader.ThreadInfo(thread)
		slack := t.Bytes / 200
		if share >= 100 {
			slack = 0 // down to the last event
		}
		return p.tree.Aim(Toward(n, at.At, slack))
	})
}

func (p *Jobs) toThread(number int64, text string) tea.Cmd {
	t := p.tree.Out.Tree
	if p.tree.ToThread(int32(number - 1)) {
		return nil
	}
	if last := t.ThreadAt(t.ThreadCount() - 1); last != nil {
		p.env.Warn(fmt.Sprintf("no thread %s: the threads are %d to %d", text, t.ThreadAt(0).Thread()+1, last.Thread()+1))
	}
	return nil
}

// toGoroutine goes to the thread of a goroutine, in the program of the cursor if several have one of that number.
func (p *Jobs) toGoroutine(number int64, text string) tea.Cmd {
	r := p.env.Trace.Reader
	here, _ := p.tree.Out.Thread()
	in, _ := nameOf(r, here)
	var ids []int32
	return p.ToFound("looking for goroutine "+text, func(ctx context.Context, _ lazy.Progress) (at lazy.Position, event int32, err error) {
		ids, err = goroutines.Threads(ctx, r.ThreadList(), number)
		switch {
		case err != nil:
			return at, -1, err
		case len(ids) == 0:
			return at, -1, fmt.Errorf("no goroutine %s in the trace", text)
		}
		i := max(0, slices.IndexFunc(ids, func(id int32) bool { n, _ := nameOf(r, id); return n.Program == in.Program }))
		ids[0], ids[i] = ids[i], ids[0]
		return lazy.Position{Thread: ids[0], At: -1}, -1, nil
	}, func() {
		if len(ids) > 1 {
			p.env.Say(fmt.Sprintf("%s have a goroutine %s; another is :t%d", display.Plural(int64(len(ids)), "thread"), text, ids[1]+1))
		}
	})
}

// CompleteGoroutine completes the number of a goroutine, as typed so far: g4.
func (p *Jobs) CompleteGoroutine(typed string) (with []prompt.Candidate) {
	const most, read = 200, 1 << 12
	list := p.env.Trace.Reader.ThreadList()
	list.Plain(0, min(list.Len(), read), func(_ int, name string) bool {
		n, ok := goroutines.Parse(name)
		if label := goroutines.Label(n.Number); ok && n.Number > 0 && strings.HasPrefix(label, typed) {
			with = append(with, prompt.Candidate{Text: label, Title: label, Help: name})
		}
		return len(with) < most
	})
	return with
}

// toTime goes to what the thread of the cursor did at a time of the recording; or another, if it had no call open.
func (p *Jobs) toTime(ns int64) tea.Cmd {
	thread, ok := p.tree.Out.Thread()
	if !ok {
		return nil
	}
	p.tree.Visit()
	r, at := p.env.Trace.Reader, p.env.Glyphs.Exactly(ns)
	return p.Run("looking for "+at, cannotGo, func(ctx context.Context, _ lazy.Progress) (func() tea.Cmd, error) {
		found, err := r.FindTime(thread, ns)
		said := ""
		if err != nil || found.Before || found.After {
			if other, name, ok := p.ranAt(ctx, ns); ok {
				found, err, said = other, nil, "this is what "+name+" did: no call of the other thread was open at "+at
			}
		}
		if errors.Is(err, lazy.ErrNoTimes) {
			why := cmp.Or(query.WithoutTimes(r), "this trace has no times: go to an event (1204) or a position (50%)")
			if _, timed := r.Times(); timed {
				why = "nothing in this thread has a time; no call is known that was open then"
			}
			return func() tea.Cmd { return p.env.Warn(why) }, nil
		}
		switch {
		case found.Before:
			said = "no call is known that was open at " + at + ": this is the next in this thread"
		case found.After:
			said = at + " is after the last call that has ended in this thread; no call is known that was open then"
		}
		return func() tea.Cmd {
			if said != "" {
				p.env.Say(said)
			}
			return p.Show(found.Position)
		}, err
	})
}

// ranAt finds what a thread did in which a call was open at a time, and the thread's name. ok is false if none is known.
func (p *Jobs) ranAt(ctx context.Context, ns int64) (found lazy.Moment, name string, ok bool) {
	r := p.env.Trace.Reader
	for t := range r.ThreadList().All() {
		if ctx.Err() != nil {
			break
		}
		if in, ok := r.ThreadTime(t.ID); !ok || ns < in.Start || ns > in.End() {
			continue
		}
		if found, err := r.FindTime(t.ID, ns); err == nil && !found.Before && !found.After {
			if n, ok := goroutines.Parse(t.Name); ok && n.Number > 0 {
				return found, goroutines.Label(n.Number), true
			}
			return found, fmt.Sprintf("thread %d", int64(t.ID)+1), true
		}
	}
	return found, "", false
}

// ToMoment goes to what another thread did at the moment of the cursor's row.
func (p *Jobs) ToMoment(thread int32) tea.Cmd {
	n := p.tree.Out.Cursor.Node
	switch {
	case n == nil || n.IsThread():
		return p.env.Say("the cursor is on no event: it has no moment")
	case n.Thread() == thread:
		return p.env.Say("the cursor is in this thread")
	}
	at, raw, r := n.Position(), !p.tree.Out.Tree.Folded(), p.env.Trace.Reader
	name := fmt.Sprintf("looking for that moment in thread %d", int64(thread)+1)
	return p.Run(name, cannotGo, func(ctx context.Context, _ lazy.Progress) (func() tea.Cmd, error) {
		found, after, err := query.FindMoment(ctx, r, raw, at, thread)
		return func() tea.Cmd {
			p.tree.Visit()
			switch {
			case after:
				p.env.Say("the thread had done nothing before: this is its first event after")
			case found.End:
				p.env.Say("this call had ended last, at that moment")
			}
			return p.Show(found.Position)
		}, err
	})
}

// maxOthers is how many more threads with an event of the same number a message names.
const maxOthers = 3

// ToHandle goes to what a handle names, and says if several threads have its number. It first calls then, unless nil.
func (p *Jobs) ToHandle(h lazy.Handle, then func()) tea.Cmd {
	name := "looking for " + h.String()
	if h.Numbered {
		name = "looking for event " + display.Grouped(int64(h.Event))
	}
	r := p.env.Trace.Reader
	var others []int32 // threads with another event of this number
	var found lazy.Position
	return p.ToFound(name, func(ctx context.Context, _ lazy.Progress) (at lazy.Position, event int32, err error) {
		at, event, err = r.Find(ctx, h)
		if h.Numbered && err == nil {
			// It only adds to a message. An error here says nothing about the event found.
			others, _ = r.AlsoIn(ctx, event, at, maxOthers)
		}
		found = at
		return at, event, err
	}, func() {
		if then != nil {
			then()
		}
		if len(others) > 0 {
			var threads []string
			for _, id := range others {
				threads = append(threads, fmt.Sprint(int64(id)+1))
			}
			in := strings.Join(threads, ", ")
			p.env.Say("this is " + lazy.PositionHandle(found).String() + "; other events have the same number, in thread " + in)
		}
	})
}

// ToFound goes to what look finds, in the background: a position and its event, -1 for a thread. name tells
// what it does. Before it goes there, it calls then, unless that is nil.
func (p *Jobs) ToFound(name string, look func(context.Context, lazy.Progress) (lazy.Position, int32, error), then func()) tea.Cmd {
	p.tree.Visit()
	settled := p.env.Trace.Settled()
	return p.Run(name, "", func(ctx context.Context, report lazy.Progress) (func() tea.Cmd, error) {
		at, event, err := look(ctx, report)
		return func() tea.Cmd {
			if err != nil {
				text := screen.ErrorLine(err)
				if !settled {
					text += " so far: the trace is still being read"
				}
				return p.env.Warn(text)
			}
			if then != nil {
				then()
			}
			return p.Reveal(at, func(n *lazy.Node) tea.Cmd {
				p.sayHidden(n, event, at)
				return p.tree.land(n)
			})
		}, nil
	})
}

// sayHidden tells that n is shown instead of the event at a position, if it is.
func (p *Jobs) sayHidden(n *lazy.Node, event int32, at lazy.Position) {
	if event < 0 {
		return
	}
	switch err := n.ShowsEvent(event, at); {
	case err == nil:
	case p.env.Trace.Made(): // its numbers are not those of A or B
		p.env.Say("the row is hidden; " + keys.ActionKey("raw", p.env.Glyphs) + " shows it")
	default:
		p.env.Say(screen.ErrorLine(err) + "; " + keys.ActionKey("raw", p.env.Glyphs) + " shows it")
	}
}
