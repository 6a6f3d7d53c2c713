package recording

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/instrument/raw/rawtest"
)

// TestSplitPath: the names of traces have no characters of a program's name that files cannot have, and no two
// are the same.
func TestSplitPath(t *testing.T) {
	dir := t.TempDir()
	file := func(name, program string) string {
		path := filepath.Join(dir, name+raw.Suffix)
		rawtest.New(rawtest.Options{PID: 7, Program: program}).Save(t, path)
		return path
	}
	damaged := filepath.Join(dir, "12-3"+raw.Suffix)
	if err := os.WriteFile(damaged, []byte("no header"), 0o600); err != nil {
		t.Fatal(err)
	}
	taken := make(map[string]bool)
	for _, c := range []struct{ output, file, want string }{
		{"trace.bin", file("7-1", "/bin/shop.test"), "trace-shop.test-7.bin"},
		{"trace.bin", file("7-2", "/bin/shop.test"), "trace-shop.test-7-2.bin"},
		{"trace.bin", file("7-3", "./shop.test"), "trace-shop.test-7-3.bin"},
		{"out/trace", file("7-4", "a b\x1b[31m/ü?*"), "out/trace-___-7"},
		{"out/trace", file("7-5", "/.."), "out/trace-..-7"},
		{"trace.bin", file("7-6", "/bin/"+strings.Repeat("x", 100)), "trace-" + strings.Repeat("x", 60) + "-7.bin"},
		{"trace.bin", damaged, "trace-process-12.bin"},
	} {
		if got := splitPath(c.output, &splitProcesses([]string{c.file})[0], taken); got != c.want {
			t.Errorf("%s: %q, expected %q", c.file, got, c.want)
		}
	}
}
