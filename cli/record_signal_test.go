//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A signal that arrives while a trace is completed ends tracex, and is told what completes the trace.
func TestExplainSignals(t *testing.T) {
	said, err := os.Create(filepath.Join(t.TempDir(), "said"))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	a := &app{stderr: said}
	code := make(chan int)
	stop := a.explainSignals("calls.bin", func(c int) { code <- c })
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got, want := <-code, exitSignal+int(syscall.SIGTERM); got != want {
		t.Errorf("ended with code %d, not %d", got, want)
	}
	text, err := os.ReadFile(said.Name())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "tracex info calls.bin completes it") {
		t.Errorf("said %q", text)
	}
}
