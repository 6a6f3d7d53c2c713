package uitest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// FakePrograms sets up a PATH of its own, with programs that keep their input in a file of
// their name, or fail.
func FakePrograms(t *testing.T, works map[string]bool) (dir string) {
	t.Helper()
	dir = t.TempDir()
	shell, cat := "/bin/sh", "/bin/cat"
	for name, ok := range works {
		script := fmt.Sprintf("#!%s\necho \"$@\" > %s/%s.args\n%s > %s/%s.text\n", shell, dir, name, cat, dir, name)
		if !ok {
			script = "#!" + shell + "\nexit 1\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	return dir
}
