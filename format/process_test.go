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
		Number: 2, PID: 4712, Program: `sh"op › x`, Shown: "shop 4712", Named: true, Parent: 1, Via: 4710, PPID: 4709, Timed: true, From: 12, Began: 40,
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
	if c := noted(t, "tracex: process ", "tracex: process 0 pid 1", "tracex: process -1 pid 1", "tracex: process x", "tracex: process 3 pid x", `tracex: process 3 program "x`, "tracex: process 99999999999999999999 pid 1", "tracex: process 3 pid 1  parent 2"); HasProcesses(c) {
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
