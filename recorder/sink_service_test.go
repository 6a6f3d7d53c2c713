package recorder

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"tracex/recorder/internal/perfetto/ipc"
	"tracex/recorder/internal/sink"
	"tracex/recorder/internal/tracetest"
)

// notImported makes the test's program one that does not import recorder/shared.
func notImported(t *testing.T) {
	had := sink.Registered()
	sink.Register(nil)
	t.Cleanup(func() { sink.Register(had) })
}

// A program that requests shared memory without its package is told which import it needs.
func TestSharedMemoryIsNotImported(t *testing.T) {
	notImported(t)
	for _, c := range []Config{{Strategy: SharedMemory}, {Strategy: SharedMemory, Path: filepath.Join(t.TempDir(), "trace.bin")}} {
		if r, err := Start(c); r != nil || !errors.Is(err, ErrNotImported) || !strings.Contains(err.Error(), `import _ "tracex/recorder/shared"`) {
			t.Errorf("%+v: %v, %v", c, r, err)
		}
	}
	t.Setenv(sink.ServiceVariable, filepath.Join(t.TempDir(), "service"))
	if r, err := Start(Config{}); r != nil || !errors.Is(err, ErrNotImported) || !strings.Contains(err.Error(), sink.ServiceVariable) {
		t.Errorf("without a path: %v, %v", r, err)
	}
}

// If the environment requests it, such a program records to its file, and OnError is told.
func TestStartWithoutImport(t *testing.T) {
	notImported(t)
	dir := t.TempDir()
	t.Setenv(sink.ServiceVariable, filepath.Join(dir, "service"))
	told := make(chan error, 10)
	path := filepath.Join(dir, "trace.bin")
	r, err := Start(Config{Path: path, OnError: func(err error) { told <- err }})
	if err != nil {
		t.Fatal(err)
	}
	oneCall(t, r)
	if n := len(tracetest.LoadChecked(t, path).Threads); n != 1 {
		t.Errorf("the trace has %d threads", n)
	}
	if err := within(t, told, "what is missing"); !errors.Is(err, ErrNotImported) || !strings.Contains(err.Error(), path) {
		t.Errorf("told %v", err)
	}
}

// The name of the variable is the one of Perfetto's protocol.
func TestServiceVariable(t *testing.T) {
	if sink.ServiceVariable != ipc.ProducerVariable {
		t.Errorf("%s, and package ipc says %s", sink.ServiceVariable, ipc.ProducerVariable)
	}
}
