package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"tracex/recorder/internal/claim"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/finish"
	"tracex/recorder/internal/live"
)

// Finished says what [Finish] did.
type Finished struct {
	Done    bool  // there was a recording to finish
	Bytes   int64 // added to the data file
	Threads int64 // with recorded data that was in no file
	// Short is how many threads lack their last trace points: what was kept of them is damaged,
	// or the recorder had no room to keep it.
	Short int64
}

// Finish finishes the recording of a program that ended without [Recorder.Stop]: it was killed,
// called os.Exit or log.Fatal, or panicked. What it had recorded is next to the trace, in a
// file of the same name with [LiveSuffix]. Finish adds to the data, index and times what they
// lack, with the open calls as unfinished, and their ends; then it removes that file. Without
// such a file it does nothing.
//
// If it fails the live file remains, and Finish can be called again. The same holds if it is
// interrupted.
func Finish(path string) (Finished, error) {
	return finishTo(path, func(f *os.File) files.OutFile { return files.Extended{File: f} })
}

// finishTo is Finish; tests have outputs of their own.
func finishTo(path string, to func(*os.File) files.OutFile) (Finished, error) {
	done, err := finish.Finish(path, to)
	if err != nil {
		err = fmt.Errorf("recorder: finishing %s: %w", path, err)
	}
	return Finished(done), err
}

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
