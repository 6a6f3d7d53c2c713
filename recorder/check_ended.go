package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"tracex/recorder/internal/claim"
	"tracex/recorder/internal/live"
)

// CheckEnded returns why the trace at path may have no end, and changes nothing: [ErrRecording]
// while its program records it; [ErrUnfinished] if its program ended without [Recorder.Stop] and its
// last data is in the file next to the trace; [ErrFinishing] while a process finishes that; nil
// if none of these is true. Any other error says why it is unknown.
func CheckEnded(path string) error {
	err := live.Look(path + LiveSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		err = checkLocked(path)
	}
	if err != nil {
		return fmt.Errorf("recorder: %w", err)
	}
	return nil
}

// checkLocked is CheckEnded for a trace without a live file. Others that look at a trace, or
// remove one, hold its lock for a moment: only a recorder keeps it.
func checkLocked(path string) error {
	for range lookAttempts {
		if !claim.Held(path) {
			return nil
		}
		if _, err := os.Lstat(path + LiveSuffix); err == nil {
			return live.Look(path + LiveSuffix)
		}
		claim.Pause()
	}
	return ErrRecording
}

const lookAttempts = 20
