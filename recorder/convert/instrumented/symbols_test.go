package instrumented_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"tracex/lazy/eager"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// ownTable returns this program's table of functions, the address of its code, and that of a
// place in this function.
func ownTable(tb testing.TB) (table []byte, text, place uint64) {
	tb.Helper()
	path, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	f, err := elf.Open(path)
	if err != nil || f.Type != elf.ET_EXEC {
		tb.Skip("the program is not at fixed addresses in an ELF file")
	}
	defer f.Close()
	s, code := f.Section(".gopclntab"), f.Section(".text")
	if s == nil || code == nil {
		tb.Skip("the program has no table of functions")
	}
	if table, err = s.Data(); err != nil {
		tb.Fatal(err)
	}
	text = code.Addr
	if symbols, err := f.Symbols(); err == nil {
		for _, s := range symbols {
			if s.Name == "runtime.text" { // after what cgo adds
				text = s.Value
			}
		}
	}
	var pcs [1]uintptr
	runtime.Callers(1, pcs[:])
	return table, text, uint64(pcs[0])
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
	_, forest, got := convert(t, instrumented.Options{}, f)
	at := fmt.Sprint("symbols_test.go:", frame.Line)
	want := "# Thread 1 (main)\nshop.f(): <unfinished method>\n  go wait(made, 3): goroutine 21\n" +
		"# Thread 2 (goroutine 21 instrumented_test.wait ← 1 instrumented_test.start " + at + ")\nshop.f(): <unfinished method>\n" +
		"# Thread 3 (goroutine 9 strings.Clone)\nshop.f(): <unfinished method>\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	var verbose bytes.Buffer
	if err := forest.Print(&verbose, eager.PrintOptions{Verbose: true}); err != nil {
		t.Fatal(err)
	}
	if call := "shop.f(): <unfinished method> at " + at; !strings.Contains(verbose.String(), call) {
		t.Errorf("%s\nlacks %s", verbose.String(), call)
	}
}
