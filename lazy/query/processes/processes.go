// Package processes tells which process of a trace started which, and which call did.
package processes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/goroutines"
)

// All are the processes of a trace. They do not change.
type All struct {
	List []format.Process // in order of number

	at    map[int64]int  // in List, by number
	shown map[string]int // by the name before those of threads
	below [][]int        // the processes that each started, in the order in which their recordings began
}

// Of returns the processes that a trace tells of, which may be none.
func Of(r *lazy.LazyTraceReader) *All {
	a := &All{at: make(map[int64]int), shown: make(map[string]int)}
	r.WithContext(func(c *format.Context) { a.List = format.Processes(c) })
	a.below = make([][]int, len(a.List))
	for i := range a.List {
		p := &a.List[i]
		a.at[p.Number] = i
		if _, twice := a.shown[p.Shown]; p.Named && !twice {
			a.shown[p.Shown] = i
		}
	}
	for i := range a.List {
		if p := a.Parent(&a.List[i]); p != nil {
			k := a.at[p.Number]
			a.below[k] = append(a.below[k], i)
		}
	}
	for _, below := range a.below {
		slices.SortStableFunc(below, func(i, k int) int { return cmp.Compare(a.List[i].Began, a.List[k].Began) })
	}
	return a
}

// OfThread returns the process of a thread with a name; nil if the trace does not tell it.
func (a *All) OfThread(name string) *format.Process {
	program, none := "", true
	for text := range goroutines.Programs(name) {
		none = false
		if _, known := a.shown[text]; known {
			program = text
		}
	}
	if i, known := a.shown[program]; known && (none || program != "") {
		return &a.List[i]
	}
	return nil
}

// Parent returns the recorded process that started another; nil if none is known.
func (a *All) Parent(p *format.Process) *format.Process {
	if i, known := a.at[p.Parent]; known {
		return &a.List[i]
	}
	return nil
}

// Started returns the processes that one started.
func (a *All) Started(p *format.Process) (list []*format.Process) {
	for _, i := range a.below[a.at[p.Number]] {
		list = append(list, &a.List[i])
	}
	return list
}

// StartedBy returns the recorded processes below one that it started in an event. They are several if the event started a process which is not
// recorded, such as a shell, that started them.
func (a *All) StartedBy(in *format.Process, event int32) (list []*format.Process) {
	for _, p := range a.Started(in) {
		if p.By != nil && p.By.Event == event {
			list = append(list, p)
		}
	}
	return list
}

// Tree yields the processes, each followed by those that it started, with how many are above it.
func (a *All) Tree(yield func(p *format.Process, depth int) bool) {
	type open struct{ i, depth int }
	var todo []open
	push := func(list []int, depth int) {
		for _, i := range slices.Backward(list) {
			todo = append(todo, open{i, depth})
		}
	}
	var roots []int
	for i := range a.List {
		if a.Parent(&a.List[i]) == nil {
			roots = append(roots, i)
		}
	}
	for push(roots, 0); len(todo) > 0; {
		next := todo[len(todo)-1]
		if todo = todo[:len(todo)-1]; !yield(&a.List[next.i], next.depth) {
			return
		}
		push(a.below[next.i], next.depth+1)
	}
}

// Threads returns the threads of a process, and which of them is its main: the first of them if that is not in the trace. They may be none.
func (a *All) Threads(ctx context.Context, list *lazy.ThreadList, p *format.Process) (ids []int32, main int32, err error) {
	const batch = 1 << 12
	main = -1
	for from := 0; from < list.Len(); from += batch {
		list.Plain(from, min(list.Len(), from+batch), func(i int, name string) bool {
			if a.OfThread(name) != p {
				return true
			}
			if n, ok := goroutines.Parse(name); ok && n.Main() && main < 0 {
				main = list.ID(i)
			}
			ids = append(ids, list.ID(i))
			return true
		})
		if err := ctx.Err(); err != nil {
			return nil, -1, err
		}
	}
	if main < 0 && len(ids) > 0 {
		main = ids[0]
	}
	return ids, main, nil
}

// Name names a process for people: shop 4711.
func Name(p *format.Process) string { return p.Program + " " + strconv.FormatInt(p.PID, 10) }

// Origin tells what started a process, such as "by shop 4711 › goroutine 7, in os/exec.(*Cmd).Run at 1.203s"; "" if that is not known.
// name returns the name of a thread.
func (a *All) Origin(p *format.Process, name func(thread int32) string) string {
	parent := a.Parent(p)
	switch {
	case parent == nil && p.Elsewhere != "":
		return "by " + p.ParentName + ", which is in " + p.Elsewhere
	case parent == nil && p.ParentName != "":
		return "by " + p.ParentName + ", which is in no trace"
	case parent == nil && p.PPID > 0:
		return fmt.Sprintf("by process %d, which is not recorded", p.PPID)
	case parent == nil:
		return ""
	case p.Became:
		return "by itself: before, it was " + Name(parent)
	}
	text := "by " + Name(parent)
	if p.By != nil {
		if n, ok := goroutines.Parse(name(p.By.Thread)); ok {
			text += " › " + n.String()
		}
		if p.By.In != "" {
			text += ", in " + p.By.In
		}
	}
	if p.Unsure {
		text += ", or by what that was before"
	}
	if p.Via != p.PID {
		text += fmt.Sprintf(", through process %d,", p.Via)
	}
	switch {
	case !p.Timed:
		text = strings.TrimSuffix(text, ",")
	case p.By != nil:
		text += " at " + written(p.By.Until)
	case written(p.From) == written(p.Until):
		text += " at " + written(p.Until)
	default:
		text += " between " + written(p.From) + " and " + written(p.Until)
	}
	return text
}

// written writes a moment, to a tenth of a millisecond: that a program runs is not known better.
func written(ns int64) string {
	return time.Duration(max(ns, 0)).Round(100 * time.Microsecond).String()
}

// Told tells of a process what started it, and which processes it started, at most so many; each is "" if there is nothing to tell.
func (a *All) Told(p *format.Process, most int, name func(thread int32) string) (by, started string) {
	var names []string
	list := a.Started(p)
	for _, c := range list[:min(len(list), most)] {
		names = append(names, Name(c))
	}
	if started = strings.Join(names, ", "); len(list) > most {
		started += fmt.Sprintf(" and %d more", len(list)-most)
	}
	return a.Origin(p, name), started
}
