package ui

import (
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// digitWait is how long a lone digit waits for the key that it counts for. After that
// it means a depth.
const digitWait = 600 * time.Millisecond

// maxCount bounds the number typed before a key.
const maxCount = 1_000_000_000

// counter is the number being typed before a key.
type counter struct {
	n, digits int
	id        int // of the wait
}

func (c *counter) take() int {
	n := c.n
	c.n, c.digits = 0, 0
	c.id++
	return n
}

// depth arrives when the wait after a lone digit is over.
type depth struct{ id int }

func (d depth) apply(m *Model) tea.Cmd {
	if d.id != m.count.id || m.count.digits != 1 {
		return nil
	}
	return m.toDepth(m.count.take())
}

// key hands a key to what is in front: a prompt, an overlay, the tree.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	m.touched = true
	if rest, ok := m.escaped(k); ok {
		return tea.Batch(m.key(tea.KeyPressMsg{Code: tea.KeyEscape}), m.key(rest))
	}
	switch {
	case name == "ctrl+c" && m.prompt == nil:
		return tea.Quit
	case name == "ctrl+z":
		return m.suspend(0)
	case name == "ctrl+l":
		return m.redraw(0)
	case m.width < minWidth || m.height < minHeight:
		if name == "q" || name == "ctrl+c" {
			return tea.Quit
		}
		return nil
	case m.prompt != nil:
		return m.answer(m.prompt.HandleKey(k))
	case m.overlay != nil:
		return m.overlayKey(k)
	}
	if len(name) == 1 && name[0] >= '0' && name[0] <= '9' && (name != "0" || m.count.digits > 0) {
		return m.digit(int(name[0] - '0'))
	}
	b := find(m.keys, name)
	if b == nil {
		m.count.take()
		m.say(screen.KeyName(name, m.g) + " is not bound (? for help)")
		return nil
	}
	m.status.Clear()
	m.out.Goal = nil
	m.ahead = true
	cmd := b.do(m, m.count.take())
	m.toured(b)
	return cmd
}

// escaped takes a key with Alt that has no binding as Esc followed by that key: terminals send
// both as one if the key follows Esc quickly.
func (m *Model) escaped(k tea.KeyPressMsg) (rest tea.KeyPressMsg, ok bool) {
	if !k.Mod.Contains(tea.ModAlt) {
		return k, false
	}
	if m.prompt != nil && prompt.Edits(k.String()) {
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

func (m *Model) digit(d int) tea.Cmd {
	c := &m.count
	c.n = min(c.n*10+d, maxCount)
	c.digits++
	c.id++
	return m.clock.after(digitWait, depth{c.id})
}

// click is the last click with the mouse.
type click struct {
	y  int
	at time.Time
}

// doubleClick is the longest time between the clicks of a double click.
const doubleClick = 400 * time.Millisecond

func (m *Model) wheel(e tea.MouseWheelMsg) tea.Cmd {
	n := 3
	switch e.Button {
	case tea.MouseWheelUp:
		n = -n
	case tea.MouseWheelDown:
	case tea.MouseWheelLeft:
		return m.shift(-4)
	case tea.MouseWheelRight:
		return m.shift(4)
	default:
		return nil
	}
	if m.overlay != nil {
		m.overlay.Scroll(n)
		return nil
	}
	if len(m.out.Rows) == 0 {
		return nil
	}
	m.ahead = true
	return m.aim(m.out.Scroll(n))
}

// clicked moves the cursor to the row under the mouse. A second click there, or a click on the
// row's mark, opens or closes it.
func (m *Model) clicked(e tea.MouseClickMsg) tea.Cmd {
	i := e.Y - m.layout().top
	if e.Button != tea.MouseLeft || m.overlay != nil || m.prompt != nil || i < 0 || i >= len(m.out.Rows) || e.X >= m.layout().treeWidth {
		return nil
	}
	row := m.out.Rows[i]
	m.out.Goal = nil
	m.out.Put(row, i)
	now := m.clock.now()
	double := m.click.y == e.Y && now.Sub(m.click.at) < doubleClick
	m.click = click{e.Y, now}
	mark := m.indent().Of(row.Depth)
	if double || e.X >= mark && e.X <= mark+1 {
		m.click = click{}
		return m.toggle(0)
	}
	return nil
}
