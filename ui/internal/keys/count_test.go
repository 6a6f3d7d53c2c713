package keys

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// TestCount: digits before a key are its number; a lone digit means a depth unless a key follows.
func TestCount(t *testing.T) {
	var c Count
	var waits []Depth
	after := func(_ time.Duration, msg tea.Msg) tea.Cmd {
		waits = append(waits, msg.(Depth))
		return nil
	}
	if _, ok := c.Digit("0"); ok {
		t.Error("a number begins with 0")
	}
	for _, key := range []string{"1", "0"} {
		d, ok := c.Digit(key)
		if !ok {
			t.Fatalf("%s is no digit", key)
		}
		c.Add(d, after)
	}
	if c.String() != "10_" {
		t.Errorf("shown as %q", c.String())
	}
	if _, ok := c.Depth(waits[1]); ok {
		t.Error("two digits are taken for a depth")
	}
	if n := c.Take(); n != 10 || c.Take() != 0 || c.String() != "" {
		t.Errorf("took %d", n)
	}
	c.Add(3, after)
	if _, ok := c.Depth(waits[0]); ok {
		t.Error("an older wait counts")
	}
	if n, ok := c.Depth(waits[2]); !ok || n != 3 {
		t.Errorf("depth %d, %v", n, ok)
	}
	for range 20 {
		c.Add(9, after)
	}
	if n := c.Take(); n != maxCount {
		t.Errorf("%d is not bounded", n)
	}
}

// TestClicks: two clicks in a line, soon after each other, are a double click.
func TestClicks(t *testing.T) {
	var c Clicks
	now := time.Unix(1000, 0)
	for i, click := range []struct {
		y     int
		after time.Duration
		want  bool
	}{{3, 0, false}, {3, doubleClick - 1, true}, {4, 1, false}, {4, doubleClick, false}} {
		now = now.Add(click.after)
		if got := c.Double(click.y, now); got != click.want {
			t.Errorf("click %d: %v", i, got)
		}
	}
}

// TestWithoutAlt: the key below Alt has the text that it types.
func TestWithoutAlt(t *testing.T) {
	for _, c := range []struct {
		key  tea.KeyPressMsg
		want string
	}{
		{tea.KeyPressMsg{Code: 'j', Mod: tea.ModAlt}, "j"},
		{tea.KeyPressMsg{Code: 'j', Mod: tea.ModAlt | tea.ModShift}, "J"},
		{tea.KeyPressMsg{Code: '1', ShiftedCode: '!', Mod: tea.ModAlt | tea.ModShift}, "!"},
		{tea.KeyPressMsg{Code: 'd', Mod: tea.ModAlt | tea.ModCtrl}, "ctrl+d"},
		{tea.KeyPressMsg{Code: tea.KeyUp, Mod: tea.ModAlt}, "up"},
	} {
		if got, ok := WithoutAlt(c.key); !ok || got.String() != c.want {
			t.Errorf("%s: %s, %v; want %s", c.key, got, ok, c.want)
		}
	}
	if _, ok := WithoutAlt(tea.KeyPressMsg{Code: 'j', Text: "j"}); ok {
		t.Error("j has no Alt")
	}
}
