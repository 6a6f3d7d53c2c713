package ui

import (
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// processesTrace is a trace of four processes without times: shop 1 started shop 2 in event 2, from which shop 3 descends by a
// shell, and shop 4 somewhere. Nothing else is recorded of the parent of shop 1.
func processesTrace(t *testing.T) *lazy.LazyTraceReader {
	w := formattest.NewBuilder(t)
	run, start := w.Method("app", "run", formattest.IntType), w.Method("wait", "start", format.Wait)
	notes := []format.ProcessNote{
		{Process: format.Process{Number: 1, PID: 1, Program: "shop", PPID: 77}},
		{Process: format.Process{Number: 2, PID: 2, Program: "shop", Parent: 1, Via: 2}},
		{Process: format.Process{Number: 3, PID: 3, Program: "shop", Parent: 2, Via: 9}},
		{Process: format.Process{Number: 4, PID: 4, Program: "shop", Parent: 1, Via: 4}},
		{Process: format.Process{Number: 1}, Start: format.Start{PID: 2, Thread: 1, Event: 2, In: "os/exec.(*Cmd).Run"}},
		{Process: format.Process{Number: 2}, Start: format.Start{PID: 9, Thread: 2, Event: 5, In: "os/exec.(*Cmd).Start"}},
	}
	for i, name := range []string{"shop 1", "shop 2", "shop 3", "shop 4"} {
		notes = append(notes, format.ProcessNote{Process: format.Process{Number: int64(i + 1), Shown: name, Named: true}})
	}
	for i, name := range []string{"shop 1 › main", "shop 1 › goroutine 7 app.work ← 1 app.main app.go:3", "shop 2 › main", "shop 3 › main", "shop 4 › main"} {
		w.Thread(int32(i))
		w.Name(name)
		for k := range notes {
			if i == 0 {
				w.Text(notes[k].String())
			}
		}
		w.Call(-1, run, func() {
			switch i {
			case 1:
				w.Go(-1, start, "process 2")
				w.Go(-1, start, "process 66")
			case 2:
				w.Go(-1, start, "process 9")
			}
		})
	}
	return uitest.Open(t, w.File(), lazy.Options{NoWrite: true})
}

// TestProcesses: a key leads from a process to the call that started it, and from there to the process.
func TestProcesses(t *testing.T) {
	d := drive(t, processesTrace(t), 130, 34, Options{})
	for _, c := range []struct {
		from, thread, event int32 // event -1: the thread itself
		says                string
	}{
		{2, 2, 4, ""},
		{3, 1, 3, "process 66 is not in this trace: it was not recorded, or has a trace of its own"},
		{4, 1, 2, ""},
		{5, 3, 6, "process 9 is not recorded; this one descends from it"},
		{6, 2, 5, ""},
		{7, 0, -1, "which call of shop 1 started shop 4 is not known; this is its main"},
		{0, 0, 0, "this is main: no go statement made it, and no recorded process is known that started its process"},
	} {
		d.keys(eventKeys(int(c.from)) + " O")
		n := d.m.tree.Out.Cursor.Node
		if n == nil || n.Thread() != c.thread || c.event >= 0 && (n.Point() == nil || n.Point().Event != c.event) || c.event < 0 && !n.IsThread() {
			t.Errorf("from event %d to %q, not event %d of thread %d\n%s", c.from, d.cursorText(), c.event, c.thread, d.screen())
		}
		if c.says != "" {
			d.has(c.says)
		}
	}
	d.keys(": t 3 enter d").has("process    shop 2, started by shop 1 › goroutine ", "7, in os/exec.(*Cmd).Run", "started    shop 3")
	d.keys("tab").has("process    shop 3, started by shop 2 › main,", "through process 9")
	d.keys("tab").has("process    shop 4, started by shop 1")
	d.keys("g").has("process    shop 1, started by process 77, which", "started    shop 2, shop 4")
	d.keys("t").has("▾ shop 1 › main", "    ▾ app.work g7 ← app.go:3", "      ▾ shop 2 › main", "          shop 3 › main", "      shop 4 › main")
}
