package tree

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/goroutines"
	"tracex/lazy/query/processes"
	"tracex/ui/internal/env"
)

// Starts leads from a goroutine's thread to the go statement that made it, and from the statement to the thread; and so from a process
// to the call that started it.
type Starts struct {
	Forests *goroutines.Cache

	making    env.Task // of a forest for path, and of processes
	path      startPath
	processes startedProcesses
	env       *env.Env
	tree      *Tree
}

func NewStarts(e *env.Env, t *Tree) *Starts {
	return &Starts{Forests: new(goroutines.Cache), env: e, tree: t}
}

// startPath is the last answer of Told: which goroutines led to a thread. There may be a million.
type startPath struct {
	forest *goroutines.Forest
	thread int32
	text   string
}

// Key goes from a go statement to the goroutine that it made, from a wait to the one that ended it or to the process that it started, and from any
// other row to what made the row's goroutine.
func (s *Starts) Key() tea.Cmd {
	if cmd, is := s.Follow(); is {
		return cmd
	}
	thread, ok := s.tree.Out.Thread()
	if !ok {
		return nil
	}
	return s.ToStatement(thread)
}

// nameOf returns what the name of a thread tells about its goroutine.
func nameOf(r *lazy.LazyTraceReader, thread int32) (n goroutines.Name, ok bool) {
	t, _ := r.ThreadInfo(thread)
	return goroutines.Parse(t.Name)
}

// Follow goes to the goroutine that the go statement under the cursor made, or that ended the wait there; is is false if there
// is neither.
func (s *Starts) Follow() (cmd tea.Cmd, is bool) {
	n := s.tree.Out.Cursor.Node
	if n == nil || n.Point() == nil || n.Point().Class != format.ClassCall || !n.Leaf() {
		return nil, false
	}
	in, ok := nameOf(s.env.Trace.Reader, n.Thread())
	wait := false
	s.env.Trace.Reader.WithContext(func(c *format.Context) {
		m := c.Method(n.Point().Ref)
		wait = m != nil && m.Result == format.Wait
		is = ok && m != nil && (wait || goroutines.IsStatement(m.Name))
	})
	if !is {
		return nil, false
	}
	number, guess, known := goroutines.MadeBy(n.Footer())
	if pid, is := processes.MadeBy(n.Footer()); is && wait {
		return s.toProcess(n, pid), true
	}
	if !known && wait {
		return s.env.Say("the trace does not tell which goroutine ended this wait"), true
	}
	if !known && !goroutines.Likely(s.env.Trace.Reader.ThreadList()) {
		return nil, false // a method may have any name in other languages
	}
	if !known {
		s.env.Say("the trace does not tell which goroutine this statement made: it recorded nothing")
		return nil, true
	}
	r, raw := s.env.Trace.Reader, !s.tree.Out.Tree.Folded()
	time, timed := n.Time()
	return s.tree.Jobs.ToFound("looking for the goroutine", func(ctx context.Context, progress lazy.Progress) (at lazy.Position, event int32, err error) {
		f, err := s.Forests.Get(ctx, r.ThreadList(), progress)
		if err != nil {
			return at, -1, err
		}
		i, ok := f.Find(in.Program, number)
		if !ok {
			return at, -1, fmt.Errorf("goroutine %d is not in the trace", number)
		}
		if wait && timed { // what it was in then
			if at, event, err = query.InnermostAt(ctx, r, raw, f.Of().ID(i), time.End()); err != nil || event >= 0 {
				return at, event, err
			}
		}
		return goroutines.First(ctx, r, raw, f.Of().ID(i))
	}, func() {
		if guess {
			s.env.Say(s.env.Glyphs.About + " a guess: which goroutine this statement made is not sure")
		}
	}), true
}

// ToStatement goes to the go statement that made the goroutine of a thread.
func (s *Starts) ToStatement(thread int32) tea.Cmd {
	n, ok := nameOf(s.env.Trace.Reader, thread)
	none, several := "", false
	s.env.Trace.Reader.WithContext(func(c *format.Context) { several = format.CountProcesses(c) > 0 })
	switch {
	case n.Main() && several:
		return s.toParent(thread)
	case !ok, n.Main() && !goroutines.Likely(s.env.Trace.Reader.ThreadList()):
		none = "this thread is not a goroutine that the trace knows"
	case n.Main():
		none = "this is main: no go statement made it"
	case n.Parent == 0 || n.Number == 0:
		none = "the trace does not tell who started this goroutine"
	}
	if none != "" {
		return s.env.Say(none)
	}
	r, remark := s.env.Trace.Reader, ""
	return s.tree.Jobs.ToFound("looking for the go statement", func(ctx context.Context, progress lazy.Progress) (at lazy.Position, event int32, err error) {
		f, err := s.Forests.Get(ctx, r.ThreadList(), nil)
		if err != nil {
			return at, -1, err
		}
		parent, ok := f.Find(n.Program, n.Parent)
		if !ok {
			return at, -1, fmt.Errorf("goroutine %d, which started this one, is not in the trace", n.Parent)
		}
		made, err := goroutines.FindStatement(ctx, r, f.Of().ID(parent), n.Number, progress)
		if made.Guess {
			remark = s.env.Glyphs.About + " a guess: this statement may have made another goroutine"
		}
		if !errors.Is(err, goroutines.ErrNoStatement) {
			return made.Position, made.Event, err
		}
		if n.At != "" {
			err = fmt.Errorf("%w: %s", err, n.At)
		}
		if at, ok := goroutines.WhenBegun(r, thread, f.Of().ID(parent)); ok {
			remark = fmt.Sprintf("%s; goroutine %d was here then", err, n.Parent)
			return at, -1, nil
		}
		return at, -1, err
	}, func() {
		if remark != "" {
			s.env.Say(remark)
		}
	})
}

// mostStarters bounds the goroutines that the details name.
const mostStarters = 12

// Told returns which goroutines led to that of a thread, for the details; "" if that is not known.
func (s *Starts) Told(n *lazy.Node) string {
	f := s.Forests.Last()
	if n == nil || !n.IsThread() || f == nil {
		return ""
	}
	if id := n.Thread(); s.path.forest != f || s.path.thread != id {
		s.path = startPath{forest: f, thread: id}
		if i := f.Of().Index(id); i < f.Of().Len() && f.Of().ID(i) == id {
			s.path.text = f.Path(i, mostStarters, s.env.Glyphs.Again, s.env.Glyphs.More)
		}
	}
	return s.path.text
}

// Settle finds out which goroutines, and processes, led to that of a node, if the details show them.
func (s *Starts) Settle(n *lazy.Node) tea.Cmd {
	if n == nil || !n.IsThread() || s.making.Running() {
		return nil
	}
	list, r := s.env.Trace.Reader.ThreadList(), s.env.Trace.Reader
	f, processesKnown := s.Forests.Last(), s.processes.known(list)
	name, ok := nameOf(r, n.Thread())
	forest := ok && name.Parent != 0 && (f == nil || !f.Of().Same(list))
	if !forest && processesKnown {
		return nil
	}
	return s.making.Run(s.env, func(ctx context.Context) func() tea.Cmd {
		if forest {
			s.Forests.Get(ctx, list, nil) // its only error is that no one waits for it
		}
		if processesKnown {
			return nil
		}
		all := processes.Of(r)
		return func() tea.Cmd {
			s.processes = startedProcesses{list, all}
			return nil
		}
	})
}
