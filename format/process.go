package format

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A recorder of several processes adds strings to the trace that nothing refers to: the texts of a [ProcessNote].

// ProcessNote is a string that tells something of a process: the fields of the several notes of one process add up.
//
//	tracex: process 2 pid 4712 parent 1 via 4712 ppid 4711 timed 1 from 1193000000 to 1203000000 began 1209000000 program "shop"
//	tracex: process 2 shown "shop 4712"
//	tracex: process 1 started 4712 at 1194000000 until 1195000000 thread 0 event 17 in "os/exec.(*Cmd).Run"
type ProcessNote struct {
	Process // without By and Starts
	Start   Start
}

// Process is a recorded process. Times are in ns since the recording began.
type Process struct {
	Number  int64 // from 1 on
	PID     int64
	Program string
	// Shown is the name before those of its threads, " › " between them; "" if they have none. Named is false if it has no thread.
	Shown string
	Named bool
	// Parent is the nearest recorded process from which it descends, and Via the process that this one started: itself, or
	// for example a shell between them. 0 if none is known.
	Parent, Via int64
	Became      bool  // the parent is the same process, which ran another program before
	Unsure      bool  // it may have been the program that the process of the parent ran before
	PPID        int64 // its parent, recorded or not; 0: not known
	// Via was started between From and Until, and the recording of this one began at Began. Timed is false if the trace does not tell.
	// In a note, Until is 0 if it is Began.
	From, Until, Began int64
	Timed              bool
	// ParentName names the nearest recorded process above this one, such as "shop 4711", if that is not in this trace. Elsewhere is the file
	// with the trace of that process; "" if it has no trace.
	Elsewhere, ParentName string
	// By is what started Via, if the trace tells.
	By     *Start
	Starts bool // the trace tells of processes that this one started, recorded or not
}

// Start is the start of a process, which may not be recorded.
type Start struct {
	PID           int64
	At, Until     int64  // both 0 without times
	Thread, Event int32  // the call that says so
	In            string // what the recorded function around that call called, such as os/exec.(*Cmd).Start; "" if it is not known
}

const processHead = "tracex: process "

// String returns the text of a note about the process with a number.
func (n *ProcessNote) String() string {
	b := strconv.AppendInt([]byte(processHead), n.Number, 10)
	number := func(name string, v int64) {
		if v != 0 {
			b = strconv.AppendInt(append(append(append(b, ' '), name...), ' '), v, 10)
		}
	}
	text := func(name, v string) { b = strconv.AppendQuote(append(append(append(b, ' '), name...), ' '), v) }
	number("pid", n.PID)
	number("parent", n.Parent)
	number("via", n.Via)
	if n.Became {
		number("became", 1)
	}
	if n.Unsure {
		number("unsure", 1)
	}
	number("ppid", n.PPID)
	if n.Timed {
		number("timed", 1)
		number("from", n.From)
		number("to", n.Until)
		number("began", n.Began)
	}
	if s := &n.Start; s.PID != 0 {
		number("started", s.PID)
		number("at", s.At)
		number("until", s.Until)
		number("thread", int64(s.Thread))
		number("event", int64(s.Event))
		if s.In != "" {
			text("in", s.In)
		}
	}
	if n.Program != "" {
		text("program", n.Program)
	}
	if n.Named {
		text("shown", n.Shown)
	}
	if n.ParentName != "" {
		text("trace", n.Elsewhere)
		text("of", n.ParentName)
	}
	return string(b)
}

// processes are those that strings tell of.
type processes struct {
	by     map[int64]*Process
	starts map[[2]int64][]Start // by the number of the process, and the id of the one that was started
}

const (
	// mostProcesses and mostStarted bound the processes that are known, and the pairs of one and the id of one that it started.
	mostProcesses, mostStarted = 1 << 16, 1 << 17
	// mostStarts bounds the starts that a process made of others with one id. If there are as many, none is known to be the right one.
	mostStarts = 8
	// mostBecame bounds the programs that a process ran before: further ones are not looked at for the one that started another.
	mostBecame = 64
)

// noteProcess notes what a string says of a process.
func noteProcess(c *Context, s string) {
	rest, is := strings.CutPrefix(s, processHead)
	if !is {
		return
	}
	digits, rest, _ := strings.Cut(rest, " ")
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || number <= 0 {
		return
	}
	n := ProcessNote{Process: Process{Number: number}}
	if p := c.processes.by[number]; p != nil {
		n.Process = *p
	}
	if !n.read(rest) {
		return
	}
	ps := &c.processes
	if ps.by == nil {
		ps.by, ps.starts = make(map[int64]*Process), make(map[[2]int64][]Start)
	}
	if ps.by[number] == nil && len(ps.by) >= mostProcesses {
		return
	}
	ps.by[number] = &n.Process
	if n.Start.PID != 0 {
		ps.start([2]int64{number, n.Start.PID}, n.Start)
	}
}

