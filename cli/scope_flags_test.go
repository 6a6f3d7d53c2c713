package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
)

// TestSplitPlace: the end of an argument names a place, unless a file has the whole name.
func TestSplitPlace(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "a#7")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		arg, path, place string
	}{
		{"trace.bin#1204", "trace.bin", "#1204"},
		{"trace.bin#1,204", "trace.bin", "#1204"},
		{"trace.bin@3+88120", "trace.bin", "@3+88120"},
		{"trace.bin@3", "trace.bin", "@3"},
		{"dir@2/trace#1#2", "dir@2/trace#1", "#2"},
		{there + "#8", there, "#8"},
		{"-#5", "-", "#5"},
		{there, there, ""},
		{"trace.bin", "trace.bin", ""},
		{"trace.bin#", "trace.bin#", ""},
		{"trace#1.bin", "trace#1.bin", ""},
		{"trace.bin#-1", "trace.bin#-1", ""},
		{"trace.bin#99999999999", "trace.bin#99999999999", ""},
		{"trace.bin@0", "trace.bin@0", ""},
		{"user@host", "user@host", ""},
		{"#5", "#5", ""},
		{"-", "-", ""},
	} {
		path, at := splitPlace(c.arg)
		if path != c.path || at.given != (c.place != "") || at.given && at.handle.String() != c.place {
			t.Errorf("%s: %q and %+v", c.arg, path, at)
		}
	}
	for arg, want := range map[string]lazy.Handle{
		"#1204": lazy.EventHandle(1204), "1204": lazy.EventHandle(1204), "@1+5": lazy.PositionHandle(lazy.Position{At: 5}),
	} {
		if h, err := placeArgument(arg); err != nil || h != want {
			t.Errorf("%s: %v, %v", arg, h, err)
		}
	}
	for _, arg := range []string{"", "#", "x", "-1", "##1", "50%"} {
		if h, err := placeArgument(arg); err == nil {
			t.Errorf("%q is %v", arg, h)
		}
	}
}

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
