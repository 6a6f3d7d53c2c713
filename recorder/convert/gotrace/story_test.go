package gotrace

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/sources"
)

// converted converts a trace; fault is what is wrong with it.
func converted(t testing.TB, trace []byte) (got *readback.Trace, sum *calltrace.Summary, fault error) {
	t.Helper()
	got, sum, fault = readback.ConvertReader(t.Context(), &Source, bytes.NewReader(trace), calltrace.Options{})
	if got == nil {
		t.Fatal(fault)
	}
	return got, sum, fault
}

// told is a trace as text: a line for each call with its place and its time, in ns.
func told(tr *readback.Trace) string {
	var b strings.Builder
	for _, th := range tr.Threads {
		fmt.Fprintf(&b, "# %s\n", th.Name)
		th.Walk(func(p *readback.Point, depth int) {
			b.WriteString(strings.Repeat("  ", depth) + p.String())
			if p.Place != "" {
				fmt.Fprintf(&b, " at %s %s", p.Function, p.Place)
			}
			if !p.Variable {
				fmt.Fprintf(&b, " [%d+%d]", p.Start, p.Dur)
			}
			b.WriteString("\n")
		})
	}
	return b.String()
}

// shopTrace is a trace in which most that there is happens.
func shopTrace(minor int) []byte {
	m := newMaker(minor)
	m.begin(1)
	main := m.stack("main.main /src/shop/main.go:10", "runtime.main /go/src/runtime/proc.go:285")
	m.add(8, evTaskBegin, 7, 0, m.s("order"), main)
	m.add(10, evGoCreate, 5, m.stack("main.serve /src/shop/serve.go:20"), main)
	m.add(10, evGoCreate, 6, m.stack("sync.(*WaitGroup).Go.func1 /go/src/sync/waitgroup.go:238"), m.stack(
		"sync.(*WaitGroup).Go /go/src/sync/waitgroup.go:238", "main.main /src/shop/main.go:11", "runtime.main /go/src/runtime/proc.go:285"))
	m.add(10, evTaskBegin, 8, 7, m.s("pay"), main)
	m.add(10, evGoBlock, m.s("chan receive"), m.stack("runtime.chanrecv1 /go/src/runtime/chan.go:509", "main.wait /src/shop/main.go:30",
		"main.all /src/shop/main.go:31", "main.main /src/shop/main.go:12", "runtime.main /go/src/runtime/proc.go:285"))
	m.add(10, evGoStart, 5, 1)
	serve := m.stack("main.(*Shop[...]).serve /src/shop/serve.go:22", "main.serve /src/shop/serve.go:21")
	m.add(10, evRegionBegin, 7, m.s("handle"), serve)
	m.add(10, evLog, 7, m.s("item"), m.s("tea"), serve)
	m.add(10, evRegionBegin, 0, m.s("read"), serve)
	m.add(10, evSyscallBegin, 1, m.stack("syscall.read /go/src/syscall/z.go:1", "syscall.Read /go/src/syscall/s.go:2",
		"internal/poll.(*FD).Read /go/src/internal/poll/fd.go:3", "os.(*File).Read /go/src/os/file.go:4", "main.(*Shop[...]).serve /src/shop/serve.go:23", "main.serve /src/shop/serve.go:21"))
	m.add(10, evSyscallEnd)
	m.add(10, evRegionEnd, 0, m.s("read"), serve)
	m.add(10, evGoBlock, m.s("sync"), m.stack("sync.(*Mutex).Lock /go/src/sync/mutex.go:46", "main.(*Shop[...]).serve /src/shop/serve.go:24", "main.serve /src/shop/serve.go:21"))
	m.add(10, evGoStart, 6, 1)
	work := m.stack("main.main.func1 /src/shop/main.go:11", "sync.(*WaitGroup).Go.func1 /go/src/sync/waitgroup.go:239")
	m.add(10, evGoUnblock, 5, 2, work)
	m.add(10, evGoStop, m.s("preempted"), work)
	m.add(10, evGoStart, 5, 3)
	m.add(10, evRegionEnd, 7, m.s("handle"), serve)
	m.add(10, evTaskEnd, 8, serve)
	m.add(10, evGoUnblock, 1, 1, serve)
	m.add(10, evGoDestroy)
	m.add(10, evGoStart, 1, 2)
	m.add(10, evTaskEnd, 7, main)
	m.end()
	return m.out
}

