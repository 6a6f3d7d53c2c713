package instrument

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tracex/format/filelock"
)

// used keeps the locks of the tools in use until this process ends.
var used struct {
	sync.Mutex
	locks []*os.File
}

// use loads the tools in a folder, and keeps them from being removed while this process runs.
func (t *Tools) use(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, aboutTools)); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o666)
	if err == nil {
		if err := filelock.Share(f); errors.Is(err, filelock.ErrLocked) {
			return errors.Join(err, f.Close()) // they are being removed
		} // any other error: without locks, no tools are removed either
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

// removeUnused removes tools that have not been used for long from a cache, and the remains of
// unfinished attempts to make or remove some.
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
	// Renaming removes the folder at once: other processes see all or nothing.
	gone := filepath.Join(cache, removingPrefix+name)
	if os.Rename(dir, gone) == nil {
		_ = os.RemoveAll(gone)
	}
}

// The cache has a folder for each version of the tools and of Go:
//
//	03103689bd0d646fbfe3/  the tools
//	  about.json           see Tools.save; its modification time is the time of the last use
//	  lock                 shared by processes that use the tools, exclusive to one that removes them
//	making-…/              tools that are being made
//	removing-…/            tools that are being removed
const (
	lockName       = "lock"
	makingPrefix   = "making-"
	removingPrefix = "removing-"
	// unusedFor is how long tools are kept after their last use.
	unusedFor = 30 * 24 * time.Hour
)

// aboutTools is the file that describes the tools in a folder. It is written last.
const aboutTools = "about.json"

func (t *Tools) save(dir string) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, aboutTools), b, 0o666)
}

func (t *Tools) load(dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, aboutTools))
	if err != nil {
		return err
	}
	var saved Tools
	if err := json.Unmarshal(b, &saved); err != nil {
		return err
	}
	t.Missing, t.Never = saved.Missing, saved.Never
	for _, path := range []string{t.Wrapper, t.Archive, t.Archive + SharedSuffix} {
		if _, err := os.Stat(path); err != nil {
			return err
		}
	}
	return nil
}
