package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"tracex/recorder/internal/live"
)

// ErrLeft is what [Unended] returns of a recording that [Finish] would finish.
var ErrLeft = live.ErrLeft

// Unended says why the trace at path may have no end, and changes nothing:
// [ErrRecording] while its program records it, [ErrLeft] when its program ended
// without [Recorder.Stop] and what it recorded last is in the file beside the trace,
// [ErrFinishing] while a process finishes that; nil when none of these is so. Any
// other error says why it cannot be told.
func Unended(path string) error {
	err := live.Look(path + LiveSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		err = unendedAlone(path)
	}
	if err != nil {
		return fmt.Errorf("recorder: %w", err)
	}
	return nil
}

// unendedAlone is Unended for a trace without a live file. Whoever else looks at a
// trace, or removes one, holds its lock for a moment: only a recorder keeps it.
func unendedAlone(path string) error {
	for range lookAttempts {
		if !locked(path) {
			return nil
		}
		if _, err := os.Lstat(path + LiveSuffix); err == nil {
			return live.Look(path + LiveSuffix)
		}
		pauseForOther()
	}
	return ErrRecording
}

const lookAttempts = 20
