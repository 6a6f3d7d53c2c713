package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"tracex/format/filelock"
)

// ErrUnfinished: the program has ended, and no process holds the file.
var ErrUnfinished = errors.New("its program ended without closing it")

// Look returns the state of a live file, which need not be writable: [ErrInUse],
// [ErrFinishing], or [ErrUnfinished]; nil if there is nothing in it to finish. It holds the file's
// lock for a moment.
func Look(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := &Rest{f: f}
	if err := lock(f); err != nil {
		return fmt.Errorf("%s: %w", path, r.held(err))
	}
	r.data = make([]byte, headerSize)
	switch _, err := io.ReadFull(f, r.data); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil // it was just created
	case err != nil:
		return err
	case !begins(r.data), binary.NativeEndian.Uint64(r.data[AtOrder:]) != orderMark, r.Uint(AtState) == StateOver:
		return nil
	}
	return fmt.Errorf("%s: %w", path, ErrUnfinished)
}

// Holder returns the process that records into a live file; 0 if none does.
func Holder(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	r := &Rest{f: f}
	if err := lock(f); err == nil || !errors.Is(r.held(err), ErrInUse) {
		return 0
	}
	return int(r.Uint(AtPID))
}

// lock locks a file for the process. Systems without locks have no live files: it would be
// unknown whether the program that records has ended.
func lock(f *os.File) error {
	err := filelock.Lock(f)
	if errors.Is(err, filelock.ErrLocked) {
		return ErrInUse
	}
	return err
}

// lockNew locks a file that was just created. Before that, a [Look] may hold its lock for a
// moment.
func lockNew(f *os.File) (err error) {
	for range lockAttempts {
		if err = lock(f); !errors.Is(err, ErrInUse) {
			return err
		}
		pauseForOther()
	}
	return err
}

const lockAttempts = 100

// pauseForOther gives another process a moment; tests replace it.
var pauseForOther = func() { time.Sleep(time.Millisecond) }
