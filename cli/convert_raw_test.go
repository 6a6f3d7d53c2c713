//go:build linux

package cli

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// ownRaw is the raw file of a program that made so many calls of one function.
func ownRaw(pid uint64, calls int) *rawtest.File { return rawFile(rawtest.Options{PID: pid}, calls) }

func rawFile(o rawtest.Options, calls int) *rawtest.File {
	o.Program, o.Clock = "/bin/shop", raw.ClockCounter
	f := rawtest.New(o)
	g := f.Goroutine(1 << 7)
	g.Begin(1, 0, 0, 0)
	sell := &raw.Function{ID: 1, Line: 10, Package: "example.com/shop", Name: "sell", File: "/src/shop/main.go"}
	for range calls {
		g.Enter(sell, 0)
		g.Exit(sell)
	}
	return f
}

// TestConvertNothing: raw files without calls make no trace, and leave an existing one.
func TestConvertNothing(t *testing.T) {
	full := ownRaw(1, 0)
	full.Header(raw.AtReason, raw.ReasonAllocate)
	damaged := ownRaw(2, 0)
	damaged.Header(raw.AtVersion, 99)
	for _, c := range []struct {
		file *rawtest.File
		want string
	}{
		{ownRaw(1, 0), "no trace written: no recorded function was called\nhint: "},
		{full, "no trace written: shop (1): the recording ended early, as the disk is full"},
		{damaged, "no trace written: no calls can be read in "},
	} {
		dir := t.TempDir()
		path, out := filepath.Join(dir, "1-1"+raw.Suffix), filepath.Join(dir, "trace.bin")
		c.file.Save(t, path)
		for _, from := range []string{path, dir} {
			stdout, stderr, exit := runCommand(t, "convert", "-o", out, from)
			if exit != exitFailure || stdout != "" || !strings.Contains(stderr, c.want) {
				t.Errorf("%s: exit code %d, %s%s", c.want, exit, stdout, stderr)
			}
		}
		ownRaw(1, 3).Save(t, path)
		if _, stderr, exit := runCommand(t, "convert", "-o", out, dir); exit != 0 || !strings.Contains(stderr, "recorded 3 calls of 1 function") {
			t.Errorf("exit code %d, %s", exit, stderr)
		}
		c.file.Save(t, path)
		if _, stderr, exit := runCommand(t, "convert", "--force", "-o", out, path); exit != exitFailure || !strings.Contains(stderr, c.want) {
			t.Errorf("exit code %d, %s", exit, stderr)
		}
		if text, stderr, exit := runCommand(t, "print", out); exit != 0 || strings.Count(text, "sell()") != 3 {
			t.Errorf("exit code %d, %s%s", exit, text, stderr)
		}
		if left := formattest.Names(t, dir); len(left) != 4 {
			t.Errorf("there are %q", left)
		}
	}
}

// TestConvertNoTimes: a trace of programs that recorded no times has no file of times, even where it replaces
// one that had; answers count events.
func TestConvertNoTimes(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "1-1"+raw.Suffix), filepath.Join(dir, "trace.bin")
	sell := &raw.Function{ID: 1, Package: "example.com/shop", Name: "sell", File: "/src/shop/main.go"}
	for _, clock := range []uint32{raw.ClockCounter, raw.ClockNone} {
		f := rawtest.New(rawtest.Options{Clock: clock})
		g := f.Goroutine(1 << 7)
		g.Begin(1, 0, 0, 0)
		g.Enter(sell, 0)
		g.Enter(sell, 0)
		g.Exit(sell)
		g.Exit(sell)
		f.Save(t, path)
		if _, stderr, exit := runCommand(t, "convert", "--force", "-o", out, path); exit != 0 {
			t.Fatal(stderr)
		}
		timed := clock != raw.ClockNone
		if exists(out+format.TimesSuffix) != timed {
			t.Errorf("clock %d: a file of times: %v", clock, !timed)
		}
		if text, _, _ := runCommand(t, "info", out); strings.Contains(text, "\nrecorded ") != timed {
			t.Errorf("clock %d: info says %s", clock, text)
		}
		if text, _, _ := runCommand(t, "top", "--json", out); strings.Contains(text, `"self":`) != timed || strings.Contains(text, `"own_share":`) == timed {
			t.Errorf("clock %d: top says %s", clock, text)
		}
	}
}

