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
