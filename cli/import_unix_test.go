//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tracex/format/formattest"
	"tracex/recorder/convert/cache"
)

// TestImportStopped stops commands that wait for the rest of a pipe, which they convert: nothing stays.
func TestImportStopped(t *testing.T) {
	for name, args := range map[string][]string{"convert": {"convert", "-o", "OUT", "-"}, "print": {"print", "-"}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for i := range args {
				args[i] = strings.Replace(args[i], "OUT", filepath.Join(dir, "out"), 1)
			}
			cmd, stderr, tmp := command(t, args...)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// More than a pipe holds: once it is written, the command is reading it.
			if _, err := in.Write([]byte(`{"resourceSpans":[` + strings.Repeat("{},", 1<<20))); err != nil {
				t.Fatal(err)
			}
			if n := len(append(formattest.Names(t, dir), formattest.Names(t, tmp)...)); n == 0 {
				t.Error("there are no files before the signal")
			}
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			if got := code(t, cmd.Wait()); got != 130 {
				t.Errorf("exit code %d, expected 130", got)
			}
			if want := "tracex: stopped: interrupt\n"; stderr.String() != want {
				t.Errorf("it says %q, expected %q", stderr, want)
			}
			if left := append(formattest.Names(t, dir), formattest.Names(t, tmp)...); len(left) > 0 {
				t.Errorf("files stay: %q", left)
			}
		})
	}
}

// TestImportOnScreen opens a damaged file of another tool: the screen has its name, and tells what is missing.
func TestImportOnScreen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.json.gz")
	whole := `{"resourceSpans":[{"scopeSpans":[{"spans":[
{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"GET /cart","startTimeUnixNano":"1000","endTimeUnixNano":"2000"},{"na`
	if err := os.WriteFile(path, gzipOf([]byte(whole)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"off", filepath.Join(t.TempDir(), "cache")} {
		t.Setenv(cache.Variable, dir)
		for range 2 { // converted, and, with a cache, found there
			s, tmp := onScreen(t, nil, "open", path)
			s.until("shop.json.gz")
			s.until("GET /cart")
			s.until("cut short")
			s.press("q")
			s.ends(0, tmp)
		}
	}
}
