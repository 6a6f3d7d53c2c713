package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/editor"
)

// openEditor opens the code location of the row in the person's editor.
func (m *Model) openEditor(int) tea.Cmd {
	s, ok := m.spotOf(m.out.Cursor.Node)
	switch {
	case !ok:
		m.say("the trace does not say where this is in the source")
		return nil
	case len(m.o.Source) == 0:
		m.say("where are the sources? start tracex with --source FOLDER")
		return nil
	}
	return m.findSource(s, func(m *Model) tea.Cmd {
		if m.source.found.Err != nil {
			m.fail("cannot open the source", m.source.found.Err)
			return nil
		}
		c, err := editor.Command(m.source.found.Path, s.Line)
		if err != nil {
			m.fail("cannot start the editor", err)
			return nil
		}
		if m.source.found.Alike > 1 {
			m.say("opened " + m.source.found.Name())
		}
		return m.job.Lend(c, func(err error) tea.Msg { return editorEnded{err} })
	})
}

// editorEnded arrives when the editor has ended.
type editorEnded struct{ err error }

func (e editorEnded) apply(m *Model) tea.Cmd {
	if e.err != nil {
		m.fail("the editor", e.err)
	}
	return nil
}
