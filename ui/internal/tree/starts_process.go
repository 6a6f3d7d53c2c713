package tree

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/goroutines"
	"tracex/lazy/query/processes"
	"tracex/ui/internal/keys"
)

// startedProcesses are the processes of a list of threads.
type startedProcesses struct {
	list *lazy.ThreadList
	all  *processes.All
}

// known reports whether they are those of a list.
func (s *startedProcesses) known(list *lazy.ThreadList) bool {
	return s.list != nil && s.list.Same(list)
}

// Process returns texts for the details of a thread: the name of its process with what started that, and the processes that it started. Each is
// "" if the trace does not tell.
func (s *Starts) Process(n *lazy.Node) (name, started string) {
	if n == nil || !n.IsThread() || s.processes.all == nil || len(s.processes.all.List) == 0 {
		return "", ""
	}
	r := s.env.Trace.Reader
	fullName := func(thread int32) string {
		t, _ := r.ThreadInfo(thread)
		return t.Name
	}
	p := s.processes.all.OfThread(fullName(n.Thread()))
	if p == nil || len(s.processes.all.List) == 1 && p.ParentName == "" {
		return "", ""
	}
	name = processes.Name(p)
	by, started := s.processes.all.Told(p, mostStarters, fullName)
	if by != "" {
		name += ", started " + by
	}
	return name, started
}

// toParent goes to what started the process of a main.
func (s *Starts) toParent(thread int32) tea.Cmd {
	r, raw, remark := s.env.Trace.Reader, !s.tree.Out.Tree.Folded(), ""
	return s.tree.Jobs.ToFound("looking for what started the process", func(ctx context.Context, _ lazy.Progress) (at lazy.Position, event int32, err error) {
		all := processes.Of(r)
		t, _ := r.ThreadInfo(thread)
		p := all.OfThread(t.Name)
		if p == nil || all.Parent(p) == nil {
			text := "this is main: no go statement made it, and no recorded process is known that started its process"
			if p != nil && p.ParentName != "" {
				text = "this is main: the process was started " + all.Origin(p, nil)
			}
			return at, -1, errors.New(text)
		}
		parent := processes.Name(all.Parent(p))
		at, event, how, err := all.Call(ctx, r, raw, p)
		switch {
		case err != nil:
			return at, event, err
		case at.Thread < 0:
			return at, -1, fmt.Errorf("%s started this process; none of its calls is in the trace", parent)
		case p.Became:
			remark = "the process was " + parent + " before"
		case how == processes.Inferred:
			remark = s.env.Glyphs.About + " inferred: no other goroutine of " + parent + " had a recorded call open when it started " + processes.Name(p)
		case how == processes.Unknown && event < 0:
			remark = fmt.Sprintf("which call of %s started %s is not known; this is its main", parent, processes.Name(p))
		case how == processes.Unknown:
			remark = fmt.Sprintf("which call of %s started %s is not known: its main was here then; %s shows the others", parent, processes.Name(p), keys.ActionKey(string(keys.At), s.env.Glyphs))
		}
		return at, event, nil
	}, func() {
		if remark != "" {
			s.env.Say(remark)
		}
	})
}

// toProcess goes to the process that the wait at n started, which has an id.
func (s *Starts) toProcess(n *lazy.Node, pid int64) tea.Cmd {
	r, raw, remark := s.env.Trace.Reader, !s.tree.Out.Tree.Folded(), ""
	thread, event := n.Thread(), n.Point().Event
	return s.tree.Jobs.ToFound("looking for the process", func(ctx context.Context, _ lazy.Progress) (at lazy.Position, _ int32, err error) {
		all := processes.Of(r)
		t, _ := r.ThreadInfo(thread)
		var list []*format.Process
		if in := all.OfThread(t.Name); in != nil {
			list = all.StartedBy(in, event)
		}
		for _, p := range list {
			_, main, err := all.Threads(ctx, r.ThreadList(), p)
			if err != nil {
				return at, -1, err
			}
			if main < 0 {
				continue
			}
			if len(list) > 1 {
				remark = fmt.Sprintf("%d recorded processes descend from process %d; this is one", len(list), pid)
			} else if p.PID != pid {
				remark = fmt.Sprintf("process %d is not recorded; this one descends from it", pid)
			}
			return goroutines.First(ctx, r, raw, main)
		}
		return at, -1, fmt.Errorf("process %d is not in this trace: it was not recorded, or has a trace of its own", pid)
	}, func() {
		if remark != "" {
			s.env.Say(remark)
		}
	})
}
