//go:build linux

package interop

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"tracex/recorder"
	"tracex/recorder/recordertest"
	_ "tracex/recorder/shared"
)

// programName is the name under which the test binary is a program that records
// into the shared memory of a service. Its arguments are the format version,
// 0 for the version it is told to use, and whether it writes track events.
const programName = "tracex-program"

func init() { commands[programName] = program }

func program() {
	version, err := strconv.Atoi(os.Args[1])
	events, errEvents := strconv.ParseBool(os.Args[2])
	if err = errors.Join(err, errEvents); err == nil {
		err = recordShared(version, events)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func recordShared(version int, events bool) error {
	rec, err := recorder.Start(recorder.Config{Strategy: recorder.SharedMemory, FormatVersion: version, TrackEvents: events})
	if err != nil {
		return err
	}
	recordertest.Program{Seed: 5, Goroutines: 3, Steps: 500}.Run(rec)
	return rec.Stop()
}

// The real reader loads the output of tracex record for a program that recorded into
// shared memory, in each version and in both ways, accepts the index,
// and prints the same text as we do.
func TestReferenceReadsRecordCommand(t *testing.T) { eachReference(t, testReadsRecordCommand) }

func testReadsRecordCommand(t *testing.T, r *reference) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	record := func(name string, version int, events bool) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			name, data := filepath.Join(dir, programName), filepath.Join(dir, "trace.bin")
			if err := os.Symlink(self, name); err != nil {
				t.Fatal(err)
			}
			tell(t, "record", "--format-version", r.release.version.String(), "-o", data,
				"--", name, strconv.Itoa(version), strconv.FormatBool(events))
			sameAsReference(t, r, data)
		})
	}
	record("calls", 0, false)
	for _, l := range releases {
		record(fmt.Sprintf("calls of version %d", l.version), int(l.version), false)
	}
	record("track events", 0, true)
}
