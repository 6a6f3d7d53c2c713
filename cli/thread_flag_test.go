//go:build unix

package cli

import (
	"strings"
	"testing"

	"tracex/format/formattest"
)

// TestThreadFlag: a thread is named by its number or by that of its goroutine, wherever a command takes one.
func TestThreadFlag(t *testing.T) {
	w := formattest.NewBuilder(t)
	for i, name := range []string{"main", "goroutine 26 a.f ← 1 a.main a.go:1", "AWT", "b › goroutine 9 b.f", "c › goroutine 9 c.f"} {
		w.Thread(int32(i))
		w.Name(name)
		w.Call(-1, w.Method("a", name[:1]+"run", formattest.IntType), nil)
	}
	path := w.File()
	for _, c := range []struct{ args, has string }{
		{"print --thread 2", "# Thread 2 (goroutine 26"}, {"print --thread t2", "# Thread 2 (goroutine 26"}, {"print --thread g26", "# Thread 2 (goroutine 26"},
		{"top --thread g26", "1 call "}, {"calls a.grun --thread g26", "grun"}, {"flame --from #0 --thread g26", "thread 2"},
		{"around #0 --threads g26", "around #0"}, {"around #0 --threads g77", "no thread is named g77"},
		{"print --thread g7", "the trace has no goroutine 7"}, {"top --thread g9", "2 threads have a goroutine 9"}, {"print --thread worker", "worker is no thread, such as 3, or goroutine, such as g45"},
	} {
		args := strings.Fields(c.args)
		cmd, stderr, _ := command(t, append([]string{args[0], path}, args[1:]...)...)
		out, _ := cmd.Output()
		if got := string(out) + stderr.String(); !strings.Contains(got, c.has) || strings.Contains(got, "AWT") && args[0] != "around" {
			t.Errorf("%s has no %q:\n%s", c.args, c.has, got)
		}
	}
}
