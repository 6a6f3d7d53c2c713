package claim

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tracex/format/formattest"
)

// removable are the files of a trace, in a new directory, with the data file last.
func removable(t *testing.T, names ...string) (dir string, paths []string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range names {
		paths = append(paths, closed(t, filepath.Join(dir, name)))
	}
	return dir, paths
}

// A trace is removed with the files beside it, some of which may be missing. Other files stay.
func TestRemoveAll(t *testing.T) {
	dir, paths := removable(t, "a.idx", "a", "b")
	if err := RemoveAll(paths[1], paths[0], filepath.Join(dir, "a.tim")); err != nil {
		t.Fatal(err)
	}
	if left := formattest.Names(t, dir); !slices.Equal(left, []string{"b"}) {
		t.Errorf("%q stay", left)
	}
}

// Without a data file, those beside it stay: they may be of a recording that is about to begin.
func TestRemoveAllWithoutData(t *testing.T) {
	dir, paths := removable(t, "a.idx")
	if err := RemoveAll(filepath.Join(dir, "a"), paths...); err != nil {
		t.Fatal(err)
	}
	if left := formattest.Names(t, dir); len(left) != 1 {
		t.Errorf("%q stay", left)
	}
}

// Nothing of a trace that is in use is removed.
func TestRemoveAllInUse(t *testing.T) {
	locks(t)
	dir, paths := removable(t, "a.idx", "a")
	claimed(t, paths[1])
	pauses(t, func(int) {})
	if err := RemoveAll(paths[1], paths[0]); !errors.Is(err, ErrInUse) {
		t.Errorf("removed: %v", err)
	}
	if left := formattest.Names(t, dir); len(left) != 2 {
		t.Errorf("%q stay", left)
	}
}

// The data file is removed last: after an error it is still there, and removing can be tried
// again.
func TestRemoveAllDataLast(t *testing.T) {
	dir, paths := removable(t, "a.idx", "a")
	stuck := filepath.Join(dir, "a.tim")
	if err := os.Mkdir(stuck, 0o700); err != nil {
		t.Fatal(err)
	}
	closed(t, filepath.Join(stuck, "file"))
	if err := RemoveAll(paths[1], paths[0], stuck); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a full directory was removed: %v", err)
	}
	if left := formattest.Names(t, dir); !slices.Equal(left, []string{"a", "a.tim"}) {
		t.Errorf("%q stay", left)
	}
}

// What cannot be locked is removed all the same: a symbolic link, not its target.
func TestRemoveAllLink(t *testing.T) {
	dir, paths := removable(t, "target")
	link := filepath.Join(dir, "a")
	if err := os.Symlink(paths[0], link); err != nil {
		t.Skip(err)
	}
	if err := RemoveAll(link); err != nil {
		t.Fatal(err)
	}
	if left := formattest.Names(t, dir); !slices.Equal(left, []string{"target"}) {
		t.Errorf("%q stay", left)
	}
}
