package shell

import (
	"os/exec"
	"testing"
)

// TestQuoted: a shell reads a quoted path as the path.
func TestQuoted(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh")
	}
	for _, path := range []string{"a.bin", "/tmp/a-b_c.bin", "with space", "it's", `$HOME;"x"`, "a\nb", "ü", "*"} {
		out, err := exec.Command("sh", "-c", "printf %s "+Quote(path)).Output()
		if err != nil || string(out) != path {
			t.Errorf("%q is %s, which is %q: %v", path, Quote(path), out, err)
		}
	}
	if got := Quote("-x"); got != "./-x" {
		t.Error(got)
	}
}
