package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/address"
	"tracex/ui/internal/front"
	"tracex/ui/internal/list"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/terminal"
)

// The keys that concern several parts, or the world outside.

// toggleFollow turns following on or off.
func (m *Model) toggleFollow(int) tea.Cmd {
	if m.follow.On() {
		m.follow.Leave()
		m.env.Say("the cursor stays here; " + screen.KeyName("F", m.env.Glyphs) + " goes to the end again")
		return nil
	}
	if !m.trace.Known.Growth.On && !m.trace.Reader.Follow() {
		m.env.Say("the recording has ended: there will be no more events")
		return m.tree.Last(0)
	}
	m.tree.Visit()
	m.follow.Begin(m.tree.Out, m.env.Clock.Now())
	return nil
}

// largest goes to the longest or largest child, and tells the tour.
func (m *Model) largest(n int) tea.Cmd {
	return m.jobs.Largest(n, func() {
		if m.tour.Arrived("L") {
			m.tour = nil
		}
	})
}

// help shows the key map.
func (m *Model) help(int) tea.Cmd {
	items := helpItems(m.keyboard.keys, m.env.Glyphs)
	m.front.Show(&list.List{
		Title: "keys", Keys: "PgDn PgUp",
		Len:  func() int { return len(items) },
		Item: func(i int) list.Item { return items[i] },
	}, nil)
	return nil
}

// listThreads shows the threads to choose from.
func (m *Model) listThreads(int) tea.Cmd {
	id, _ := m.tree.Out.Thread()
	l := m.threads.Open(id)
	m.front.Show(l, func(i int) tea.Cmd {
		m.tree.ToThread(l.ID(i))
		return nil
	})
	return nil
}

// askAddress asks where to go.
func (m *Model) askAddress(int) tea.Cmd {
	return m.front.Ask(&front.Question{
		Prompt: m.front.Typed.Open(":", "an event (1204), a position in this thread (50%), a thread (t3), or q"),
		Submit: func(t prompt.Text) tea.Cmd {
			switch a := address.Parse(t.Text); a.Kind {
			case address.Quit:
				return tea.Quit
			case address.Help:
				return m.help(0)
			case address.Unknown:
				m.env.Warn("unknown address " + a.Text + ": type an event (1204), a position (50%) or a thread (t3)")
				return nil
			default:
				return m.jobs.GoTo(a)
			}
		},
	})
}

const nothingToCopy = "nothing to copy: the row is not loaded"

// copyRow puts the text of the row on the clipboard.
func (m *Model) copyRow(int) tea.Cmd {
	n := m.tree.Out.Cursor.Node
	if n == nil {
		m.env.Say(nothingToCopy)
		return nil
	}
	text, _ := m.tree.Out.Text(n)
	return m.clip.Copy(strings.ReplaceAll(text, "\n", `\n`), "the row")
}

// copyPath puts the path to the row on the clipboard, one line for each call.
func (m *Model) copyPath(int) tea.Cmd {
	if m.tree.Out.Cursor.Node == nil {
		m.env.Say(nothingToCopy)
		return nil
	}
	text, lines := nodetext.PathText(m.tree.Out.Tree, m.tree.Out.Cursor)
	return m.clip.Copy(text, "the path, "+screen.Plural(int64(lines), "line")+",")
}

// suspend stops the program until fg. Without a shell that could run fg there would be no way back.
func (m *Model) suspend(int) tea.Cmd {
	if m.env.Terminal == nil || !terminal.CanSuspend() {
		m.env.Say("cannot suspend: no shell to return to")
		return nil
	}
	return m.env.Terminal.Suspend()
}

// redraw draws the whole screen anew, whatever is on the terminal.
func redraw(*Model, int) tea.Cmd {
	return tea.Batch(tea.ClearScreen, tea.RequestWindowSize)
}

// highlight returns the parts of a row's text that match the search.
func (m *Model) highlight(n *lazy.Node, text string) [][2]int {
	return m.search.Highlight(m.tree.Out.Tree, m.tree.Out.Wide, n, text)
}