// start notes the start of a process.
func (ps *processes) start(key [2]int64, s Start) {
	list, known := ps.starts[key]
	switch again := slices.ContainsFunc(list, func(o Start) bool { return o.Event == s.Event }); {
	case again, len(list) == mostStarts, !known && len(ps.starts) == mostStarted:
	default:
		ps.starts[key] = append(list, s)
	}
}

// read reads the fields of a note.
func (n *ProcessNote) read(rest string) (ok bool) {
	for rest != "" {
		name, value, _ := strings.Cut(rest, " ")
		if strings.HasPrefix(value, `"`) {
			quoted, err := strconv.QuotedPrefix(value)
			if err != nil {
				return false
			}
			text, _ := strconv.Unquote(quoted)
			n.text(name, text)
			rest = strings.TrimPrefix(value[len(quoted):], " ")
			continue
		}
		value, rest, _ = strings.Cut(value, " ")
		v, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return false
		}
		n.number(name, v)
	}
	return true
}

func (n *ProcessNote) text(name, v string) {
	switch name {
	case "program":
		n.Program = v
	case "shown":
		n.Shown, n.Named = v, true
	case "trace":
		n.Elsewhere = v
	case "of":
		n.ParentName = v
	case "in":
		n.Start.In = v
	}
}

func (n *ProcessNote) number(name string, v int64) {
	switch name {
	case "pid":
		n.PID = v
	case "parent":
		n.Parent = v
	case "via":
		n.Via = v
	case "became":
		n.Became = true
	case "unsure":
		n.Unsure = true
	case "ppid":
		n.PPID = v
	case "timed":
		n.Timed = true
	case "from":
		n.From = v
	case "to":
		n.Until = v
	case "began":
		n.Began = v
	case "started":
		n.Start.PID = v
	case "at":
		n.Start.At = v
	case "until":
		n.Start.Until = v
	case "thread":
		n.Start.Thread = int32(v)
	case "event":
		n.Start.Event = int32(v)
	}
}

// CountProcesses returns how many processes a trace tells of.
func CountProcesses(c *Context) int { return len(c.processes.by) }

// Processes returns the processes that a trace tells of, in order of number. Each parent is in the list, and none is its own ancestor.
func Processes(c *Context) []Process {
	list := make([]Process, 0, len(c.processes.by))
	for _, p := range c.processes.by {
		list = append(list, *p)
	}
	slices.SortFunc(list, func(a, b Process) int { return cmp.Compare(a.Number, b.Number) })
	at := make(map[int64]int, len(list))
	for i := range list {
		at[list[i].Number] = i
	}
	orphan := func(p *Process) { p.Parent, p.Via, p.Became, p.Unsure = 0, 0, false, false }
	const walking, walked = 1, 2
	state := make([]uint8, len(list))
	for i := range list {
		var path []int
		for k, known := i, true; known && state[k] == 0; {
			state[k], path = walking, append(path, k)
			p := &list[k]
			if k, known = at[p.Parent]; !known || state[k] == walking {
				orphan(p)
				break
			}
		}
		for _, k := range path {
			state[k] = walked
		}
	}
	for key := range c.processes.starts {
		list[at[key[0]]].Starts = true
	}
	for i := range list {
		p := &list[i]
		if p.Until == 0 || p.Until > p.Began {
			p.Until = p.Began
		}
		if p.Parent == 0 || p.Became {
			continue
		}
		parent := &list[at[p.Parent]]
		p.By = startOf(c.processes.starts[[2]int64{parent.Number, p.Via}], p)
		for n := 0; n < mostBecame && p.By == nil && p.Unsure && parent.Became; n++ {
			parent = &list[at[parent.Parent]]
			p.By = startOf(c.processes.starts[[2]int64{parent.Number, p.Via}], p)
		}
		if p.By != nil {
			p.Parent, p.Unsure = parent.Number, false
		}
		if parent = &list[at[p.Parent]]; p.Timed && parent.Timed && !p.Unsure {
			p.From = min(max(p.From, parent.Began), p.Began)
		}
		p.Until = max(p.Until, p.From)
	}
	return list
}

// startOf returns which of the starts of processes with an id, at different times, is that of a process; nil if it is not sure.
func startOf(starts []Start, p *Process) (by *Start) {
	if len(starts) == mostStarts {
		return nil
	}
	for i := range starts {
		s := &starts[i]
		if p.Timed && (s.At > p.Began || s.Until < p.From) {
			continue
		}
		if by != nil && by.Event != s.Event {
			return nil
		}
		by = s
	}
	return by
}
