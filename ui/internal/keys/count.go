package keys

import (
	"strconv"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/prompt"
)

const (
	digitWait   = 600 * time.Millisecond // for the key that a lone digit counts for; then it means a depth
	maxCount    = 1_000_000_000          // of the number typed before a key
	doubleClick = 400 * time.Millisecond // the longest time between its clicks
)

// Count is the number being typed before a key. The zero value is none.
type Count struct {
	n, digits int
	id        int // of the wait
}

// Depth arrives when the wait after a digit is over.
type Depth struct{ id int }

// Digit returns the digit of the number that a key types; ok is false if it types none.
func (c *Count) Digit(key string) (d int, ok bool) { return prompt.Digit(key, c.digits == 0) }

// Add appends a digit. after returns the command that delivers a message later: see Depth.
func (c *Count) Add(d int, after func(time.Duration, tea.Msg) tea.Cmd) tea.Cmd {
	c.n = min(c.n*10+d, maxCount)
	c.digits++
	c.id++
	return after(digitWait, Depth{c.id})
}

// Take returns the number typed, 0 if none, and begins anew.
func (c *Count) Take() int {
	n := c.n
	c.n, c.digits = 0, 0
	c.id++
	return n
}

// Depth returns the depth that a lone digit means when its wait is over; ok is false if a key followed.
func (c *Count) Depth(msg Depth) (n int, ok bool) {
	if msg.id != c.id || c.digits != 1 {
		return 0, false
	}
	return c.Take(), true
}

// String returns the number while it is typed: "12_", or "" if there is none.
func (c *Count) String() string {
	if c.digits == 0 {
		return ""
	}
	return strconv.Itoa(c.n) + "_"
}

// Clicks is the last click with the mouse.
type Clicks struct {
	y  int
	at time.Time
}

// Double notes a click in a line, and reports whether it is the second of a double click.
func (c *Clicks) Double(y int, now time.Time) bool {
	double := c.y == y && now.Sub(c.at) < doubleClick
	*c = Clicks{y, now}
	return double
}

// WithoutAlt returns a key without Alt; ok is false if the key has none. Terminals send Esc and
// a key that follows it quickly as that key with Alt.
func WithoutAlt(k tea.KeyPressMsg) (rest tea.KeyPressMsg, ok bool) {
	if !k.Mod.Contains(tea.ModAlt) {
		return k, false
	}
	rest = k
	rest.Mod &^= tea.ModAlt
	if rest.Code >= ' ' && rest.Code < tea.KeyExtended && rest.Code != 0x7f && !rest.Mod.Contains(tea.ModCtrl) {
		r := rest.Code
		if rest.Mod.Contains(tea.ModShift) && rest.ShiftedCode != 0 {
			r = rest.ShiftedCode
		} else if rest.Mod.Contains(tea.ModShift) {
			r = unicode.ToUpper(r)
		}
		rest.Text = string(r)
	}
	return rest, true
}
