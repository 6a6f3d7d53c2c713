//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDumbTerminal: the explorer sends nothing to a terminal that understands no sequences, and says what to do.
func TestDumbTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.json")
	if err := os.WriteFile(path, []byte(`[{"name":"f","ph":"X","ts":1,"dur":5}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for variable, why := range map[string]string{"TERM=dumb": "TERM is dumb", "TERM=": "TERM is not set"} {
		for _, c := range []struct {
			args []string
			hint string
		}{
			{[]string{"open", path}, "hint: tracex print " + path + " prints the trace as text"},
			{[]string{path}, "hint: tracex print "},
			{[]string{"demo"}, "hint: tracex demo --save FILE"},
		} {
			s, _ := onTerminal(t, []string{variable}, nil, c.args...)
			s.until(c.hint)
			if code := s.end(); code != exitUsage || !strings.Contains(s.drawn.String(), why) || strings.Contains(s.drawn.String(), "\x1b") {
				t.Errorf("%s %q: exit code %d, %q", variable, c.args, code, s.drawn.String())
			}
		}
	}
}