const shopTold = `# main
main.main(): unfinished [0+231]
  go main.serve(): goroutine 5 at main.main main.go:10 [20+0]
  go sync.WaitGroup.Go.func1(): goroutine 6 at main.main main.go:11 [30+0]
  blocked: chan receive(in ➜ main.wait ← main.all): by goroutine 5 main.Shop.serve serve.go:22 at main.wait main.go:30 [50+150]
  waiting to run() [200+20]
# task order 7
order(id ➜ 7, goroutine ➜ 1) at main.main main.go:10 [10+220]
  task = pay 8
  region = handle in goroutine 5
  item = "tea"
# goroutine 5 main.serve ← 1 main.main main.go:10
main.serve() at main.main main.go:10 [20+190]
  waiting to run() [20+40]
  handle(task ➜ 7) at main.Shop.serve serve.go:22 [70+110]
    log(category ➜ "item", message ➜ "tea") at main.Shop.serve serve.go:22 [80+0]
    read() at main.Shop.serve serve.go:22 [90+30]
      system call: Read(in ➜ os.File.Read ← main.Shop.serve) at main.Shop.serve serve.go:23 [100+10]
    blocked: sync.Mutex.Lock(in ➜ main.Shop.serve): by goroutine 6 main.main.func1 main.go:11 at main.Shop.serve serve.go:24 [130+20]
    waiting to run() [150+20]
# task pay 8
pay(id ➜ 8, goroutine ➜ 1, parent ➜ order 7) at main.main main.go:10 [40+150]
# goroutine 6 main.main.func1 ← 1 main.main main.go:11
main.main.func1(): unfinished at main.main main.go:11 [30+201]
  waiting to run() [30+110]
  waiting to run(after ➜ preempted): unfinished at main.main.func1 main.go:11 [160+71]
`

// TestShop converts a trace of each version.
func TestShop(t *testing.T) {
	for _, minor := range []int{22, 23, 25, 26} {
		got, sum, fault := converted(t, shopTrace(minor))
		if fault != nil {
			t.Fatal(fault)
		}
		if text := told(got); text != shopTold {
			t.Errorf("Go 1.%d: got\n%s\nwant\n%s", minor, text, shopTold)
		}
		if anchor := got.Anchor.UnixNano(); minor >= 25 && anchor != 1_700_000_000e9+5-40 || minor < 25 && anchor != 0 {
			t.Errorf("Go 1.%d: the trace begins %v", minor, got.Anchor)
		}
		want := "change of a processor's state"
		if len(sum.LeftOut) != 1 || sum.LeftOut[0].What != want || sum.LeftOut[0].Count != 1 {
			t.Errorf("left out: %+v", sum.LeftOut)
		}
	}
}

// TestStories has short traces, and what they become. The goroutine 1 runs from the beginning.
func TestStories(t *testing.T) {
	for _, story := range stories {
		t.Run(story.name, func(t *testing.T) {
			m := newMaker(23)
			m.begin(1)
			story.make(m)
			m.end()
			got, sum, fault := converted(t, m.out)
			if fault != nil {
				t.Fatal(fault)
			}
			if text := told(got); text != story.want {
				t.Errorf("got\n%s\nwant\n%s", text, story.want)
			}
			var left []string
			for _, l := range sum.LeftOut {
				left = append(left, fmt.Sprintf("%d %s", l.Count, l.What))
			}
			if text := strings.Join(left, ", "); text != story.left {
				t.Errorf("left out: %s, want %s", text, story.left)
			}
		})
	}
}

// mainAt is the stack of the goroutine 1.
func (m *maker) mainAt(line int) uint64 {
	return m.stack(fmt.Sprintf("main.main /main.go:%d", line), "runtime.main /proc.go:1")
}

