package recorder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tracex/format/formattest"
	"tracex/recorder/internal/versiontest"
)

// recorded runs f with a thread of a recording, and returns the lines of the trace and the
// tallies of misuse.
func recorded(t *testing.T, c Config, f func(r *Recorder, th *Thread)) ([]string, Misuse) {
	t.Helper()
	c.Path = t.TempDir() + "/trace.bin"
	r := start(t, c)
	f(r, r.Thread("main"))
	saved, err := r.Flush()
	if err == nil {
		err = r.Stop()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := texts(t, c.Path)
	for i := range lines {
		lines[i] = versiontest.WithoutIdentity(lines[i])
	}
	return lines, saved.Misuse
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

type bill struct{ total int }

type mine struct{ text string }

func (m *mine) Error() string { panic("must not be called") }

// The recorded results of a function are those when it returns.
func TestResults(t *testing.T) { versiontest.EachVersion(t, testResults) }

func testResults(t *testing.T) {
	_, missing := os.Open("/nowhere")
	one := func(th *Thread, m Method, result any) {
		th.Call(m, 0, Null()).End(result)
	}
	got, misuse := recorded(t, Config{}, func(r *Recorder, th *Thread) {
		m := r.Method(r.Class("C"), "f", Type{})
		func() (n int, err error) {
			defer th.Call(m, 0, Null(), Int(1)).End(&n, &err)
			return 42, errors.New("no luck")
		}()
		func() (s string, ok bool, o *bill) {
			defer th.Call(m, 0, Null(), Int(2)).End(&s, &ok, &o)
			return "text", true, nil
		}()
		func() (err error) {
			defer th.Call(m, 0, Null(), Int(3)).End(&err)
			return missing
		}()
		th.Call(m, 0, Null()).End()
		var none error
		var own error = &mine{"x"}
		wrapped := fmt.Errorf("wrapped: %w", fs.ErrNotExist)
		var anything any = 7.5
		rest := []any{new(string), new(bool), new(int64), new(float64), new(uint8), &none, &wrapped, &anything, new(*bill),
			new(time.Duration), new(map[string]int), &[]byte{'a', 'b'}, &[]string{}, new(context.Context), Raw("as it is"), &bill{}}
		for _, x := range rest {
			one(th, m, x)
		}
		one(th, m, &own)
		one(th, m, 7)
		one(th, m, (*int)(nil))
		one(th, m, nil)
	})
	id := func(line string) string { return line[:max(0, strings.LastIndexByte(line, '@'))] }
	if own := len(got) - 4; id(got[own]) != "C.f(): mine" {
		t.Errorf("an error of the program's: %q", got[own])
	} else {
		got[own] = "C.f(): mine"
	}
	if slices := len(got) - 8; id(got[slices]) != "C.f(): []string" {
		t.Errorf("a slice: %q", got[slices])
	} else {
		got[slices] = "C.f(): []string"
	}
	same(t, got, []string{
		`C.f(1): (42, errors.errorString: no luck)`,
		`C.f(2): ("text", true, nil)`,
		`C.f(3): ` + versiontest.ErrorText("fs.PathError", "open /nowhere: no such file or directory"),
		`C.f()`, `C.f(): ""`, `C.f(): false`, `C.f(): 0`, `C.f(): 0.0`, `C.f(): 0`, `C.f(): null`,
		`C.f(): ` + versiontest.ErrorText("fmt.wrapError", "wrapped: file does not exist"), `C.f(): 7.5`, `C.f(): null`, `C.f(): 0s`, `C.f(): null`,
		`C.f(): []byte("ab")`, `C.f(): []string`, `C.f(): null`, `C.f(): as it is`, `C.f(): bill@0`, `C.f(): mine`,
		`C.f(): <untracked result>`, `C.f(): <untracked result>`, `C.f(): <untracked result>`,
	})
	if misuse != (Misuse{Results: 3}) {
		t.Errorf("counted %+v", misuse)
	}
}

// What is open in a call ends with it, a second End does nothing, and an extra Exit does not
// end it; each is counted.
func TestCallsAreBound(t *testing.T) { versiontest.EachVersion(t, testCallsAreBound) }

func testCallsAreBound(t *testing.T) {
	got, misuse := recorded(t, Config{}, func(r *Recorder, th *Thread) {
		m := r.Method(r.Class("C"), "f", Type{})
		outer := th.Call(m, 0, Null(), String("outer"))
		forgotten := th.Call(m, 0, Null(), String("forgotten"))
		th.Enter(m, 0, Null(), String("entered"))
		th.Loop(0)
		th.Iteration(0)
		one := 1
		inner := th.Call(m, 0, Null(), String("inner"))
		th.Exit(Int(-1))
		th.Panic("p")
		inner.End(&one)
		inner.End(&one)
		outer.End(&one)
		forgotten.End(&one)
		outer.End(&one)
		th.Exit(Int(-1))
		after := th.Call(m, 0, Null(), String("after"))
		outer.End(&one)
		th.Enter(m, 0, Null(), String("pair"))
		th.Loop(0)
		th.Exit(Int(2))
		th.Loop(0)
		after.End(&one)
		th.Enter(m, 0, Null())
		th.Panic("")
		Call{}.End(&one)
	})
	same(t, got, []string{
		`C.f("outer"): 1`, `C.f("forgotten"): <unfinished method>`, `C.f("entered"): <unfinished method>`,
		`loop(1 iterations)`, `<iteration 1>`, `C.f("inner"): 1`,
		`C.f("after"): 1`, `C.f("pair"): 2`, `loop(0 iterations)`, `loop(0 iterations)`, `C.f(): threw <unknown>`,
	})
	if want := (Misuse{Exits: 3, Ends: 4, Inside: 2}); misuse != want {
		t.Errorf("counted %+v, want %+v", misuse, want)
	}
}

// A panic continues with the same value, and its text is recorded.
func TestPanicGoesOn(t *testing.T) { versiontest.EachVersion(t, testPanicGoesOn) }

func testPanicGoesOn(t *testing.T) {
	var zero []int
	for _, x := range []struct {
		f    func()
		want []string
	}{
		{func() { panic("text") }, []string{`C.f(): threw string`, `throw "text"`}},
		{func() { panic(http.ErrAbortHandler) },
			[]string{`C.f(): threw errors.errorString`, `throw ` + versiontest.ErrorText("errors.errorString", "net/http: abort Handler")}},
		{func() { zero[5] = 1 },
			[]string{`C.f(): threw runtime.boundsError`, `throw ` + versiontest.ErrorText("runtime.boundsError", "runtime error: index out of range [5] with length 0")}},
		{func() { panic(nil) }, []string{`C.f(): threw runtime.PanicNilError`,
			`throw ` + versiontest.ErrorText("runtime.PanicNilError", new(runtime.PanicNilError).Error())}},
		{func() { panic(&mine{}) }, []string{`C.f(): threw recorder.mine`, `throw mine`}},
	} {
		var with, without any
		func() {
			defer func() { without = recover() }()
			x.f()
		}()
		got, _ := recorded(t, Config{MaxString: 60}, func(r *Recorder, th *Thread) {
			m := r.Method(r.Class("C"), "f", Type{})
			defer func() { with = recover() }()
			func() (n int) {
				defer th.Call(m, 0, Null()).End(&n)
				x.f()
				return 7
			}()
		})
		if at := strings.Index(got[1], "mine@"); at >= 0 {
			got[1] = got[1][:at+4]
		}
		if fmt.Sprintf("%T", with) != fmt.Sprintf("%T", without) {
			t.Errorf("panic(%T), without the recorder %T", with, without)
		}
		if panicNil := "throw " + versiontest.ErrorText("runtime.PanicNilError", "panic called with nil"); strings.HasPrefix(got[1], strings.TrimSuffix(panicNil, `")`)) {
			got[1] = x.want[1] // the rest depends on Go's version
		}
		same(t, got, x.want)
	}
}

// However many calls a panic passes through, only one of them recovers it and panics again:
// each one that does makes the next one slower.
func TestManyLevelsOfPanic(t *testing.T) {
	const levels = 10_000
	ends := 0
	got, misuse := recorded(t, Config{}, func(r *Recorder, th *Thread) {
		m := r.Method(r.Class("C"), "f", Type{})
		var f func(n int) int
		f = func(n int) (result int) {
			defer th.Call(m, 0, Null(), Int(n)).End(&result)
			if n == 0 {
				panic("deep")
			}
			return f(n - 1)
		}
		defer func() {
			pcs := make([]uintptr, 4*levels)
			frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
			for more := true; more; {
				var frame runtime.Frame
				if frame, more = frames.Next(); strings.HasSuffix(frame.Function, "recorder.Call.End") {
					ends++
				}
			}
			if v := recover(); v != "deep" {
				t.Errorf("recovered %v", v)
			}
		}()
		f(levels - 1)
	})
	if ends != 1 {
		t.Errorf("%d of the calls recovered the panic", ends)
	}
	if len(got) != levels+1 || misuse != (Misuse{}) {
		t.Fatalf("%d lines, %+v", len(got), misuse)
	}
	for i, line := range got[:levels] {
		if want := fmt.Sprintf("C.f(%d): threw string", levels-1-i); line != want {
			t.Fatalf("line %d: %q, want %q", i, line, want)
		}
	}
}

// Calls without room are ended like others, and so is what is around them.
func TestLostCallsAreBound(t *testing.T) {
	r := start(t, Config{})
	m := r.Method(r.Class("C"), "f", Type{})
	th := r.Thread("main")
	outer := th.Call(m, 0, Null())
	th.lose(boundCall &^ 0x80) // like a call without room
	lost := Call{th, th.lost.calls, -th.lost.number}
	inner := th.Call(m, 0, Null())
	th.Enter(m, 0, Null())
	inner.End()
	inner.End()
	if !th.lost.on || th.lost.calls != 1 {
		t.Errorf("lost: %+v", th.lost)
	}
	lost.End()
	if th.lost.on {
		t.Errorf("lost: %+v", th.lost)
	}
	lost.End()
	th.Call(m, 0, Null()).End()
	outer.End()
	if saved, err := r.Flush(); err != nil || saved.Misuse != (Misuse{Ends: 2, Inside: 1}) || th.open.depth != 0 {
		t.Errorf("counted %+v, %v; %d are open", saved.Misuse, err, th.open.depth)
	}
}

const crashVariable = "RECORDER_TEST_CRASH"

// TestCrash is the program that TestCrashOutput runs.
func TestCrash(t *testing.T) {
	way := os.Getenv(crashVariable)
	if way == "" {
		t.Skip("for another test")
	}
	r := start(t, Config{Path: way + "/trace.bin"})
	th, m := r.Thread("main"), r.Method(r.Class("C"), "f", Type{})
	done := make(chan struct{})
	go func() {
		defer th.Call(m, 0, Null()).End()
		crashHere(th, m)
	}()
	<-done
}

//go:noinline
func crashHere(th *Thread, m Method) (n int) {
	defer th.Call(m, 0, Null()).End(&n)
	panic("the crash")
}

// The output of a crash has the location of the panic.
func TestCrashOutput(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe, "-test.run", "^TestCrash$")
	c.Env = append(os.Environ(), crashVariable+"="+t.TempDir())
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("ended with %v", err)
	}
	for _, want := range []string{"panic: the crash", "recorder.crashHere(", "call_test.go"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
}

const silentVariable = "RECORDER_TEST_SILENT"

// If recover does not report panic(nil), the panic continues all the same.
func TestSilentPanic(t *testing.T) {
	if os.Getenv(silentVariable) == "" {
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command(exe, "-test.run", "^TestSilentPanic$")
		c.Env = append(os.Environ(), silentVariable+"=1", "GODEBUG=panicnil=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
		return
	}
	if !swallowsNil() {
		t.Skip("this Go has no such setting")
	}
	returned := 0
	got, _ := recorded(t, Config{}, func(r *Recorder, th *Thread) {
		m := r.Method(r.Class("C"), "f", Type{})
		f := func(n int) {
			defer th.Call(m, 0, Null(), Int(n)).End()
			if n > 0 {
				panic(nil)
			}
		}
		for n := range 3 {
			func() {
				defer func() { _ = recover() }()
				defer th.Call(m, 0, Null(), Int(-n)).End()
				f(n)
				returned++
			}()
		}
	})
	if returned != 1 {
		t.Errorf("%d returned", returned)
	}
	same(t, got, []string{`C.f(0)`, `C.f(0)`, `C.f(-1): threw nil`, `C.f(1): threw nil`, `throw null`,
		`C.f(-2): threw nil`, `C.f(2): threw nil`, `throw null`})
}

// A call with a handle allocates nothing, and its results stay on the stack.
func TestCallAllocatesNothing(t *testing.T) {
	if formattest.Race {
		t.Skip("the race detector allocates")
	}
	r := start(t, Config{create: toDiscard})
	th, m := r.Thread("main"), r.Method(r.Class("C"), "f", Type{})
	at := r.Caller(0)
	subject := new(bill)
	f := func(n int) (result int, text string, o *bill, own bill, list []string, d time.Duration) {
		defer th.Call(m, at, Null(), Int(n), Duration(3), Bytes(nil), Time(time.Time{})).End(&result)
		defer th.Call(m, at, Null(), Int(n)).End(&text)
		defer th.Call(m, at, Null(), Int(n)).End(&o)
		defer th.Call(m, at, Null(), Int(n)).End(&own)
		defer th.Call(m, at, Null(), Int(n)).End(&list)
		defer th.Call(m, at, Null(), Int(n)).End(&d)
		defer th.Call(m, at, Null(), Int(n)).End()
		return n, "text", subject, bill{n}, nil, time.Duration(n)
	}
	for range 10_000 {
		f(1)
	}
	if n := testing.AllocsPerRun(1000, func() { f(1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	th = nil
	if n := testing.AllocsPerRun(1000, func() { f(1) }); n != 0 {
		t.Errorf("off: %v allocations", n)
	}
}
