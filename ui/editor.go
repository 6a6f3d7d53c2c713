package ui

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// openEditor opens the code location of the row in the person's editor.
func (m *Model) openEditor(int) tea.Cmd {
	s, ok := m.spotOf(m.out.cursor.Node)
	switch {
	case !ok:
		m.say("the trace does not say where this is in the source")
		return nil
	case len(m.o.Source) == 0:
		m.say("where are the sources? start tracex with --source FOLDER")
		return nil
	}
	return m.findSource(s, func(m *Model) tea.Cmd {
		if m.source.failed != nil {
			m.fail("cannot open the source", m.source.failed)
			return nil
		}
		c, err := editor(m.source.path, s.line)
		if err != nil {
			m.fail("cannot start the editor", err)
			return nil
		}
		if m.source.alike > 1 {
			m.say("opened " + m.source.said())
		}
		return m.lendTerminal(c, func(err error) tea.Msg { return editorEnded{err} })
	})
}

// editorEnded is the end of the editor.
type editorEnded struct{ err error }

func (e editorEnded) apply(m *Model) tea.Cmd {
	if e.err != nil {
		m.fail("the editor", e.err)
	}
	return nil
}

// editor is the command that opens a file at a line: $VISUAL or $EDITOR, which
// may have arguments, or vi.
func editor(path string, line int) (*exec.Cmd, error) {
	words := strings.Fields(os.Getenv("VISUAL"))
	if len(words) == 0 {
		words = strings.Fields(os.Getenv("EDITOR"))
	}
	if len(words) == 0 {
		words = []string{"vi"}
	}
	program, err := exec.LookPath(words[0])
	if err != nil {
		return nil, err
	}
	path, err = filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return exec.Command(program, append(words[1:], atLine(words[0], path, line)...)...), nil
}

// atLine is how editors are told the line.
func atLine(program, path string, line int) []string {
	n := strconv.Itoa(line)
	switch name := strings.TrimSuffix(filepath.Base(program), ".exe"); name {
	case "code", "codium", "cursor", "zed":
		if name == "zed" {
			return []string{path + ":" + n}
		}
		return []string{"--goto", path + ":" + n}
	case "subl", "hx", "helix":
		return []string{path + ":" + n}
	case "idea", "idea64", "pycharm", "goland":
		return []string{"--line", n, path}
	}
	return []string{"+" + n, path}
}
