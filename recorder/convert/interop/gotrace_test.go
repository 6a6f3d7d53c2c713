package interop

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tracex/recorder/convert/gotrace"
)

// The module whose test is traced.
const (
	shopModule = "module example.com/shop\n\ngo 1.24\n"
	shopTest   = `package shop

import (
	"context"
	"os"
	"runtime/trace"
	"sync"
	"testing"
)

func serve(ctx context.Context, orders, served chan int) {
	for n := range orders {
		ctx, task := trace.NewTask(ctx, "order")
		trace.WithRegion(ctx, "cook", func() {
			defer trace.StartRegion(ctx, "boil").End()
			trace.Logf(ctx, "table", "%d", n)
			if _, err := os.Stat("shop_test.go"); err != nil {
				panic(err)
			}
			served <- n
		})
		task.End()
	}
}

func TestShop(t *testing.T) {
	ctx, task := trace.NewTask(context.Background(), "day")
	defer task.End()
	orders, served := make(chan int), make(chan int)
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			serve(ctx, orders, served)
		}()
	}
	go func() {
		for n := range 50 {
			orders <- n
		}
		close(orders)
		wg.Wait()
		close(served)
	}()
	sum := 0
	for n := range served {
		sum += n
	}
	if sum != 1225 {
		t.Error(sum)
	}
}
`
)

// parsedEvent is a line of go tool trace -d=parsed that begins an event.
var parsedEvent = regexp.MustCompile(` G=(-?\d+) (\w+) Time=`)

// parsedField finds a field of an event.
func parsedField(line, name string) string {
	_, after, ok := strings.Cut(line, name+"=")
	if !ok {
		return ""
	}
	if strings.HasPrefix(after, "\"") {
		after, _, _ = strings.Cut(after[1:], "\"")
		return after
	}
	after, _, _ = strings.Cut(after, " ")
	return after
}

// TestGoTrace runs go test -trace, and compares the converted trace with what go tool trace prints: regions,
// logs and go statements of each goroutine, its changes of state by reason, and tasks.
func TestGoTrace(t *testing.T) {
	goCommand := need(t, "go")
	dir := t.TempDir()
	write(t, dir, "go.mod", shopModule)
	write(t, dir, "shop_test.go", shopTest)
	file := filepath.Join(dir, "shop.trace")
	run(t, dir, goCommand, "test", "-count=1", "-trace", file, ".")
	want := map[string]int{}
	for line := range strings.Lines(string(run(t, dir, goCommand, "tool", "trace", "-d=parsed", file))) {
		m := parsedEvent.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		countParsed(want, "goroutine "+m[1], m[2], strings.TrimSuffix(line, "\n"))
	}
	got := map[string]int{}
	trace, _ := convert(t, &gotrace.Source, file)
	for _, th := range trace.Threads {
		countConverted(got, th)
	}
	if !maps.Equal(got, want) {
		for _, diff := range differences(got, want) {
			t.Error(diff)
		}
	}
	for what, n := range map[string]int{"task order": 50, "task day": 1} {
		if got[what] != n {
			t.Errorf("%d of %s, want %d", got[what], what, n)
		}
	}
	if log := trace.Anchor; log.Year() < 2020 {
		t.Errorf("the trace is of %v", log)
	}
}

// countParsed counts an event of a goroutine.
func countParsed(to map[string]int, goroutine, kind, line string) {
	switch kind {
	case "RegionBegin":
		to[fmt.Sprintf("%s: region %s of %s", goroutine, parsedField(line, "Type"), parsedField(line, "Task"))]++
	case "Log":
		to[fmt.Sprintf("%s: log %s %s", goroutine, parsedField(line, "Category"), parsedField(line, "Message"))]++
	case "TaskBegin":
		to["task "+parsedField(line, "Type")]++
	case "StateTransition":
		id := parsedField(line, "GoID")
		if id == "" {
			return
		}
		// "GoID=7 Running->Waiting Reason="
		_, change, _ := strings.Cut(line, "GoID="+id+" ")
		change, _, _ = strings.Cut(change, " ")
		from, toState, _ := strings.Cut(change, "->")
		if from == "NotExist" && goroutine != "goroutine -1" {
			to[goroutine+": go "+id]++
		}
		if from == toState {
			return
		}
		switch toState {
		case "Waiting", "Runnable", "Syscall":
			to["goroutine "+id+": "+toState]++
		}
	}
}
