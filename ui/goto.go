package ui

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// askPlace asks where to go.
func (m *Model) askPlace(int) tea.Cmd {
	return m.ask(&asking{
		Prompt: m.typed.Open(":", "an event (1204), a place in this thread (50%), a thread (t3), or q"),
		submit: func(m *Model, t prompt.Text) tea.Cmd { return m.goTo(t.Text) },
	})
}

// targets is what can be typed after ":", tried in order.
var targets = []struct {
	form *regexp.Regexp
	to   func(m *Model, what string) tea.Cmd
}{
	{regexp.MustCompile(`^(?:q|quit|q!)$`), func(*Model, string) tea.Cmd { return tea.Quit }},
	{regexp.MustCompile(`^(?:h|help)$`), func(m *Model, _ string) tea.Cmd { return m.help(0) }},
	{regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*%$`), (*Model).toPercent},
	{regexp.MustCompile(`^t(?:hread)?\s*([0-9]+)$`), (*Model).toThread},
	{regexp.MustCompile(`^(?:e(?:vent)?\s*)?([0-9][0-9,_ ]*)$`), (*Model).toEvent},
}

// goTo goes to what was typed after ":".
func (m *Model) goTo(text string) tea.Cmd {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return nil
	}
	for _, t := range targets {
		if found := t.form.FindStringSubmatch(text); found != nil {
			return t.to(m, found[len(found)-1])
		}
	}
	m.warn(text + ": no such place; an event (1204), a place (50%) or a thread (t3)")
	return nil
}

func (m *Model) toPercent(text string) tea.Cmd {
	thread, ok := m.cursorThread()
	share, err := strconv.ParseFloat(text, 64)
	if err != nil || !ok {
		return nil
	}
	p, err := m.r.FindFraction(thread, share/100)
	if err != nil {
		m.fail("cannot go there", err)
		return nil
	}
	m.visit()
	return m.reveal(p, func(n *lazy.Node) tea.Cmd {
		if share > 100 {
			m.say(text + "% is past the end of the thread: this is the end")
		}
		m.out.settle()
		m.out.jump(rowOf(n))
		return m.aim(toward(n, p.At, m.threadSize(thread)/200))
	})
}

// threadSize is the size of a thread's stream, in bytes.
func (m *Model) threadSize(id int32) int64 {
	t, _ := m.r.ThreadInfo(id)
	return t.Bytes
}

// toward is the goal to get from a node down to what begins within slack bytes
// before a place behind all of the node's children: a place in the middle of a
// trace is often the end of a large call, which itself begins far away. The last
// row of a sorted node is not its last child; there the way ends.
func toward(n *lazy.Node, at, slack int64) goal {
	return func(o *outline) (lazy.Row, lazy.End, bool) {
		for at-n.Place().At > slack && !n.Leaf() && n.Order() == lazy.OrderCalls {
			o.t.Expand(n)
			last, ok := o.t.LastChild(n)
			if !ok {
				break
			}
			if last.Gap() {
				return last, lazy.AtEnd, true
			}
			n = last.Node
			o.settle()
			o.jump(last)
		}
		return lazy.Row{}, 0, false
	}
}

func (m *Model) toThread(text string) tea.Cmd {
	number, _ := strconv.ParseInt(text, 10, 32)
	t := m.out.t
	if n, _ := t.Thread(int32(number - 1)); n != nil {
		m.visit()
		m.out.jump(rowOf(n))
		return nil
	}
	if last := t.ThreadAt(t.ThreadCount() - 1); last != nil {
		m.warn(fmt.Sprintf("no thread %s: they are %d to %d", text, t.ThreadAt(0).Thread()+1, last.Thread()+1))
	}
	return nil
}

func (m *Model) toEvent(text string) tea.Cmd {
	digits := strings.NewReplacer(",", "", "_", "", " ", "").Replace(text)
	event, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || event > math.MaxInt32 {
		m.warn("no event " + text + " in the trace")
		return nil
	}
	m.visit()
	ctx, id := m.jobs.Begin(m.life, "looking for event "+screen.Grouped(event))
	r, settled := m.r, m.settled()
	e, cmd := m.soon(func() effect {
		p, err := r.FindEvent(ctx, int32(event))
		return placed{id, int32(event), p, err, settled}
	})
	if e != nil {
		return e.apply(m)
	}
	return cmd
}

// placed is the end of looking for a place.
type placed struct {
	id      int
	event   int32
	p       lazy.Place
	err     error
	settled bool // the whole trace was known
}

func (e placed) apply(m *Model) tea.Cmd {
	if !m.jobs.End(e.id) {
		return nil
	}
	switch {
	case e.err != nil && !e.settled:
		m.warn(screen.ErrorLine(e.err) + " so far: it is still being read")
		return nil
	case e.err != nil:
		m.warn(screen.ErrorLine(e.err))
		return nil
	}
	return m.reveal(e.p, func(n *lazy.Node) tea.Cmd {
		if err := n.ShowsEvent(e.event, e.p); err != nil {
			m.say(screen.ErrorLine(err) + "; r shows it")
		}
		return m.land(n)
	})
}
