package cli

import (
	"os"
	"path/filepath"
	"strings"
)

// lastFile returns the file that keeps what was open last: a path a line; "" if there is no home directory.
func lastFile() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "tracex", "last")
}

// lastOpened returns the files that were open last, those that are still there.
func lastOpened() (paths []string) {
	text, _ := os.ReadFile(lastFile())
	for line := range strings.Lines(string(text)) {
		if path := strings.TrimSuffix(line, "\n"); exists(path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// keepOpened keeps the names of what is open. It is no fault if that cannot be done.
func keepOpened(paths []string) {
	var text strings.Builder
	for _, path := range paths {
		path, _ = splitPlace(path)
		if whole, err := filepath.Abs(path); err == nil && exists(path) && !strings.Contains(whole, "\n") {
			text.WriteString(whole + "\n")
		}
	}
	if file := lastFile(); file != "" && text.Len() > 0 && os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		os.WriteFile(file, []byte(text.String()), 0o600)
	}
}
