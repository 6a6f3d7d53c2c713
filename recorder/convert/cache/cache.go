// Package cache keeps what was converted, so that a file that has not changed is not converted
// again. The cache is a directory with one for each entry:
//
//	ab12…/lock      locked exclusively while the entry is made or removed, shared while it is used
//	ab12…/about     what the caller keeps about the entry; it is written last: without it, the entry is not whole
//	ab12…/*         the caller's files
//
// An entry is named by a [Key]. Many processes may use a cache at once. One that is killed leaves an entry
// that is not whole, which the next one removes.
package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tracex/format"
	"tracex/format/filelock"
)

// Variable names another directory for the cache, or says that there is none: off.
const Variable = "TRACEX_CACHE"

// Dir returns the user's directory for a cache; "" if nothing is to be kept.
func Dir() string {
	switch dir := os.Getenv(Variable); dir {
	case "":
	case "off":
		return ""
	default:
		return dir
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "" // there is no home directory
	}
	return filepath.Join(dir, "tracex", "converted")
}

const (
	lockName  = "lock"
	aboutName = "about"
)

// maxAbout bounds what is kept about an entry, in bytes.
const maxAbout = 1 << 20

// retryAfter is how long to wait for the lock of an entry before trying again.
const retryAfter = 50 * time.Millisecond

// Cache is a directory of entries. Any number of goroutines may use it.
type Cache struct{ dir string }

// Open returns the cache in a directory, which it makes if needed.
func Open(dir string) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Cache{dir}, nil
}

// Entry is an entry in use. The caller must close it.
type Entry struct {
	dir   string
	lock  *os.File // nil after Close
	alone bool     // no other process has the entry
	about []byte   // nil until it is whole
}

// Take returns the entry of a key. If it is not whole, the caller alone has it: it makes the files
// in its directory and calls [Entry.Keep], or closes it. While another process makes the entry,
// Take waits; before it does, it calls waiting. It fails with errors.ErrUnsupported
// where files cannot be locked.
func (c *Cache) Take(ctx context.Context, k Key, waiting func()) (*Entry, error) {
	dir := filepath.Join(c.dir, k.name())
	for {
		e, err := take(dir)
		if !errors.Is(err, filelock.ErrLocked) {
			return e, err
		}
		if waiting != nil {
			waiting()
			waiting = nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(retryAfter):
		}
	}
}

