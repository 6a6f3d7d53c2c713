package live

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"time"

	"tracex/format/filelock"
)

// Errors of Open that a caller branches on.
var (
	// ErrInUse: the program that records holds the file.
	ErrInUse = errors.New("still being recorded")
	// ErrFinishing: the program has ended, and another process holds the file.
	ErrFinishing = errors.New("another process is finishing the recording")
	// ErrDamaged: the file's content is impossible.
	ErrDamaged = errors.New("damaged")
)

func damaged(text string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(text, args...))
}

// maxOffset bounds offsets, so that sums of two do not overflow.
const maxOffset = 1 << 48

// Rest is the content of a live file that a program left. It is locked until Close or Remove.
type Rest struct {
	f    *os.File
	data []byte
}

// Open reads a live file whose program has ended, and carries out the transaction that was
// under way, in memory. [ErrInUse] means that the program has not ended. Nothing is written.
func Open(path string) (*Rest, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	r := &Rest{f: f}
	if err := r.read(); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func (r *Rest) read() error {
	if err := lock(r.f); err != nil {
		return r.held(err)
	}
	var err error
	if r.data, err = io.ReadAll(r.f); err != nil {
		return err
	}
	if bytes.HasPrefix(r.data, []byte(magic[:len(magic)-len("003\n")])) && !begins(r.data) {
		return damaged("it is of a newer recorder: %q", r.data[:min(len(r.data), len(magic)-1)])
	}
	if len(r.data) < headerSize || !begins(r.data) {
		return damaged("it does not begin as a live file, with %q", magic)
	}
	if n := r.Uint(AtOrder); n != orderMark {
		return damaged("its numbers have another order of bytes than this machine's")
	}
	begun, done := r.Uint(atBegun), r.Uint(atDone)
	if begun == done {
		return nil
	}
	tx, err := r.Bytes(int64(r.Uint(AtRedo)), int64(r.Uint(atLength)))
	if err != nil {
		return err
	}
	return redo(tx, func(off, size int64) []byte {
		b, _ := r.Bytes(off, size)
		return b
	})
}

// held returns the error for a locked file, which depends on its holder.
func (r *Rest) held(err error) error {
	r.data = make([]byte, headerSize)
	if _, fault := io.ReadFull(r.f, r.data); fault == nil && errors.Is(err, ErrInUse) && !alive(int(r.Uint(AtPID))) {
		return ErrFinishing
	}
	return err
}

// Uint returns a number of the file; zero if it is not within the file.
func (r *Rest) Uint(off int64) uint64 {
	b, err := r.Bytes(off, numberBytes)
	if err != nil {
		return 0
	}
	return binary.NativeEndian.Uint64(b)
}

// Size returns how many bytes the file has.
func (r *Rest) Size() int64 { return int64(len(r.data)) }

// Bytes returns bytes of the file, which the caller may change.
func (r *Rest) Bytes(off, size int64) ([]byte, error) {
	if off < 0 || size < 0 || off > int64(len(r.data)) || size > int64(len(r.data))-off {
		return nil, damaged("%d bytes at %d are not within its %d", size, off, len(r.data))
	}
	return r.data[off : off+size : off+size], nil
}

// Slots yields the offsets of the slots of a kind that are in use.
func (r *Rest) Slots(kind Kind) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		size := slotSizes[kind]
		page := int64(r.Uint(atFirst + int64(kind)*numberBytes))
		for pages := len(r.data) / slotPage; page != 0; pages-- {
			if _, err := r.Bytes(page, slotPage); err != nil || pages == 0 {
				yield(0, damaged("its list of records goes to %d", page))
				return
			}
			for at := page + firstSlot; at+size <= page+slotPage; at += size {
				if r.Uint(at) != 0 && !yield(at, nil) {
					return
				}
			}
			page = int64(r.Uint(page + atNextPage))
		}
	}
}

// Close leaves the file unchanged.
func (r *Rest) Close() error { return r.f.Close() }

func (r *Rest) Remove() error { return errors.Join(remove(r.f, r.f.Name()), r.f.Close()) }

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

// remove removes a file if it still has its name.
func remove(f *os.File, path string) error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	now, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(mine, now) {
		return nil // it was moved, and another one created
	}
	if err != nil {
		return err
	}
	return os.Remove(path)
}

// redo carries out a transaction; at returns bytes of the file, or nil if out of range.
func redo(tx []byte, at func(off, size int64) []byte) error {
	for n := 0; n < len(tx); {
		if n+entryHead > len(tx) {
			return damaged("its transaction ends within an entry")
		}
		off, size := binary.NativeEndian.Uint64(tx[n:]), binary.NativeEndian.Uint64(tx[n+numberBytes:])
		n += entryHead
		if off > maxOffset || size > uint64(len(tx)-n) {
			return damaged("its transaction sets %d bytes at %d", size, off)
		}
		to := at(int64(off), int64(size))
		if to == nil {
			return damaged("its transaction sets %d bytes at %d", size, off)
		}
		copy(to, tx[n:n+int(size)])
		n += (int(size) + numberBytes - 1) &^ (numberBytes - 1)
	}
	return nil
}
