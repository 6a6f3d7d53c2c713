//go:build linux

package recordtest_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// smallDisk mounts a disk of a size, such as 4m, until the test ends. It is not ok where the user may
// not mount.
func smallDisk(t *testing.T, size string) (dir string, ok bool) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Logf("a small disk cannot be made: %v", err)
		return "", false
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir, true
}

// TestDisks records onto disks that are too small for the recording, for its trace, or for what
// the program writes too.
func TestDisks(t *testing.T) {
	t.Parallel()
	plain, recording := workers(t)
	args := []string{"calls", strconv.Itoa(limitedCalls)}
	t.Run("full disk", func(t *testing.T) {
		dir, ok := smallDisk(t, "4m")
		if !ok {
			return
		}
		want := run(t, "", nil, append([]string{plain}, args...)...)
		if got := run(t, "", []string{"TRACEX_RECORD=" + dir}, append([]string{recording}, args...)...); got != want {
			t.Errorf("it ends with %+v, expected %+v", got, want)
		}
		trace := filepath.Join(t.TempDir(), "trace.bin")
		r := must(t, runTracex(t, "", nil, "convert", "-o", trace, dir))
		checkLoss(t, r.stdout+r.stderr, "the disk is full, or the file cannot grow: no space left on device", trace, args[1])
		// The trace is on that disk too.
		small := filepath.Join(dir, "trace.bin")
		got := runTracex(t, "", nil, append([]string{"record", "-o", small, "--", recording}, args...)...)
		if got.stdout != want.stdout || got.code == 0 && !strings.Contains(got.stderr, "are missing") {
			t.Errorf("it ends with %+v", got)
		}
	})
	t.Run("small disk", func(t *testing.T) {
		dir, ok := smallDisk(t, "64m")
		if !ok {
			return
		}
		// What is recorded leaves room for its trace.
		many := []string{"calls", strconv.Itoa(10 * limitedCalls)}
		want := run(t, "", nil, append([]string{plain}, many...)...)
		trace := filepath.Join(dir, "trace.bin")
		got := runTracex(t, "", nil, append([]string{"record", "-o", trace, "--", recording}, many...)...)
		said := cutReport(&got)
		if got != want {
			t.Errorf("it ends with %+v, expected %+v", got, want)
		}
		checkGap(t, said, "it may use no more of the free disk space (--limit SIZE allows more)", trace, 10*limitedCalls)
	})
	t.Run("full while it runs", func(t *testing.T) {
		needsShell(t)
		dir, ok := smallDisk(t, "64m")
		if !ok {
			return
		}
		// The trace does not fit. A program that still runs can write a file.
		const script = `"$0" calls 1000000
until [ $(stat -f -c %a "$1") -lt 3000 ]; do sleep 0.05; done
head -c 4000000 /dev/zero >"$1/own"`
		trace := filepath.Join(dir, "trace.bin")
		got := runTracex(t, "", nil, "record", "--limit", "1GiB", "-o", trace, "--", "sh", "-c", script, recording, dir)
		if st, err := os.Stat(filepath.Join(dir, "own")); err != nil || st.Size() != 4_000_000 {
			t.Errorf("the program's file: %v", err)
		}
		if got.code != 1 || !strings.Contains(got.stderr, "the recording is kept in "+trace+".recording") {
			t.Errorf("it ends with %+v", got)
		}
		must(t, runTracex(t, "", nil, "convert", "-o", filepath.Join(t.TempDir(), "trace.bin"), trace+".recording"))
	})
}
