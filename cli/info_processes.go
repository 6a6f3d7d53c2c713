package cli

import (
	"bufio"
	"strings"
	"text/tabwriter"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/processes"
)

// processFacts are the facts about a process of a trace of instrumented Go programs.
type processFacts struct {
	Process int64  `json:"process"` // its number, from 1 on
	PID     int64  `json:"pid"`
	Program string `json:"program"`
	Name    string `json:"name,omitempty"` // what the names of its threads begin with
	// Parent is the number of the nearest recorded process from which it descends, and Via the process that this one started,
	// if that is another one. Became: it is that process, which ran another program before.
	Parent int64 `json:"parent,omitempty"`
	Via    int64 `json:"via_pid,omitempty"`
	Became bool  `json:"became,omitempty"`
	Unsure bool  `json:"unsure,omitempty"` // the process of the parent may have run another program then
	// ParentPID is its own parent, recorded or not. ParentTrace and ParentProgram are of a parent that has a trace of its own.
	ParentPID     int64  `json:"parent_pid,omitempty"`
	ParentTrace   string `json:"parent_trace,omitempty"`
	ParentProgram string `json:"parent_program,omitempty"`
	// Start is when its recording began. The process that the parent started was started between StartedAfter and StartedBefore.
	Start         *int64      `json:"start,omitempty"`
	StartedAfter  *int64      `json:"started_after,omitempty"`
	StartedBefore *int64      `json:"started_before,omitempty"`
	Duration      *int64      `json:"duration,omitempty"` // up to its last event
	Threads       int64       `json:"threads"`
	Events        int64       `json:"events"`
	Calls         int64       `json:"calls"`
	StartedBy     *startFacts `json:"started_by,omitempty"`

	depth int    // in the tree
	by    string // what started it, for a person
}

// startFacts are the facts about the call that started a process.
type startFacts struct {
	Thread   int64  `json:"thread"`
	Event    int32  `json:"event"`
	Handle   string `json:"handle"`
	Function string `json:"function,omitempty"` // what the recorded function called
	Start    *int64 `json:"start,omitempty"`
	Duration *int64 `json:"duration,omitempty"`
}

// gatherProcesses returns the facts about processes as a tree: each is followed by those that it started.
func gatherProcesses(r *lazy.LazyTraceReader, threads *lazy.ThreadCounts) (list []processFacts) {
	all := processes.Of(r)
	if len(all.List) == 0 {
		return nil
	}
	name := func(thread int32) string {
		t, _ := r.ThreadInfo(thread)
		return t.Name
	}
	at, ends := make(map[int64]int, len(all.List)), make([]int64, len(all.List))
	for p, depth := range all.Tree {
		at[p.Number] = len(list)
		list = append(list, factsOfProcess(p))
		x := &list[len(list)-1]
		x.depth, x.by = depth, all.Origin(p, name)
	}
	for c := range threads.All() {
		p := all.OfThread(name(c.ID))
		if p == nil {
			continue
		}
		i := at[p.Number]
		x := &list[i]
		x.Threads++
		x.Events += c.Points
		x.Calls += c.Calls
		if t, ok := r.ThreadTime(c.ID); ok {
			ends[i] = max(ends[i], t.End())
		}
	}
	for i := range list {
		if x := &list[i]; x.Start != nil && x.Threads > 0 {
			ns := max(ends[i]-*x.Start, 0)
			x.Duration = &ns
		}
	}
	return list
}

// factsOfProcess returns what the trace tells of a process itself.
func factsOfProcess(p *format.Process) processFacts {
	x := processFacts{
		Process: p.Number, PID: p.PID, Program: p.Program, Name: p.Shown, Parent: p.Parent, Became: p.Became, Unsure: p.Unsure,
		ParentPID: p.PPID, ParentTrace: p.Elsewhere, ParentProgram: p.ParentName,
	}
	if p.Via != p.PID {
		x.Via = p.Via
	}
	if p.Timed {
		x.Start = &p.Began
		if p.Parent != 0 && !p.Became {
			x.StartedAfter, x.StartedBefore = &p.From, &p.Until
		}
	}
	if s := p.By; s != nil {
		x.StartedBy = &startFacts{Thread: int64(s.Thread) + 1, Event: s.Event, Handle: lazy.EventHandle(s.Event).String(), Function: s.In}
		if p.Timed {
			ns := s.Until - s.At
			x.StartedBy.Start, x.StartedBy.Duration = &s.At, &ns
		}
	}
	return x
}

// writeProcesses writes the tree of processes, at most limit of them unless that is 0, if there are several or something is known of what
// started the only one.
func writeProcesses(w *bufio.Writer, list []processFacts, limit int) error {
	if len(list) == 0 || len(list) == 1 && list[0].ParentProgram == "" {
		return nil
	}
	out := tabwriter.NewWriter(w, 0, 8, columnGap, ' ', 0)
	out.Write([]byte("\nprocesses\tduration\tthreads\tcalls\tstarted\n"))
	shown := list
	if limit > 0 {
		shown = list[:min(limit, len(list))]
	}
	for i := range shown {
		x := &shown[i]
		length := ""
		if x.Duration != nil {
			length = time.Duration(*x.Duration).Round(time.Microsecond).String()
		}
		p := format.Process{Program: x.Program, PID: x.PID}
		name := strings.Repeat("  ", 1+min(x.depth, mostIndented)) + processes.Name(&p)
		cells := []string{printable(name), length, display.Grouped(x.Threads), display.Grouped(x.Calls), printable(x.by)}
		out.Write([]byte(strings.TrimRight(strings.Join(cells, "\t"), "\t") + "\n"))
	}
	if more := len(list) - len(shown); more > 0 {
		out.Write([]byte("  … " + display.Grouped(int64(more)) + " more (--limit 0)\n"))
	}
	return out.Flush()
}
