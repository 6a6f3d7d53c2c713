//go:build unix

package cli

import (
	"os"
	"strings"
	"testing"

	"tracex/cli/config"
	"tracex/format/formattest"
)

// TestOpenConfigured: the explorer has the keys, settings and colors of the configuration, and its
// first screen tells of a mistake in it, which keeps nothing else from its effect.
func TestOpenConfigured(t *testing.T) {
	path := formattest.Unpack(t, "gson.stream.bin", "gson.stream.bin.idx")
	// Only changes are redrawn: a name of its own length would change what they are.
	t.Chdir(t.TempDir())
	const text = "[open]\ndetails = true\n[keys]\nsearch = [\"f\"]\nquit = [\"Z\"]\ndown = \"n\"\nserch = \"x\"\n[colors]\nmethod = \"bold 208\"\n"
	if err := os.WriteFile("c", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(config.Variable, "c")
	t.Setenv("NO_COLOR", "")
	s, _ := onScreen(t, nil, "open", "--no-write", path)
	s.until(" details ")
	s.until("c:7: ")
	s.press("n")
	s.until("f find")
	s.press("f")
	s.until("find in all threads")
	s.press("\x1b")
	s.until("Z quit")
	s.press("Z")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(s.drawn.String(), "38;5;208") {
		t.Errorf("the screen has not the user's color: %q", s.drawn.String())
	}
}
