//go:build linux

package cli

import (
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestReportEnded: a test that was skipped and a goroutine that goes on when the program has ended are no failures, and are told; a main goroutine or a
// test that did not end is one.
func TestReportEnded(t *testing.T) {
	type end struct {
		name   string
		footer *format.Footer // nil for a call that did not end
	}
	whole, open, exit := &format.Footer{Result: formattest.IntValue(1)}, (*format.Footer)(nil), &format.Footer{Threw: true, Exception: "runtime.Goexit"}
	test, other := "goroutine 6 pay.TestPay ← 1 testing.T.Run testing.go:2101", "goroutine 7 pay.wait ← 6 pay.TestPay pay.go:3"
	for _, c := range []struct {
		threads []end
		want    []string
	}{
		{[]end{{"main", whole}, {other, open}}, []string{"nothing failed\n", "the main thread and the tests ended; 1 thread had not when the recording did, such as "}},
		{[]end{{"main", whole}, {other, whole}}, []string{"nothing failed\n", "and all calls ended"}},
		{[]end{{other, open}, {"main", open}}, []string{"did not end: ", "main"}},
		{[]end{{test, open}, {other, whole}}, []string{"did not end: ", "TestPay"}},
		{[]end{{test, exit}, {other, open}}, []string{"ended by runtime.Goexit", "whether it failed or was skipped is not recorded"}},
		{[]end{{test, exit}, {test, open}}, []string{"did not end: "}},
		{[]end{{"worker", whole}, {"other", open}}, []string{"did not end: ", "other"}},
	} {
		w := formattest.NewBuilder(t)
		method := w.Method("pay", "TestPay", formattest.IntType)
		for i, e := range c.threads {
			if i > 0 {
				w.Thread(int32(i))
			}
			w.Name(e.name)
			w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: method, Target: format.Null()})
			if e.footer != nil {
				w.Footer(format.ClassCall, e.footer)
			}
		}
		text, stderr, code := runCommand(t, "report", w.File())
		rest := text
		for _, part := range c.want {
			_, after, ok := strings.Cut(rest, part)
			if !ok {
				t.Errorf("%+v: %q is not there in\n%s%s (exit %d)", c.threads, part, text, stderr, code)
			}
			rest = after
		}
	}
}

// TestPrinted: only the traceback of a panic is left out.
func TestPrinted(t *testing.T) {
	for _, c := range []struct{ output, want string }{
		{"a\ngoroutine pools differ\n\tb\n", "a|goroutine pools differ|    b"},
		{"panic: x\n\ngoroutine 9 [running]:\nmain.f()\n", "panic: x|… a traceback of 2 lines, which tracex notes prints"},
		{"goroutine 9 gp=0x1 m=0 [running]:\nmain.f()\n", "… a traceback of 2 lines, which tracex notes prints"},
		{"", ""},
	} {
		if got := strings.Join(printed(c.output), "|"); got != c.want {
			t.Errorf("%q: %q", c.output, got)
		}
	}
}
