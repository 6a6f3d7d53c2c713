package editor

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Command returns the command that opens a file at a line: $VISUAL or $EDITOR, which may have
// arguments, or vi.
func Command(path string, line int) (*exec.Cmd, error) {
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

// atLine returns the arguments that open a file at a line in the given editor.
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
