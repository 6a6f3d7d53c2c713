package recorder_test

import (
	"os"
	"testing"

	"tracex/recorder/perfetto/ipctest"
	"tracex/recorder/recordertest"
)

// TestMain makes the test binary a program that records, if the environment names one.
func TestMain(m *testing.M) {
	if path := os.Getenv(victimVariable); path != "" {
		victim(path)
	}
	if how, path, seed, ok := crashArguments(); ok {
		recordertest.Crash(how, path, seed)
	}
	child()
	ipctest.NoService()
	code := m.Run()
	_ = os.RemoveAll(programsDir) // "" if none was built
	os.Exit(code)
}
