package recording

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tracex/format"
	"tracex/recorder/internal/live"
)

// OutlivedError is an [ErrRecording]: the recording process has ended, but a program goes on. What it writes into the
// directory cannot be read before it has ended.
type OutlivedError struct {
	PID int // of the program
}

func (e *OutlivedError) Error() string {
	return fmt.Sprintf("the recording process was killed, but process %d still runs and records", e.PID)
}

func (e *OutlivedError) Unwrap() error { return ErrRecording }

// outlived returns an [*OutlivedError] if a program still has a live file in the folder. A program that writes a raw
// file alone can be told to stop instead.
func outlived(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil // whoever completes the trace finds out why
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), format.LiveSuffix) {
			continue
		}
		if pid := live.Holder(filepath.Join(folder, e.Name())); pid > 0 {
			return &OutlivedError{pid}
		}
	}
	return nil
}
