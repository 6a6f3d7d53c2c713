package shared_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tracex/recorder/internal/perfetto/calls"
	"tracex/recorder/internal/versiontest"
	"tracex/recorder/shared/sharedtest"
)

// A short-lived program has a session when Start returns. The session gets what the program
// wrote, however it ended, even if the service had not been told of it.
func TestSharedMemoryEnds(t *testing.T) { versiontest.EachVersion(t, testSharedMemoryEnds) }

func testSharedMemoryEnds(t *testing.T) {
	for end, code := range map[string]int{"exit": 0, "fatal": 1, "panic": 2} {
		t.Run(end, func(t *testing.T) {
			g := sharedtest.Start(t, calls.Source, 1<<10)
			path := filepath.Join(t.TempDir(), "trace.bin")
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), burstVariable+"="+end+" "+path)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != code {
				t.Fatalf("%v: %s", err, out)
			}
			if got := len(g.Parts()); got == 0 {
				t.Errorf("the session has nothing of its calls")
			}
			if left, _ := filepath.Glob(path + "*"); len(left) > 0 {
				t.Errorf("there are files, too: %q", left)
			}
		})
	}
}
