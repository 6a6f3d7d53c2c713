package ui

import (
	"context"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/list"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/shell"
	"tracex/ui/internal/terminal"
)

// The keys that concern several parts, or the world outside.

// toggleFollow turns following on or off.
func (m *Model) toggleFollow(int) tea.Cmd {
	if m.follow.On() {
		m.follow.Leave()
		m.env.Say("the cursor stays here; " + screen.ActionKey("follow", m.env.Glyphs) + " goes to the end again")
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
		if m.tour.Arrived("longest") {
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

// copyAddress puts the address of the row on the clipboard, which commands take as an argument.
// If the number of its event occurs twice, the address has the position instead.
func (m *Model) copyAddress(int) tea.Cmd {
	n := m.tree.Out.Cursor.Node
	if n == nil {
		m.env.Say(nothingToCopy)
		return nil
	}
	h, clip, life, r, file := n.Handle(), m.clip, m.env.Life, m.trace.Reader, m.trace.File()
	if m.trace.Named() {
		file = ""
	}
	at := n.Position()
	return func() tea.Msg {
		if h.Numbered {
			if others, err := r.AlsoIn(life, h.Event, at, 1); err == nil && len(others) > 0 {
				h = lazy.PositionHandle(at)
			}
		}
		return clip.Copy(shell.Quote(file+h.String()), "the address")()
	}
}

// copySubtree puts the row and everything below it on the clipboard, as the command print prints it.
func (m *Model) copySubtree(int) tea.Cmd {
	n := m.tree.Out.Cursor.Node
	if n == nil {
		m.env.Say(nothingToCopy)
		return nil
	}
	r, o := m.trace.Reader, lazy.PrintOptions{Folded: m.tree.Out.Tree.Folded(), Verbose: m.tree.Out.Wide}
	thread, at := n.Thread(), n.Position()
	if n.IsThread() {
		return m.clip.CopyPrinted("the thread", func(ctx context.Context, w io.Writer) error {
			return r.Print(ctx, w, o, lazy.PrintRange{Thread: &thread})
		})
	}
	return m.clip.CopyPrinted("the subtree", func(ctx context.Context, w io.Writer) error {
		return r.PrintAt(ctx, w, o, at, true, lazy.PrintRange{})
	})
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