// TestThrowsGoexit: runtime.Goexit, a usual end of goroutines, is not an exception that left one.
func TestThrowsGoexit(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "1-1"+raw.Suffix), filepath.Join(dir, "trace.bin")
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
	var calls [3]*raw.Function
	for i, name := range []string{"TestSkip", "skip", "fail"} {
		calls[i] = &raw.Function{ID: uint32(i + 1), Package: "example.com/shop", Name: name, File: "/src/shop/shop_test.go"}
	}
	for id := range uint64(2) {
		g := f.Goroutine((id + 1) << 7)
		g.Begin(id+1, 0, 0, 0)
		g.Enter(calls[0], 0)
		g.Enter(calls[1], 0)
		g.End(calls[1], raw.EventGoexit)
		g.End(calls[0], raw.EventGoexit)
	}
	g := f.Goroutine(9 << 7)
	g.Begin(9, 0, 0, 0)
	g.Enter(calls[2], 0)
	g.Panic(calls[2], rawtest.String("nothing left"))
	f.Save(t, path)
	if _, stderr, exit := runCommand(t, "convert", "-o", out, path); exit != 0 {
		t.Fatal(stderr)
	}
	text, stderr, exit := runCommand(t, "throws", out)
	if want := "exceptions · 1 exception of 1 class · 1 left the outermost recorded call · 2 ended by runtime.Goexit\n"; exit != 0 || !strings.HasPrefix(text, want) || !strings.Contains(text, "– (ended shop.TestSkip") {
		t.Errorf("exit code %d, %s%s", exit, text, stderr)
	}
	text, stderr, exit = runCommand(t, "throws", "--json", out)
	if exit != 0 || strings.Count(text, `"outcome":"goexit"`) != 1 || strings.Count(text, `"outcome":"left"`) != 1 {
		t.Errorf("exit code %d, %s%s", exit, text, stderr)
	}
}

// TestGoStatementsByName: go statements of two functions are different even if they have the same text. Messages
// about a recording agree with those about its trace.
func TestGoStatementsByName(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "1-1"+raw.Suffix), filepath.Join(dir, "trace.bin")
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
	g := f.Goroutine(1 << 7)
	g.Begin(1, 0, 0, 0)
	for i, name := range []string{"(*Pool).start", "(*Queue).start"} {
		start := &raw.Function{ID: uint32(2*i + 1), Package: "example.com/shop", Name: name, File: "/src/shop/shop.go"}
		g.Enter(start, 0)
		g.Go(&raw.Function{ID: uint32(2*i + 2), Line: i, Flags: raw.FunctionGo, Package: "example.com/shop", Name: "go p.retry(n)", File: "/src/shop/shop.go"})
		if i == 0 {
			g.Go(&raw.Function{ID: 9, Line: 9, Flags: raw.FunctionGo, Package: "example.com/shop", Name: "go work(n)", File: "/src/shop/shop.go"})
		}
		g.Exit(start)
	}
	none := f.Goroutine(2 << 7) // it has no call
	none.Begin(7, 0, 0, 0)
	f.Save(t, path)
	if _, stderr, exit := runCommand(t, "convert", "-o", out, path); exit != 0 || !strings.Contains(stderr, "recorded 5 calls (3 go statements) of 2 functions, 1 goroutine in ") {
		t.Fatal(stderr)
	}
	if text, _, _ := runCommand(t, "info", "--json", out); !strings.Contains(text, `"calls": 5,`) || strings.Count(text, `"number": `) != 1 {
		t.Errorf("info says %s", text)
	}
	text, stderr, exit := runCommand(t, "top", out)
	for _, want := range []string{"  go work()\n", "  go p.retry() in Pool\n", "  go p.retry() in Queue\n"} {
		if exit != 0 || !strings.Contains(text, want) {
			t.Errorf("no %q: exit code %d, %s%s", want, exit, text, stderr)
		}
	}
}

// TestNoIdentity: values of a struct are not one object, however they look.
func TestNoIdentity(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "1-1"+raw.Suffix), filepath.Join(dir, "trace.bin")
	f := rawtest.New(rawtest.Options{Clock: raw.ClockCounter})
	f.Type(&raw.Type{ID: 1, Kind: reflect.Int, Flags: raw.TypeNamed, Name: "int"})
	f.Type(&raw.Type{ID: 3, Kind: reflect.Struct, Flags: raw.TypeNamed, Name: "shop.Order", Package: "shop", Fields: []raw.Field{{Type: 1, Name: "ID"}}})
	pay := &raw.Function{ID: 1, Flags: raw.FunctionReceiver, Arguments: []uint32{3}, Package: "shop", Name: "Order.Pay", File: "/src/shop/shop.go"}
	g := f.Goroutine(1 << 7)
	g.Begin(1, 0, 0, 0)
	for id := range int64(2) {
		g.Enter(pay, 0, rawtest.Struct(false, rawtest.Int(id)))
		g.Exit(pay)
	}
	f.Save(t, path)
	if _, stderr, exit := runCommand(t, "convert", "-o", out, path); exit != 0 {
		t.Fatal(stderr)
	}
	for _, location := range []string{"Order@0", "Order@0.ID", "@0", "Order@-0"} {
		if text, stderr, exit := runCommand(t, "history", out, location); exit == 0 || !strings.Contains(stderr, "@0 is no object") && !strings.Contains(stderr, "@-0 is no object") {
			t.Errorf("%s: exit code %d, %s%s", location, exit, text, stderr)
		}
	}
	if text, stderr, exit := runCommand(t, "history", out, "#0"); exit == 0 {
		t.Errorf("%s%s", text, stderr)
	}
	if text, stderr, exit := runCommand(t, "calls", out, "obj=Order@0"); exit != 0 || !strings.Contains(text, "2 calls") {
		t.Errorf("exit code %d, %s%s", exit, text, stderr)
	}
}
