//go:build linux

package cli

import (
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestInfoProcesses: processes are a tree, with what started each; --limit lists the first of them.
func TestInfoProcesses(t *testing.T) {
	w := formattest.NewBuilder(t)
	x := w.Variable("x")
	for i, name := range []string{"shop 1 › main", "shop 1 › goroutine 7", "shop 2 › main", "worker › main", "shop 2 › recorder's"} {
		w.Thread(int32(i))
		w.Name(name)
		if i == 0 {
			for _, note := range []string{
				`1 pid 1 ppid 77 program "shop" shown "shop 1"`, `2 pid 2 parent 1 via 2 ppid 1 program "shop" shown "shop 2"`,
				`3 pid 3 parent 2 via 9 ppid 9 program "worker" shown "worker"`, `4 pid 2 parent 2 via 2 became 1 program "after"`,
				`5 pid 5 program "a\x1b" trace "b.bin" of "c 7"`, `1 started 2 thread 1 event 3 in "os/exec.(*Cmd).Run"`,
			} {
				w.Text("tracex: process " + note)
			}
		}
		w.Access(format.ClassVariableRead, -1, x)
	}
	path := w.File()
	out, _, exit := runCommand(t, "info", path)
	const want = `
processes       duration  threads  calls  started
  shop 1                  2        0      by process 77, which is not recorded
    shop 2                2        0      by shop 1 › goroutine 7, in os/exec.(*Cmd).Run
      worker 3            1        0      by shop 2, through process 9
      after 2             0        0      by itself: before, it was shop 2
  a\x1b 5                 0        0      by c 7, which is in b.bin

`
	if exit != 0 || !strings.Contains(out, want) {
		t.Errorf("%s\nwant%s", out, want)
	}
	out, _, _ = runCommand(t, "info", "--limit", "2", path)
	if !strings.Contains(out, "    shop 2 ") || strings.Contains(out, "worker 3") || !strings.Contains(out, "… 3 more (--limit 0)") {
		t.Errorf("%s", out)
	}
}
