package format

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// noted returns a context that has read some notes.
func noted(t *testing.T, notes ...string) *Context {
	t.Helper()
	c := NewContext(Newest)
	for i, s := range notes {
		b, err := (&StringObject{ID: int32(i), Value: s}).Append(nil, Newest)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Add(b); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// TestProcessNote: what the notes of a process say adds up, in any order.
func TestProcessNote(t *testing.T) {
	want := Process{
		Number: 2, PID: 4712, Program: `sh"op › x`, Shown: "shop 4712", Named: true, Parent: 1, Via: 4710, PPID: 4709, Timed: true, From: 12, Until: 30, Began: 40,
		Elsewhere: "a b.bin", ParentName: "shop 1",
	}
	about := ProcessNote{Process: want}
	about.Shown, about.Named = "", false
	named := ProcessNote{Process: Process{Number: 2, Shown: "shop 4712", Named: true}}
	start := ProcessNote{Process: Process{Number: 1}, Start: Start{PID: 4710, At: 13, Until: 14, Thread: 3, Event: 17, In: "os/exec.(*Cmd).Run"}}
	first := ProcessNote{Process: Process{Number: 1, PID: 1, Program: "x", Timed: true, From: -7, Began: 2}}
	for _, order := range [][]*ProcessNote{{&about, &named, &start, &first}, {&first, &start, &start, &named, &about}} {
		var notes []string
		for _, n := range order {
			notes = append(notes, n.String())
		}
		list := Processes(noted(t, notes...))
		want.By = &start.Start
		if len(list) != 2 || !reflect.DeepEqual(list[1], want) || list[0].From != -7 {
			t.Errorf("%v\n%+v\n%+v", notes, list, want)
		}
	}
}

// TestProcessesHostile: notes that are none are left alone, and parents that are not there, or that are each other's, are none.
func TestProcessesHostile(t *testing.T) {
	if c := noted(t, "tracex: process ", "tracex: process 0 pid 1", "tracex: process -1 pid 1", "tracex: process x", "tracex: process 3 pid x", `tracex: process 3 program "x`, "tracex: process 99999999999999999999 pid 1", "tracex: process 3 pid 1  parent 2"); CountProcesses(c) > 0 {
		t.Errorf("%+v", Processes(c))
	}
	list := Processes(noted(t, "tracex: process 1 pid 1 parent 1", "tracex: process 2 parent 3", "tracex: process 3 parent 4", "tracex: process 4 parent 2", "tracex: process 5 parent 77", "tracex: process 6 parent 5 unknown 8 word \"y\"", "tracex: process 7 parent 6 became 1"))
	var b strings.Builder
	for _, p := range list {
		fmt.Fprint(&b, p.Parent, " ")
	}
	// In a circle, the last link is left out.
	if got := b.String(); got != "0 3 4 0 0 5 6 " {
		t.Errorf("parents %s", got)
	}
	starts := []string{"tracex: process 1 timed 1 from 1 began 10", "tracex: process 2 pid 9 parent 1 via 9 timed 1 from 20 began 30", "tracex: process 1 started 9 at 21 until 22 event 4", "tracex: process 1 started 9 at 5 until 6 event 3"}
	if by := Processes(noted(t, starts...))[1].By; by == nil || by.Event != 4 {
		t.Errorf("started by %+v", by)
	}
	starts = append(starts, "tracex: process 1 started 9 at 23 until 24 event 5")
	if by := Processes(noted(t, starts...))[1].By; by != nil {
		t.Errorf("two calls may have been it, not only %+v", by)
	}
	// A long line is followed in time.
	var long []string
	for i := range 50_000 {
		long = append(long, fmt.Sprintf("tracex: process %d parent %d", i+1, (i+1)%50_000+1))
	}
	if list := Processes(noted(t, long...)); len(list) != 50_000 || list[49_999].Parent != 0 {
		t.Errorf("%d processes, the last one's parent is %d", len(list), list[len(list)-1].Parent)
	}
}

// TestProcessStarted: when a process was started, as far as that is told, and whether its parent tells of starts.
func TestProcessStarted(t *testing.T) {
	const parent = "tracex: process 1 timed 1 began 100"
	for _, c := range []struct {
		note, more  string
		from, until int64
		starts      bool
	}{
		{"from 120 to 130 began 150", "", 120, 130, false},
		{"from 120 began 150", "", 120, 150, false},
		{"from 120 to 200 began 150", "", 120, 150, false},
		{"from 95 to 105 began 150", "", 100, 105, false}, // not before the parent began
		{"from 85 to 95 began 150", "", 100, 100, false},
		{"from 95 to 105 began 150 unsure 1", "", 95, 105, false},
		{"from 120 to 110 began 150", "started 7 at 1 until 2 event 3", 120, 120, true},
	} {
		list := Processes(noted(t, parent, "tracex: process 2 parent 1 via 9 timed 1 "+c.note, "tracex: process 1 "+c.more))
		if p := &list[1]; p.From != c.from || p.Until != c.until || list[0].Starts != c.starts || p.By != nil {
			t.Errorf("%s: %+v", c.note, p)
		}
	}
}

// TestProcessesMany: many programs of one process, and many starts with one id, are followed so far only.
func TestProcessesMany(t *testing.T) {
	const n = 20_000
	for by, want := range map[int]int32{n: 7, n - mostBecame + 1: 7, n - mostBecame: 0, 1: 0} {
		programs := []string{"tracex: process 1 pid 1"}
		for i := range n {
			programs = append(programs, fmt.Sprintf("tracex: process %d parent %d became 1", i+2, i+1), fmt.Sprintf("tracex: process %d parent %d via 9 unsure 1", n+2+i, n+1))
		}
		got := int32(0)
		if p := Processes(noted(t, append(programs, fmt.Sprintf("tracex: process %d started 9 event 7", by))...))[2*n]; p.By != nil {
			got = p.By.Event
		}
		if got != want {
			t.Errorf("of %d programs, that before %d: started by %d, expected %d", n+1, n+1-by, got, want)
		}
	}
	var notes []string
	for i := range n {
		notes = append(notes, fmt.Sprintf("tracex: process 1 started 9 event %d", i))
	}
	if got := len(noted(t, notes...).processes.starts[[2]int64{1, 9}]); got != mostStarts {
		t.Errorf("%d starts are kept", got)
	}
	repeated := noted(t, "tracex: process 1 pid 1", "tracex: process 2 parent 1 via 9", "tracex: process 1 started 9 event 1", "tracex: process 1 started 9 event 1")
	if by := Processes(repeated)[1].By; by == nil || by.Event != 1 {
		t.Errorf("started by %+v", by)
	}
	for i := range mostStarts { // at other times than the process was started
		repeated = noted(t, "tracex: process 2 parent 1 via 9 timed 1 from 500 began 600", "tracex: process 1 timed 1 began 1")
		for k := range i + 1 {
			at := 10 * int64(k+1)
			if k == i {
				at = 510
			}
			repeated.processes.start([2]int64{1, 9}, Start{PID: 9, At: at, Until: at + 1, Event: int32(k)})
		}
		if by := Processes(repeated)[1].By; (by != nil) != (i+1 < mostStarts) || by != nil && by.Event != int32(i) {
			t.Errorf("the last of %d starts: %+v", i+1, by)
		}
	}
}