// take is Take without waiting: it fails with [filelock.ErrLocked].
func take(dir string) (e *Entry, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	e = &Entry{dir: dir}
	if e.lock, err = os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if err = e.begin(); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// begin locks the entry: shared if it is whole, otherwise alone.
func (e *Entry) begin() error {
	if e.whole() { // as it seems
		return e.share()
	}
	if err := e.locked(filelock.Lock); err != nil {
		return err
	}
	if e.whole() { // another process has made it meanwhile
		return e.share()
	}
	e.alone = true
	return e.clear()
}

// share turns the lock of an entry that is whole into a shared one.
func (e *Entry) share() error {
	if err := e.relock(filelock.Share); err != nil {
		return err
	}
	if !e.whole() { // it was removed in between
		return filelock.ErrLocked
	}
	now := time.Now()
	return os.Chtimes(e.lock.Name(), now, now) // it was used last
}

// relock takes another lock instead of the one that is held. Not every system changes a lock: it is given
// up in between.
func (e *Entry) relock(lock func(*os.File) error) (err error) {
	_ = e.lock.Close() // it was only locked
	e.alone = false
	if e.lock, err = os.OpenFile(e.File(lockName), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	return e.locked(lock)
}

// locked takes the lock, unless the entry was removed meanwhile.
func (e *Entry) locked(lock func(*os.File) error) error {
	if err := lock(e.lock); err != nil {
		return err
	}
	ours, err := e.lock.Stat()
	if err != nil {
		return err
	}
	if there, err := os.Stat(e.lock.Name()); err != nil || !os.SameFile(ours, there) {
		return filelock.ErrLocked
	}
	return nil
}

// whole reads what was kept about an entry, and reports whether there is anything.
func (e *Entry) whole() bool {
	b, err := os.ReadFile(e.File(aboutName))
	if err != nil || len(b) == 0 || len(b) > maxAbout {
		b = nil
	}
	e.about = b
	return b != nil
}

// Whole reports whether the entry was made.
func (e *Entry) Whole() bool { return e.about != nil }

// About returns what was kept about the entry; nil unless it is whole.
func (e *Entry) About() []byte { return e.about }

// File returns the path of a file of the entry. name is not that of another path.
func (e *Entry) File(name string) string { return filepath.Join(e.dir, name) }

// Keep says that the files of the entry are there. Others may use it from now on. about must not be nil.
func (e *Entry) Keep(about []byte) error {
	if len(about) == 0 || len(about) > maxAbout {
		return fmt.Errorf("%d bytes about an entry of the cache", len(about))
	}
	draft := e.File(aboutName + ".tmp")
	if err := os.WriteFile(draft, about, 0o600); err != nil {
		return err
	}
	if err := os.Rename(draft, e.File(aboutName)); err != nil {
		return err
	}
	e.about = about
	return e.share()
}

// Drop forgets an entry, whose files are not as they should be, and closes it. It is made anew when it is
// taken next, unless others use it.
func (e *Entry) Drop() error {
	defer e.Close()
	if err := e.relock(filelock.Lock); err != nil {
		return err
	}
	e.alone = true
	return e.clear()
}

// Close ends the use of the entry. If it is not whole, what is there is removed.
func (e *Entry) Close() {
	if e.lock == nil {
		return
	}
	if e.alone && e.about == nil {
		_ = e.remove() // the next who takes it, or Trim, removes what is left
	}
	_ = e.lock.Close() // it was only locked
	e.lock = nil
}

// clear removes the files of an entry that the caller has alone, except notes, which
// are the user's own.
func (e *Entry) clear() error {
	e.about = nil
	// Without this file, the entry is not whole: it is the first to go.
	if err := os.Remove(e.File(aboutName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	list, err := os.ReadDir(e.dir)
	if err != nil {
		return err
	}
	for _, f := range list {
		if f.Name() == lockName || strings.HasSuffix(f.Name(), format.NotesSuffix) {
			continue
		}
		if err := os.RemoveAll(e.File(f.Name())); err != nil {
			return err
		}
	}
	return nil
}

// remove is clear for an entry that is not needed. Its directory goes too, if there are no notes.
func (e *Entry) remove() error {
	if err := e.clear(); err != nil {
		return err
	}
	list, err := os.ReadDir(e.dir)
	if err != nil || len(list) > 1 {
		return err
	}
	return errors.Join(os.Remove(e.lock.Name()), os.Remove(e.dir))
}

// Key names an entry: a file, or a folder, as it was at a time.
type Key struct{ sum [sha256.Size]byte }

// mostFiles bounds the files of a folder that are in its key.
const mostFiles = 10_000

// KeyOf returns the key of the file or folder at path: its place, its size and the time when it was
// changed; of a folder also those of the files in it, at any depth. version is that of the
// converter: what another one has made is not used.
func KeyOf(path, version string) (Key, error) {
	at, err := filepath.Abs(path)
	if err != nil {
		return Key{}, err
	}
	if at, err = filepath.EvalSymlinks(at); err != nil {
		return Key{}, err
	}
	st, err := os.Stat(at)
	if err != nil {
		return Key{}, err
	}
	sum := sha256.New()
	add := func(name string, st fs.FileInfo) {
		fmt.Fprintf(sum, "%d:%s %d %d\n", len(name), name, st.Size(), st.ModTime().UnixNano())
	}
	fmt.Fprintf(sum, "%d:%s\n", len(version), version)
	if !st.IsDir() {
		add(at, st)
		return Key{[sha256.Size]byte(sum.Sum(nil))}, nil
	}
	n := 0
	err = filepath.WalkDir(at, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if n++; n > mostFiles {
			return fs.SkipAll
		}
		st, err := d.Info()
		if err == nil {
			add(name, st)
		}
		return err
	})
	return Key{[sha256.Size]byte(sum.Sum(nil))}, err
}

// nameSize is how many bytes of the sum name an entry's directory.
const nameSize = 16

// name returns the name of the entry's directory.
func (k Key) name() string { return hex.EncodeToString(k.sum[:nameSize]) }

// isName reports whether a directory may be that of an entry.
func isName(name string) bool {
	b, err := hex.DecodeString(name)
	return err == nil && len(b) == nameSize
}
