package env

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// TestLine: a message fades, unless it was replaced; the spinner turns while there is work.
func TestLine(t *testing.T) {
	var l StatusLine
	var asked []tea.Msg
	settle := func(busy bool) []tea.Msg {
		asked = nil
		l.Settle(busy, func(_ time.Duration, msg tea.Msg) tea.Cmd {
			asked = append(asked, msg)
			return nil
		})
		return asked
	}
	said := func(text string, alarm bool) {
		t.Helper()
		if got, alarmed := l.Message(); got != text || alarmed != alarm {
			t.Errorf("%q, alarm %v; want %q, %v", got, alarmed, text, alarm)
		}
	}
	if settle(false); len(asked) > 0 {
		t.Errorf("asks for %v with nothing to say", asked)
	}
	l.Warn("odd")
	said("odd", true)
	first := settle(false)
	if len(first) != 1 || len(settle(false)) != 0 {
		t.Fatalf("asks for %v", first)
	}
	l.Say("well")
	second := settle(false)
	l.Update(first[0].(StatusMsg))
	said("well", false)
	l.Update(second[0].(StatusMsg))
	said("", false)
	l.Say("short")
	l.Clear()
	said("", false)

	l = StatusLine{}
	l.spinner.Spinner.Frames = []string{"a", "b"}
	tick := settle(true)
	if len(tick) != 1 || len(settle(true)) != 0 {
		t.Fatalf("asks for %v", tick)
	}
	l.Update(tick[0].(StatusMsg))
	if l.spinner.View() != "b" || len(settle(true)) != 1 {
		t.Error("the spinner does not turn")
	}
}

// TestAway: the spinner turns once a second while the terminal has not got the focus.
func TestAway(t *testing.T) {
	for away, want := range map[bool]time.Duration{false: frameFor, true: awayFor} {
		l := StatusLine{Away: away}
		l.Settle(true, func(after time.Duration, _ tea.Msg) tea.Cmd {
			if after != want {
				t.Errorf("away %v: turns after %s", away, after)
			}
			return nil
		})
	}
}
