package interop

import (
	"path/filepath"
	"testing"

	"tracex/recorder/convert/chrome"
)

const nodeProgram = `const fs = require('fs');
const { performance } = require('perf_hooks');
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
performance.mark('before');
fib(20);
performance.mark('after');
performance.measure('fib', 'before', 'after');
console.time('read');
fs.statSync('program.js');
fs.readFile('program.js', () => { console.timeEnd('read'); setTimeout(() => {}, 1); });
Promise.resolve().then(() => {});
`

// TestNode records a program with Node's trace events: begins and ends, also asynchronous ones, complete
// events and instants. It compares their numbers, and the durations of complete ones.
func TestNode(t *testing.T) {
	node := need(t, "node")
	dir := t.TempDir()
	write(t, dir, "program.js", nodeProgram)
	run(t, dir, node, "--trace-event-categories", "v8,node,node.async_hooks,node.perf,node.fs.sync", "--trace-event-file-pattern", "trace.json", "program.js")
	path := filepath.Join(dir, "trace.json")
	plain := readPlainly(t, path)
	got, _ := convert(t, &chrome.Source, path)
	want, complete := map[string]totals{}, map[string]bool{}
	for i := range plain.Events {
		e := &plain.Events[i]
		name := e.Name
		if e.Category != "" {
			name = e.Category + "." + name
		}
		s := want[name]
		switch e.Phase {
		case "X":
			complete[name] = true
			s.duration += nanoseconds(t, e.Duration)
		case "B", "b", "I", "i", "n":
		default:
			continue
		}
		s.calls++
		want[name] = s
	}
	sums := convertedTotals(got)
	for name, s := range sums {
		if !complete[name] { // its duration is not in the event
			sums[name] = totals{calls: s.calls}
		}
	}
	if len(want) < 10 {
		t.Fatalf("only %d kinds of events", len(want))
	}
	compareTotals(t, sums, want)
}
