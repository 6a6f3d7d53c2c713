package env

import (
	"strings"
	"testing"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// TestState: the name and the size of a trace.
func TestState(t *testing.T) {
	r := uitest.Recorded(t, "threads.stream")
	s := NewTrace(r, "", "")
	s.Look()
	if !s.Refresh() || s.Refresh() {
		t.Error("there is news once")
	}
	if !s.Settled() || s.Reading() || s.Following() || s.Named() || s.Name() != "threads.stream.bin" || s.File() != r.Path() {
		t.Errorf("%s, %s", s.Name(), s.File())
	}
	about := strings.Join(s.About(false, &screen.Unicode), "|")
	if !strings.HasPrefix(about, "raw, 6 threads|≤ ") || s.Recorded == 0 {
		t.Errorf("%q", about)
	}
	s = NewTrace(r, "standard input", "/tmp/copy")
	if !s.Named() || s.Name() != "standard input" || s.File() != "/tmp/copy" {
		t.Errorf("%s, %s", s.Name(), s.File())
	}
}

// TestNothing: why there are no rows.
func TestNothing(t *testing.T) {
	s := Trace{Reader: uitest.Recorded(t, "gson.dump")}
	for want, st := range map[string]lazy.Status{
		"this trace has no calls": {Phase: lazy.PhaseReady},
		"nothing can be shown":    {Phase: lazy.PhaseFailed, Problem: format.ErrTruncated},
		"* opening":               {Phase: lazy.PhaseOpening},
		"nothing recorded yet":    {Phase: lazy.PhaseFollowing},
	} {
		s.Known = st
		if got := s.Nothing("*", time.Unix(1000, 0), &screen.Unicode); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWatch: a change of the reader is reported, the end of the explorer is not.
func TestWatch(t *testing.T) {
	s := NewTrace(uitest.Recorded(t, "gson.dump"), "", "")
	done := make(chan struct{})
	close(done)
	for {
		if msg := s.Watch(done)(); msg == nil {
			break
		}
	}
	s.Watching = false
	if s.Watch(done) != nil {
		t.Error("it watches though it must not")
	}
}
