//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/creack/pty"

	"tracex/format/formattest"
)

// BenchmarkStart measures the program from exec: until it has printed its version and ended, and until
// the whole first frame of open has arrived at a terminal of 120×40 that answers no query.
func BenchmarkStart(b *testing.B) {
	program := filepath.Join(b.TempDir(), "tracex")
	if out, err := exec.Command("go", "build", "-o", program, "tracex").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	home := b.TempDir()
	start := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "TERM=xterm-256color", "LC_ALL=C.UTF-8", "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home)
		return cmd
	}
	b.Run("version", func(b *testing.B) {
		for b.Loop() {
			if out, err := start("--version").CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
	})
	for _, n := range []int{1_000_000, 20_000_000} {
		b.Run("first-frame="+strconv.Itoa(n), func(b *testing.B) {
			path := formattest.File(b, formattest.Spec{Shape: formattest.Calls, N: n, Seed: 1})
			chunk := make([]byte, 1<<16)
			for b.Loop() {
				cmd := start("open", "--no-write", path)
				tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
				if err != nil {
					b.Fatal(err)
				}
				for screen := []byte(nil); !bytes.Contains(screen, []byte("quit")); { // the end of the last line
					k, err := tty.Read(chunk)
					if screen = append(screen, chunk[:k]...); err != nil {
						b.Fatalf("%v; the screen is %q", err, screen)
					}
				}
				b.StopTimer()
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				tty.Close()
				b.StartTimer()
			}
		})
	}
}
