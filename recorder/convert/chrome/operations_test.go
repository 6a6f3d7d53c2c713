package chrome_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
)

// TestManyOperations has more asynchronous operations than are known at once: those that have ended need no memory, and none
// is lost. One lasts as long as the trace, and some use an id again.
func TestManyOperations(t *testing.T) {
	many := 140_000
	if formattest.Race {
		many = 70_000
	}
	var text strings.Builder
	event := func(phase, name string, id, ts int) {
		fmt.Fprintf(&text, "{\"ph\":%q,\"name\":%q,\"cat\":\"net\",\"id\":%d,\"ts\":%d,\"pid\":1},\n", phase, name, id, ts)
	}
	text.WriteString("[")
	event("b", "whole", 0, 1)
	for i := 1; i <= many; i++ {
		event("b", "load", i, 10*i)
		event("b", "wait", i, 10*i+1)
		if i%100 != 0 {
			event("e", "wait", i, 10*i+4)
			event("e", "load", i, 10*i+5)
			continue
		}
		event("e", "load", i, 10*i+4) // before what it has begun
		event("e", "wait", i, 10*i+5)
	}
	event("b", "again", 1, 10*many+20)
	event("e", "again", 1, 10*many+21)
	event("e", "whole", 0, 10*many+30)
	text.WriteString(`{"ph":"M","name":"process_name","pid":1,"args":{"name":"shop"}},{"ph":"M","name":"process_name","pid":2,"args":{"name":"other"}}]`)
	trace, sum, err := convert(t, text.String(), calltrace.Options{Memory: 1 << 20})
	if err != nil || len(sum.LeftOut) > 0 {
		t.Fatal(err, sum.LeftOut)
	}
	calls := map[string]int{}
	for _, thread := range trace.Threads {
		if !strings.HasPrefix(thread.Name, "shop › net ") {
			t.Fatal(thread.Name)
		}
		thread.Walk(func(p *readback.Point, _ int) { calls[fmt.Sprint(p.Name, " ", p.Dur, " ", p.Unfinished)]++ })
	}
	crossed := many / 100
	want := map[string]int{"net.again 1000 false": 1, fmt.Sprintf("net.whole %d false", 10*many*1000+29_000): 1,
		"net.load 5000 false": many - crossed, "net.wait 3000 false": many - crossed, "net.load 4000 false": crossed, "net.wait 4000 false": crossed}
	if !maps.Equal(calls, want) {
		t.Errorf("%v, want %v", calls, want)
	}
}

// TestOperationsOfProcesses: another process may end an operation, but what a process has begun itself it ends first.
func TestOperationsOfProcesses(t *testing.T) {
	const w = `{"ph":"X","name":"w","ts":0,"dur":50,"pid":2,"tid":2}`
	const tail = "# process 2 › thread 2\nw() @0s +50µs\n"
	event := func(phase, id string, pid, ts int) string {
		return fmt.Sprintf(`{"ph":%q,"cat":"c",%s,"name":"req","ts":%d,"pid":%d,"tid":%d},`, phase, id, ts, pid, pid)
	}
	const plain, local, global = `"id":"0x1"`, `"id2":{"local":"0x1"}`, `"id2":{"global":"0x1"}`
	for _, c := range []struct{ name, events, want string }{
		{"ended by another", event("b", plain, 1, 0) + event("e", plain, 2, 5),
			"# process 1 › c 0x1\nc.req() @0s +5µs\n"},
		{"the older kind", event("S", plain, 1, 0) + event("F", plain, 2, 5),
			"# process 1 › c req 0x1\nc.req() @0s +5µs\n"},
		{"an instant of another", event("b", plain, 1, 0) + event("n", plain, 2, 3) + event("e", plain, 1, 5),
			"# process 1 › c 0x1\nc.req() @0s +5µs\n  c.req() @3µs +0s\n"},
		{"both have the id", event("b", plain, 1, 0) + event("b", plain, 2, 1) + event("e", plain, 1, 5) + event("e", plain, 2, 7),
			"# process 1 › c 0x1\nc.req() @0s +5µs\n# process 2 › c 0x1\nc.req() @1µs +6µs\n"},
		{"used again", event("b", plain, 2, 0) + event("e", plain, 2, 1) + event("b", plain, 1, 2) + event("e", plain, 2, 5),
			"# process 2 › c 0x1\nc.req() @0s +1µs\n# process 1 › c 0x1\nc.req() @2µs +3µs\n"},
		{"begun by a global id", event("b", global, 1, 0) + event("b", plain, 3, 1) + event("e", plain, 3, 2) + event("n", plain, 1, 3) + event("e", plain, 2, 5),
			"# process 1 › c 0x1\nc.req() @0s +5µs\n  c.req() @1µs +1µs\n  c.req() @3µs +0s\n"},
		{"ended by a global id", event("b", plain, 1, 0) + event("b", global, 3, 1) + event("e", global, 3, 2) + event("e", global, 2, 5) + event("b", plain, 3, 6) + event("e", plain, 3, 7),
			"# process 1 › c 0x1\nc.req() @0s +5µs\n  c.req() @1µs +1µs\n# process 3 › c 0x1\nc.req() @6µs +1µs\n"},
		{"what a process has begun, and a global id", event("b", plain, 2, 0) + event("b", plain, 1, 1) + event("e", global, 1, 3) + event("e", plain, 2, 5),
			"# process 2 › c 0x1\nc.req() @0s +5µs\n# process 1 › c 0x1\nc.req() @1µs +2µs\n"},
		{"the older kind by a global id", event("S", global, 1, 0) + event("F", plain, 2, 5),
			"# process 1 › c req 0x1\nc.req() @0s +5µs\n"},
		{"a local id beside another", event("b", plain, 1, 0) + event("b", local, 1, 1) + event("e", plain, 1, 5) + event("e", local, 1, 7),
			"# process 1 › c 0x1\nc.req() @0s +5µs\n# process 1 › c 0x1\nc.req() @1µs +6µs\n"},
		{"local", event("b", local, 1, 0) + event("e", local, 2, 5),
			"# process 1 › c 0x1\nc.req(): unfinished @0s +50µs\n"},
	} {
		trace, sum, err := convert(t, "["+c.events+w+"]", calltrace.Options{})
		got := readback.Story(trace)
		if !strings.Contains(got, tail) || strings.Replace(got, tail, "", 1) != c.want || err != nil {
			t.Errorf("%s: got\n%swant\n%s%v", c.name, got, c.want, err)
		}
		left := c.name == "local"
		if (len(sum.LeftOut) > 0) != left {
			t.Errorf("%s: left out: %v", c.name, sum.LeftOut)
		}
	}
}
