package env

import (
	"os/exec"
	"testing"
)

// TestPrint: the command prints a subtree; the user fills in a file that is not known.
func TestPrint(t *testing.T) {
	for _, c := range []struct {
		s          Subtree
		file, want string
	}{
		{Subtree{Event: 42, Leaf: true}, "trace.bin", "tracex print --event 42 trace.bin"},
		{Subtree{Raw: true}, "my trace", "tracex print --raw --event 0 --subtree 'my trace'"},
		{Subtree{Event: 1}, "", "tracex print --event 1 --subtree FILE"},
	} {
		if got := PrintCommand(c.s, c.file); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

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
