package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestProgress has a clock that the test controls: nothing is shown before the patience has run
// out, then a bar, which is removed at the end.
func TestProgress(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(1000, 0)
	p := &progress{w: &out, what: "indexing", now: func() time.Time { return now }, start: now}
	p.Update(1<<20, 10<<20)
	now = now.Add(patience - time.Millisecond)
	p.Update(2<<20, 10<<20)
	if out.Len() > 0 {
		t.Errorf("shown before its time: %q", out.String())
	}
	now = now.Add(time.Millisecond)
	p.Update(10<<20, 20<<20) // another task, drawn immediately
	shown := out.String()
	for _, want := range []string{"indexing", "50%", "10/20 MiB"} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in %q", want, shown)
		}
	}
	p.End()
	if last := out.String()[strings.LastIndex(strings.TrimRight(out.String(), "\r"), "\r")+1:]; strings.TrimSpace(last) != "" {
		t.Errorf("the bar stays: %q", last)
	}
}

func TestProgressUnknownTotal(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(1000, 0)
	p := &progress{w: &out, what: "reading", now: func() time.Time { return now }, start: now}
	now = now.Add(2 * patience)
	p.Update(3<<20, -1)
	p.End()
	if !strings.Contains(out.String(), "reading") || strings.Contains(out.String(), "%") {
		t.Errorf("shown: %q", out.String())
	}
}

// TestProgressWithoutTerminal: it shows nothing.
func TestProgressWithoutTerminal(t *testing.T) {
	p := &progress{now: func() time.Time { t.Error("the clock was asked"); return time.Time{} }}
	p.Update(1, 2)
	p.End()
}
