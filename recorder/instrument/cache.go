package instrument

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tracex/recorder/internal/filelock"
)

// The cache has a folder for each version of the tools and of Go:
//
//	03103689bd0d646fbfe3/  the tools
//	  about.json           see Tools.save; its time is that of the last use
//	  lock                 locked by the processes that use the tools, and by one that removes them
//	making-…/              tools that are being made
//	removing-…/            tools that are being removed
const (
	lockName       = "lock"
	makingPrefix   = "making-"
	removingPrefix = "removing-"
	// unusedFor is how long tools are kept after their last use.
	unusedFor = 30 * 24 * time.Hour
)

// used are the locks of the tools that this process uses, until it ends.
var used struct {
	sync.Mutex
	locks []*os.File
}

// use loads the tools in a folder, which then stay there as long as this process runs.
func (t *Tools) use(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, aboutTools)); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err == nil {
		if err := filelock.Share(f); errors.Is(err, filelock.ErrLocked) {
			return errors.Join(err, f.Close()) // they are being removed
		} // another error: where there are no locks nothing is removed
		used.Lock()
		used.locks = append(used.locks, f)
		used.Unlock()
	}
	if err := t.load(dir); err != nil {
		return err
	}
	now := time.Now()
	_ = os.Chtimes(filepath.Join(dir, aboutTools), now, now)
	return nil
}

// removeUnused removes the tools in a cache that have not been used for long, and what processes left
// that did not finish making or removing some.
func removeUnused(cache string, now time.Time) {
	list, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	for _, e := range list {
		dir := filepath.Join(cache, e.Name())
		switch {
		case !e.IsDir():
		case strings.HasPrefix(e.Name(), makingPrefix), strings.HasPrefix(e.Name(), removingPrefix):
			if old(dir, now) {
				_ = os.RemoveAll(dir)
			}
		case old(filepath.Join(dir, aboutTools), now):
			removeTools(cache, e.Name(), now)
		}
	}
}

// old reports whether a file has not changed for long.
func old(path string, now time.Time) bool {
	st, err := os.Stat(path)
	return err == nil && now.Sub(st.ModTime()) > unusedFor
}

// removeTools removes tools, unless a process uses them.
func removeTools(cache, name string, now time.Time) {
	dir := filepath.Join(cache, name)
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return
	}
	defer f.Close()
	if filelock.Lock(f) != nil || !old(filepath.Join(dir, aboutTools), now) {
		return
	}
	// It goes at once: others see all or nothing.
	gone := filepath.Join(cache, removingPrefix+name)
	if os.Rename(dir, gone) == nil {
		_ = os.RemoveAll(gone)
	}
}
