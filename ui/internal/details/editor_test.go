package details

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEditor: each editor gets the line in its own syntax.
func TestEditor(t *testing.T) {
	for program, want := range map[string]string{
		"vim": "+7 F", "/usr/bin/nano": "+7 F", "code": "--goto F:7", "hx": "F:7", "idea": "--line 7 F",
	} {
		if got := strings.Join(atLine(program, "F", 7), " "); got != want {
			t.Errorf("%s %s, not %s", program, got, want)
		}
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs a program to stand for an editor, sh")
	}
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", "sh -x")
	c, err := editorCommand("F", 7)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Args) != 4 || c.Args[1] != "-x" || c.Args[2] != "+7" || !filepath.IsAbs(c.Args[3]) {
		t.Errorf("%q", c.Args)
	}
}