var stories = []struct {
	name       string
	make       func(m *maker)
	want, left string
}{
	{"before the trace", func(m *maker) {
		// They were blocked when it began; nothing is known of the goroutine 4 but that.
		m.add(8, evStatusStack, 3, noThread, goWaiting, m.stack("runtime.gopark /p.go:1", "runtime.chanrecv /c.go:2", "runtime.chanrecv1 /c.go:3", "main.recv /r.go:4"))
		m.add(10, evGoStatus, 4, noThread, goWaiting)
		m.add(10, evRegionEnd, 9, m.s("region"), m.mainAt(1))
		m.add(10, evTaskEnd, 9, m.mainAt(2))
		m.add(10, evLog, 9, m.s(""), m.s("a"), m.mainAt(3))
	}, `# goroutine 3 main.recv
main.recv(): unfinished [0+51]
  blocked: chan receive(): unfinished at main.recv r.go:4 [0+51]
# main
main.main(): unfinished [0+51]
  log(category ➜ "", message ➜ "a") at main.main main.go:3 [50+0]
# goroutine 4
goroutine(): unfinished [0+51]
  blocked(): unfinished [0+51]
`, "1 change of a processor's state, 1 end of a region that began before the trace, 1 end of a task that began before the trace"},
	{"collector", func(m *maker) {
		m.add(8, evHeapAlloc, 100)
		m.add(10, evSTWBegin, m.s("GC sweep termination"), m.mainAt(1))
		m.add(10, evGCBegin, 1, m.mainAt(1))
		m.add(10, evSTWEnd)
		m.add(10, evHeapAlloc, 200)
		m.add(10, evHeapAlloc, 200)
		m.add(10, evAssistBegin, m.mainAt(2))
		m.add(10, evAssistEnd)
		m.add(10, evGCEnd, 2)
		m.add(10, evSweepBegin, m.mainAt(3))
		m.add(10, evSweepEnd, 4096, 1024)
		m.add(10, evGoLabel, m.s("GC (idle)"))
		m.add(10, evHeapGoal, 1<<63)
		m.sample(1, m.mainAt(4))
		m.add(10, evSpan, 1, 2, 3)
	}, `# GC
heap (bytes) = 100
GC concurrent mark phase() at main.main main.go:1 [30+60]
  heap (bytes) = 200
heap goal (bytes) = 9223372036854775807
# main
main.main(): unfinished [0+141]
  stop-the-world (GC sweep termination)() at main.main main.go:1 [20+20]
  GC mark assist() at main.main main.go:2 [70+10]
  GC incremental sweep(): 4096 bytes swept, 1024 bytes reclaimed at main.main main.go:3 [100+10]
  label = GC (idle)
# stop-the-world
stop-the-world (GC sweep termination)(goroutine ➜ 1) at main.main main.go:1 [20+20]
`, "1 change of a processor's state, 1 experimental event, 1 sample of a CPU profile"},
	{"coroutine", func(m *maker) {
		m.add(8, evCreateBlocked, 5, m.stack("iter.Pull[...].func1 /iter.go:1"), m.stack("iter.Pull[...] /iter.go:2", "main.main /main.go:1", "runtime.main /proc.go:1"))
		m.add(10, evGoSwitch, 5, 1)
		m.add(10, evGoSwitch, 1, 1)
		m.add(10, evGoBlock, m.s("sleep"), m.stack("time.Sleep /s.go:1", "main.nap /main.go:2", "main.main /main.go:1", "runtime.main /proc.go:1"))
		m.on = 2
		m.add(0, evProcStatus, 1, procRunning)
		m.add(10, evGoUnblock, 1, 2, 0)
	}, `# main
main.main(): unfinished [0+51]
  go iter.Pull.func1(): goroutine 5 at main.main main.go:1 [10+0]
  blocked: coroutine(): by goroutine 5 [21+9]
  waiting to run() [30+2]
  blocked: sleep(in ➜ main.nap) at main.nap main.go:2 [40+10]
  waiting to run(): unfinished [50+1]
# goroutine 5 iter.Pull.func1 ← 1 main.main main.go:1
iter.Pull.func1(): unfinished at main.main main.go:1 [10+41]
  blocked: coroutine(): by goroutine 1 [10+10]
  waiting to run() [20+2]
  blocked: coroutine(): unfinished [31+20]
`, "2 changes of processors' states"},
	{"regions", func(m *maker) {
		// One ends in the goroutine that began it, and the other does with the goroutine.
		m.add(8, evRegionBegin, 0, m.s("main"), m.mainAt(1))
		m.add(10, evGoCreate, 5, m.stack("main.f /main.go:5"), m.mainAt(2))
		m.add(10, evGoStop, m.s("runtime.Gosched"), m.mainAt(3))
		m.add(10, evGoStart, 5, 1)
		m.add(10, evRegionBegin, 0, m.s("f"), m.stack("main.f /main.go:5"))
		m.add(10, evGoDestroy)
	}, `# main
main.main(): unfinished [0+61]
  main(): unfinished at main.main main.go:1 [10+51]
    go main.f(): goroutine 5 at main.main main.go:2 [20+0]
    waiting to run(after ➜ runtime.Gosched): unfinished at main.main main.go:3 [30+31]
# goroutine 5 main.f ← 1 main.main main.go:2
main.f() at main.main main.go:2 [20+40]
  waiting to run() [20+20]
  f(): unfinished at main.f main.go:5 [50+10]
`, "1 change of a processor's state"},
	{"overlapping", func(m *maker) {
		// A range that ends within a region, and one that was active while a goroutine was blocked.
		m.add(8, evAssistBegin, m.mainAt(1))
		m.add(10, evRegionBegin, 0, m.s("region"), m.mainAt(2))
		m.add(10, evRegionBegin, 0, m.s("inner"), m.mainAt(3))
		m.add(10, evAssistEnd)
		m.add(10, evRegionEnd, 0, m.s("inner"), m.mainAt(3))
		m.add(10, evRegionEnd, 0, m.s("region"), m.mainAt(2))
		m.add(10, evStatusStack, 3, noThread, goWaiting, m.stack("main.f /main.go:4"))
		m.add(10, evAssistActive, 3)
		m.add(10, evGoUnblock, 3, 1, m.mainAt(5))
	}, `# main
main.main(): unfinished [0+91]
  GC mark assist() at main.main main.go:1 [10+30]
    region() at main.main main.go:2 [20+20]
      inner() at main.main main.go:3 [30+10]
  region() at main.main main.go:2 [40+20]
    inner() at main.main main.go:3 [40+10]
# goroutine 3 main.f
main.f(): unfinished [0+91]
  blocked() at main.f main.go:4 [0+80]
  GC mark assist(): unfinished [80+11]
    blocked(): by goroutine 1 main.main main.go:5 at main.f main.go:4 [80+10]
    waiting to run(): unfinished [90+1]
`, "1 change of a processor's state"},
	{"system call that blocks", func(m *maker) {
		m.add(8, evSyscallBegin, 1, m.stack("runtime.cgocall /cgo.go:1", "main._Cfunc_wait /main.go:2", "main.main /main.go:1", "runtime.main /proc.go:1"))
		m.on = 2
		m.add(10, evProcSteal, 0, 2, 1)
		m.on = 1
		m.add(10, evSyscallEnd2)
	}, `# main
main.main(): unfinished [0+31]
  call of C(in ➜ main._Cfunc_wait) at main._Cfunc_wait main.go:2 [10+20]
  waiting to run(after ➜ a system call): unfinished [30+1]
`, "2 changes of processors' states"},
}

// TestPrefix converts one of several inputs: the names of all its threads have its prefix.
func TestPrefix(t *testing.T) {
	var data, index, times bytes.Buffer
	w := calltrace.New(tracefile.Files{Data: &data, Index: &index, Times: &times}, calltrace.Options{})
	defer w.Discard()
	if err := Source.Convert(t.Context(), sources.Input{Reader: bytes.NewReader(shopTrace(26))}, "shop › ", w); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := readback.Read(data.Bytes(), index.Bytes(), times.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if text, want := told(got), strings.ReplaceAll(shopTold, "# ", "# shop › "); text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
}
