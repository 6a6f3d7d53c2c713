package lazy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// cutTrace writes the beginning of a trace, and returns the whole trace.
func cutTrace(t *testing.T, path string) []byte {
	t.Helper()
	whole, err := os.ReadFile(formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 300}))
	if err != nil {
		t.Fatal(err)
	}
	put(t, path, whole[:len(whole)-1])
	return whole
}

// TestUnended: the reason why data has no end is reported, and the error still is that
// it has none.
func TestUnended(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	whole := cutTrace(t, path)
	for _, test := range []struct {
		ended WhyUnended
		grows bool
		is    error
		text  string
		hint  string
	}{
		{is: format.ErrTruncated, text: "cut short", hint: "still writing it"},
		{ended: WhyUnended{Why: fmt.Errorf("%w: so far", ErrRecording), Hint: "do that"}, is: ErrRecording, text: "still being recorded: so far", hint: "do that"},
		{ended: WhyUnended{Why: ErrUnfinished}, is: ErrUnfinished, text: "its program ended without closing it"},
		{grows: true, is: ErrRecording, text: "it grew while it was read", hint: "follow it"},
	} {
		put(t, path, whole[:len(whole)-1])
		r, err := Open(path, Options{NoWrite: true, Unended: func() WhyUnended {
			if test.grows {
				put(t, path, whole)
			}
			return test.ended
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		problem := r.Status().Problem
		if !errors.Is(problem, test.is) || !errors.Is(problem, format.ErrTruncated) {
			t.Errorf("%v: %v", test.ended, problem)
		}
		if text := fmt.Sprint(problem); !strings.HasSuffix(text, test.text) && test.text != "cut short" || !strings.Contains(format.Hint(problem), test.hint) {
			t.Errorf("%v: %s; %s", test.ended, text, format.Hint(problem))
		}
		r.Close()
	}
	if other := errors.New("something else"); Explain(other, path, -1, func() WhyUnended { return WhyUnended{Why: ErrUnfinished} }) != other {
		t.Error("another error is explained too")
	}
}

// TestFollowBringsIn: data that a program left is brought in when its trace no longer
// grows; if that fails it is tried again only when the trace has grown.
func TestFollowBringsIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	whole := cutTrace(t, path)
	w := write(t, path, whole)
	w.to(len(whole) / 2)
	calls, fault := 0, errors.New("it cannot be written")
	r := followed(t, path, Options{Finish: func() (string, error) {
		if calls++; fault != nil {
			return "", fault
		}
		w.to(len(whole))
		return "it was brought in", nil
	}})
	catchUp(t, r)
	if st := catchUp(t, r); calls != 1 || !errors.Is(st.Growth.Wait, fault) {
		t.Fatalf("%d calls; it waits for %v", calls, st.Growth.Wait)
	}
	if st := catchUp(t, r); calls != 1 || !errors.Is(st.Growth.Wait, fault) || !st.Growth.On {
		t.Fatalf("%d calls; it waits for %v", calls, st.Growth.Wait)
	}
	fault = nil
	w.to(len(whole) * 3 / 4)
	if st := catchUp(t, r); calls != 1 || st.Growth.Wait != nil {
		t.Fatalf("%d calls of a trace that grows; it waits for %v", calls, st.Growth.Wait)
	}
	catchUp(t, r)
	st := catchUp(t, r)
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st = r.Status(); calls != 2 || st.Ended != "it was brought in" || st.Growth.On || st.Problem != nil {
		t.Errorf("%d calls; %+v", calls, st)
	}
}
