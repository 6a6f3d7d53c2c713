package recorder

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// The placeholders in a path become the process and the time; all else stays.
func TestExpand(t *testing.T) {
	at := time.Date(2027, 1, 2, 3, 4, 5, 6, time.UTC)
	for path, want := range map[string]string{
		"trace.bin":       "trace.bin",
		"a-%p.bin":        "a-42.bin",
		"%t/%p/%p":        "2027-01-02_03-04-05/42/42",
		"100%%p, 50% %x%": "100%p, 50% %x%",
	} {
		if got := expand(path, 42, at); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
	dir := t.TempDir()
	r := start(t, Config{Path: filepath.Join(dir, "%p.bin")})
	defer func() { _ = r.Stop() }()
	want := filepath.Join(dir, strconv.Itoa(os.Getpid())+".bin")
	if got := r.File(); got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	if _, err := os.Stat(want); err != nil {
		t.Error(err)
	}
}
