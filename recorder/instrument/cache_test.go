package instrument

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tracex/format/filelock"
)

// writeTools writes the files of tools.
func writeTools(t *testing.T, tools *Tools) {
	t.Helper()
	for _, path := range []string{tools.Wrapper, tools.Archive, tools.Archive + SharedSuffix} {
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRemoveUnused: the folders of a cache that have not been used for long, and are not in use, are
// removed.
func TestRemoveUnused(t *testing.T) {
	cache, now := t.TempDir(), time.Now()
	long := now.Add(-unusedFor - time.Hour)
	for name, last := range map[string]time.Time{
		"long ago": long, "used again": long, "in use": long, "recent": now.Add(-unusedFor + time.Hour), "making-1": long, "making-2": now, "removing-1": long, "other": {},
	} {
		dir := filepath.Join(cache, name)
		tools := toolsIn(dir)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		writeTools(t, tools)
		if last.IsZero() {
			last = long // a folder that is not of tools
		} else if err := tools.save(dir); err != nil {
			t.Fatal(err)
		} else if err := os.Chtimes(filepath.Join(dir, aboutTools), last, last); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(dir, last, last); err != nil {
			t.Fatal(err)
		}
	}
	// Another process uses these, and began long ago.
	other, err := os.Create(filepath.Join(cache, "in use", lockName))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := filelock.Share(other); err != nil {
		t.Skip(err)
	}
	again := filepath.Join(cache, "used again")
	if err := toolsIn(again).use(again); err != nil {
		t.Fatal(err)
	}
	check := func(want ...string) {
		t.Helper()
		var got []string
		list, err := os.ReadDir(cache)
		for _, e := range list {
			got = append(got, e.Name())
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("there are %q, %v", got, err)
		}
	}
	removeUnused(cache, now)
	check("in use", "making-2", "other", "recent", "used again")
	other.Close()
	// This process still uses one of them, however long ago it began.
	if err := os.Chtimes(filepath.Join(again, aboutTools), long, long); err != nil {
		t.Fatal(err)
	}
	removeUnused(cache, now)
	check("making-2", "other", "recent", "used again")
}

// TestUseWhileRemoved: tools that another process is removing are not used.
func TestUseWhileRemoved(t *testing.T) {
	dir := t.TempDir()
	tools := toolsIn(dir)
	writeTools(t, tools)
	if err := tools.save(dir); err != nil {
		t.Fatal(err)
	}
	remover, err := os.Create(filepath.Join(dir, lockName))
	if err != nil {
		t.Fatal(err)
	}
	defer remover.Close()
	if err := filelock.Lock(remover); err != nil {
		t.Skip(err)
	}
	if tools.use(dir) == nil {
		t.Error("they are used")
	}
	remover.Close()
	if err := tools.use(dir); err != nil {
		t.Error(err)
	}
}
