package shell

import "testing"

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
		if got := Print(c.s, c.file); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}
