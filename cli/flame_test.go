//go:build unix

package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"tracex/recorder"
)

// TestFlameOfFirst: without --thread, flame draws the first thread that has something, and tells which one if
// another is before it. A thread that is asked for is drawn, or it is an error.
func TestFlameOfFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.bin")
	rec, err := recorder.Start(recorder.Config{Path: path, Strategy: recorder.Streaming})
	if err != nil {
		t.Fatal(err)
	}
	class := rec.Class("shop")
	count := rec.Field(class, "count", recorder.FieldInfo{Static: true})
	work := rec.Method(class, "work", recorder.Type{})
	threads := []*recorder.Thread{rec.Thread("idle"), rec.Thread("busy")}
	threads[0].WriteField(count, 0, recorder.Null(), recorder.Int(7)) // no call: it has no time
	threads[1].Enter(work, 0, recorder.Null(), recorder.Int(1))
	threads[1].Exit(recorder.Int(2))
	for _, th := range threads {
		th.End()
	}
	if err := rec.Stop(); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (out, said string, exit int) {
		cmd, stderr, _ := command(t, append([]string{"flame", path, "--width", "40"}, args...)...)
		b, err := cmd.Output()
		return string(b), stderr.String(), code(t, err)
	}
	out, said, exit := run()
	if exit != 0 || !strings.Contains(out, "flame · thread 2 (busy)") || !strings.Contains(out, "work(1): 2") {
		t.Errorf("exit code %d: %s%s", exit, out, said)
	}
	if want := "tracex: thread 1 has nothing to draw: this is thread 2, the first that has\n"; said != want {
		t.Errorf("it says %q, not %q", said, want)
	}
	if _, said, exit = run("--thread", "2"); exit != 0 || said != "" {
		t.Errorf("thread 2: exit code %d: %s", exit, said)
	}
	if _, said, exit = run("--thread", "1"); exit != 1 || !strings.Contains(said, "nothing in thread 1 has a time") {
		t.Errorf("thread 1: exit code %d: %s", exit, said)
	}
}
