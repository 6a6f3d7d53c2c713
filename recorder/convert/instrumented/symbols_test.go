package instrumented_test

import (
	"debug/elf"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// ownTable returns the table of functions of this program, where its code begins in the table's
// addresses, and how much further the code is in memory.
func ownTable(tb testing.TB) (table []byte, text, moved uint64) {
	path, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	f, err := elf.Open(path)
	if err != nil {
		tb.Skip("the program is no ELF file")
	}
	defer f.Close()
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if s := f.Section(name); s != nil {
			table, err = s.Data()
		}
	}
	code := f.Section(".text")
	if err != nil || table == nil || code == nil {
		tb.Skip("the program has no table of functions: ", err)
	}
	symbols, _ := f.Symbols()
	text = code.Addr
	for _, s := range symbols {
		if s.Name == "runtime.text" {
			text = s.Value
		}
		if s.Name == "runtime.main" {
			moved = uint64(mainEntry()) - s.Value
		}
	}
	return table, text, moved
}

// mainEntry is where runtime.main begins.
func mainEntry() uintptr {
	stack := make([]uintptr, 100)
	frames := runtime.CallersFrames(stack[:runtime.Callers(0, stack)])
	for {
		f, more := frames.Next()
		if f.Function == "runtime.main" {
			return f.Entry
		}
		if !more {
			return 0
		}
	}
}

// start is started as a goroutine, and returns where the statement is: an address in it.
//
//go:noinline
func start(made chan uintptr) (pc uintptr) {
	go wait(made, 3)
	var pcs [1]uintptr
	runtime.Callers(1, pcs[:])
	return pcs[0]
}

//go:noinline
func wait(made chan uintptr, n int) { made <- uintptr(n) }

func TestNamesOfGoroutines(t *testing.T) {
	table, text, _ := ownTable(t)
	entry := func(f any) uint64 { return uint64(reflect.ValueOf(f).Pointer()) }
	made := make(chan uintptr, 1)
	place := uint64(start(made)) // one line after the go statement's
	<-made
	frame, _ := runtime.CallersFrames([]uintptr{uintptr(place)}).Next()
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter, Table: table, Text: text})
	main := f.Goroutine(1 << 10)
	main.Begin(1, 0, 0, 0)
	fn := &raw.Function{ID: 1, Package: "shop", Name: "f"}
	leaf := &raw.Function{ID: 2, Flags: raw.FunctionGo, Package: "shop", Name: "go wait(made, 3)", File: "/x/symbols_test.go", Line: frame.Line}
	main.Enter(fn, uint32(place-text))
	main.Go(leaf)
	child := f.Goroutine(2 << 10)
	child.Begin(21, 1, place, entry(wait))
	child.Enter(fn, 0)
	timer := f.Goroutine(3 << 10)
	timer.Begin(9, 0, 0, entry(strings.Clone))
	timer.Enter(fn, 0)
	_, _, got := convert(t, instrumented.Options{}, f)
	at := fmt.Sprint("symbols_test.go:", frame.Line)
	want := "# Thread 1 (main)\nshop.f(): <unfinished method>\n  go wait(made, 3): goroutine 21\n" +
		"# Thread 2 (goroutine 21 instrumented_test.wait ← 1 instrumented_test.start " + at + ")\nshop.f(): <unfinished method>\n" +
		"# Thread 3 (goroutine 9 strings.Clone)\nshop.f(): <unfinished method>\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
