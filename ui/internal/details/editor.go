package details

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// editorCommand returns the command that opens a file at a line: $VISUAL or $EDITOR with its arguments, or vi.
func editorCommand(path string, line int) (*exec.Cmd, error) {
	words := strings.Fields(cmp.Or(strings.TrimSpace(os.Getenv("VISUAL")), strings.TrimSpace(os.Getenv("EDITOR")), "vi"))
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

// atLine returns the arguments that open a file at a line in the given editor.
func atLine(program, path string, line int) []string {
	n := strconv.Itoa(line)
	switch strings.TrimSuffix(filepath.Base(program), ".exe") {
	case "code", "codium", "cursor":
		return []string{"--goto", path + ":" + n}
	case "subl", "hx", "helix", "zed":
		return []string{path + ":" + n}
	case "idea", "idea64", "pycharm", "goland":
		return []string{"--line", n, path}
	}
	return []string{"+" + n, path}
}
