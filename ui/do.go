package ui

import (
	"cmp"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
)

// opens are the commands that open a view, also over another one, or show another tab.
var opens = map[keys.Name]bool{
	keys.Top: true, keys.Throws: true, keys.Callers: true, keys.Calls: true, keys.History: true, keys.Around: true, keys.At: true, keys.Flame: true,
	keys.Threads: true, keys.Hits: true, keys.Notes: true, keys.Help: true, keys.Overview: true, keys.Tab: true, keys.Changes: true,
}

// backward are the commands that do the same as others, the other way.
var backward = map[keys.Name]keys.Name{
	keys.Up: keys.Down, keys.PageUp: keys.PageDown, keys.HalfPageUp: keys.HalfPageDown, keys.ScrollUp: keys.ScrollDown,
	keys.PreviousSibling: keys.NextSibling, keys.PreviousThread: keys.NextThread, keys.PreviousHit: keys.NextHit,
	keys.PreviousSame: keys.NextSame, keys.PreviousDifference: keys.NextDifference,
	keys.DetailsUp: keys.DetailsDown, keys.ScrollLeft: keys.ScrollRight,
}

// do does what a command with a key does, with the number typed before the key; 0 if none was.
func (m *Model) do(c keys.Name, n int) tea.Cmd {
	if cmd, is := m.compare.refuses(c); is {
		return cmd
	}
	way := 1
	if forward, is := backward[c]; is {
		c, way = forward, -1
	}
	if cmd, done := m.panes.do(c, way*max(1, n), way); done {
		return cmd
	}
	switch m.env.Keyboard.Keys.Named(c).Group {
	case keys.GroupMove:
		return m.doMove(c, n, way)
	case keys.GroupTree:
		return m.doTree(c, n)
	case keys.GroupFind:
		return m.doFind(c, n, way)
	case keys.GroupAnswer:
		return m.doAnswer(c, "")
	}
	return m.doOther(c, n, way)
}

func (m *Model) doMove(c keys.Name, n, way int) tea.Cmd {
	t, times := m.tree, way*max(1, n)
	switch c {
	case keys.Down:
		return t.Aim(tree.Down(times))
	case keys.PageDown:
		return t.Aim(tree.Screens(times))
	case keys.HalfPageDown:
		return t.Aim(tree.Pages(way * cmp.Or(n, max(1, t.Out.Height/2))))
	case keys.ScrollDown:
		return t.Aim(tree.Scroll(times))
	case keys.First:
		return t.First(n)
	case keys.Last:
		return t.Last(n)
	case keys.Follow:
		return m.follow.Toggle()
	case keys.NextSibling:
		return t.Siblings(times)
	case keys.NextThread:
		return t.Threads(times)
	case keys.Enclosing:
		return t.Enclosing(n)
	case keys.Threads:
		return m.threads.Show()
	}
	panic("no move " + c)
}

func (m *Model) doTree(c keys.Name, n int) tea.Cmd {
	switch c {
	case keys.Expand:
		return m.tree.Right(n)
	case keys.Collapse:
		return m.tree.Left()
	case keys.Toggle:
		if cmd, is := m.starts.Follow(); is {
			return cmd
		}
		if cmd, is := m.compare.equalPart(); is {
			return cmd
		}
		return m.tree.Toggle()
	case keys.ExpandLevel:
		if n > 0 {
			return m.tree.Jobs.Expand(n)
		}
		return m.tree.Jobs.ExpandMore()
	case keys.ExpandAll:
		return m.tree.Jobs.Expand(0)
	case keys.CollapseBelow:
		return m.tree.Collapse()
	case keys.CollapseAll:
		m.tree.Out.Tree.CollapseEverything()
		return nil
	case keys.Unload:
		return m.tree.Unload()
	case keys.Sort:
		return m.tree.Jobs.Sort()
	case keys.Raw:
		return m.tree.Jobs.ToggleRaw()
	}
	panic("no command of the tree " + c)
}

func (m *Model) doFind(c keys.Name, n, way int) tea.Cmd {
	switch c {
	case keys.Search:
		return m.search.AskPattern()
	case keys.NextHit:
		return m.results.Hit(way, n)
	case keys.Hits:
		return m.answers.ListHits()
	case keys.Filter:
		return m.filter.Ask()
	case keys.Unfilter:
		return m.flames.Back()
	case keys.Longest:
		return m.tour.Largest(n)
	case keys.NextSame:
		return m.search.SameName(way)
	case keys.NextDifference:
		return m.compare.difference(way, n)
	case keys.Partner:
		return m.tree.Jobs.ToPartner()
	case keys.GoTo:
		return m.OpenLine("")
	case keys.GoStatement:
		if m.compare.pairs != nil {
			return m.compare.openSide("")
		}
		return m.starts.Key()
	case keys.Back:
		return m.tree.Jobs.Back()
	case keys.Forward:
		return m.tree.Jobs.Forward()
	case keys.Mark:
		return m.marks.AskMark()
	case keys.GoToMark:
		return m.marks.AskMarked()
	case keys.Note:
		return m.marks.AskNote()
	case keys.Notes:
		return m.marks.ShowList()
	}
	panic("no way to find " + c)
}

func (m *Model) doOther(c keys.Name, n, way int) tea.Cmd {
	times := way * max(1, n)
	switch c {
	case keys.Details:
		if m.details.Welcome {
			m.details.Welcome = false // the row takes the place of the overview
			break
		}
		m.panes.toggle(screen.DetailsPane)
	case keys.ShowSource:
		m.panes.toggle(screen.SourcePane)
	case keys.Overview:
		m.env.Front.Show(m.overview, m.leaveOverview)
	case keys.Columns:
		return m.tree.Columns.Ask()
	case keys.Value:
		return m.details.ShowValue()
	case keys.Panes:
		return m.panes.ask()
	case keys.DetailsDown:
		m.details.Scroll(times)
	case keys.ScrollRight:
		m.tree.Out.Shift(8 * times)
	case keys.Redraw:
		return tea.Batch(tea.ClearScreen, tea.RequestWindowSize)
	case keys.Sticky:
		m.tree.Sticky = !m.tree.Sticky
		m.env.Say(map[bool]string{true: "the calls around stay in view", false: "the calls around scroll out"}[m.tree.Sticky])
	case keys.Locations:
		return m.tree.ToggleWide()
	case keys.Source:
		if m.panes.keys == screen.SourcePane {
			return m.source.Edit()
		}
		return m.details.Source.Edit(m.tree.Out.Cursor.Node)
	case keys.CopyRow, keys.CopyPath, keys.CopySubtree, keys.CopyAddress:
		return m.clip.Do(c)
	case keys.Export:
		return m.exports.Run("", false)
	case keys.Stop:
		return m.escape(n)
	case keys.Tab:
		if n == 0 {
			return m.tabs.pick(m.env, "")
		}
		return m.tabs.pick(m.env, strconv.Itoa(n))
	case keys.Close:
		if n == 0 {
			return m.tabs.closeTab(m.env, "")
		}
		return m.tabs.closeTab(m.env, strconv.Itoa(n))
	case keys.Palette:
		return m.openPalette()
	case keys.Help:
		lines := append(m.frame.here(&m.env.Front, m.env.Keyboard.Keys), helpLines(m.env.Keyboard.Keys)...)
		m.env.Front.Push(keys.NewHelpList("keys", append(lines, keys.Legend(m.env.Glyphs)...), m.env.Width, m.env.Glyphs), nil)
	case keys.Suspend:
		return m.env.Suspend()
	case keys.Quit:
		return tea.Quit
	default:
		panic("no command " + c)
	}
	return nil
}
