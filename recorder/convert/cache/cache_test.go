package cache

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/filelock"
)

func opened(t *testing.T) *Cache {
	t.Helper()
	c, err := Open(filepath.Join(t.TempDir(), "cache"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// keyOf returns the key of a new file.
func keyOf(t *testing.T, content string) Key {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	write(t, path, content)
	k, err := KeyOf(path, "1")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func taken(t *testing.T, c *Cache, k Key) *Entry {
	t.Helper()
	e, err := c.Take(t.Context(), k, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// made makes an entry with a file of some bytes.
func made(t *testing.T, c *Cache, k Key, content string) *Entry {
	t.Helper()
	e := taken(t, c, k)
	if e.Whole() {
		t.Fatal("the entry is there already")
	}
	write(t, e.File("data"), content)
	if err := e.Keep([]byte("about " + content)); err != nil {
		t.Fatal(err)
	}
	return e
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		all = append(all, f.Name())
	}
	return all
}

// TestCache: what was kept is there again, for several at once; what was not kept is gone.
func TestCache(t *testing.T) {
	c, k := opened(t), keyOf(t, "x")
	e := taken(t, c, k)
	write(t, e.File("data"), "half")
	e.Close()
	if left := names(t, c.dir); len(left) > 0 {
		t.Errorf("an entry that was not kept leaves %q", left)
	}
	first := made(t, c, k, "whole")
	second := taken(t, c, k)
	for _, e := range []*Entry{first, second} {
		if b, err := os.ReadFile(e.File("data")); !e.Whole() || string(e.About()) != "about whole" || string(b) != "whole" || err != nil {
			t.Errorf("%v %q %q %v", e.Whole(), e.About(), b, err)
		}
	}
	if other := taken(t, c, keyOf(t, "x")); other.Whole() {
		t.Error("another file has the same entry")
	}
	if err := first.Keep(nil); err == nil {
		t.Error("an entry without anything about it is kept")
	}
	if err := second.Drop(); !errors.Is(err, filelock.ErrLocked) {
		t.Errorf("an entry in use is dropped: %v", err)
	}
	first.Close()
	if err := taken(t, c, k).Drop(); err != nil {
		t.Error(err)
	}
	if e := taken(t, c, k); e.Whole() {
		t.Error("a dropped entry is still there")
	}
}

// TestCacheWaits: of many who want an entry one makes it, and the others wait for it.
func TestCacheWaits(t *testing.T) {
	c, k := opened(t), keyOf(t, "x")
	e := taken(t, c, k)
	waiting := make(chan bool, 1)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			later, err := c.Take(context.Background(), k, func() {
				select {
				case waiting <- true:
				default:
				}
			})
			if err != nil || !later.Whole() {
				t.Errorf("%v %v", later, err)
				return
			}
			later.Close()
		})
	}
	<-waiting
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	if _, err := c.Take(ctx, k, func() { cancel(stopped) }); !errors.Is(err, stopped) {
		t.Errorf("waiting ends with %v", err)
	}
	write(t, e.File("data"), "x")
	if err := e.Keep([]byte("about")); err != nil {
		t.Fatal(err)
	}
	all.Wait()
}

// TestCacheKilled: what a process that was killed has left is not taken for whole, and goes, but not notes.
func TestCacheKilled(t *testing.T) {
	c, k := opened(t), keyOf(t, "x")
	dir := filepath.Join(c.dir, k.name())
	leave := func() {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{lockName, "data", ".data.1.tmp", aboutName + ".tmp", "data" + format.NotesSuffix} {
			write(t, filepath.Join(dir, name), "left")
		}
	}
	leave()
	e := taken(t, c, k)
	if e.Whole() {
		t.Fatal("it is taken for whole")
	}
	if left := names(t, dir); len(left) != 2 || left[0] != "data"+format.NotesSuffix || left[1] != lockName {
		t.Errorf("there is %q", left)
	}
	e.Close()
	leave()
	if err := c.Trim(func(int64) int64 { return 1 << 40 }); err != nil {
		t.Fatal(err)
	}
	if left := names(t, dir); len(left) != 2 {
		t.Errorf("there is %q", left)
	}
	write(t, filepath.Join(dir, aboutName), "") // cut short by a full disk
	if taken(t, c, k).Whole() {
		t.Error("nothing about it, and it is taken for whole")
	}
}

// TestTrim: the entries that were not used for the longest time go first; those in use stay.
func TestTrim(t *testing.T) {
	c := opened(t)
	var keys []Key
	var entries []*Entry
	for i, content := range []string{"aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc", "dddddddddd"} {
		k := keyOf(t, content)
		e := made(t, c, k, content)
		at := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(e.File(lockName), at, at); err != nil {
			t.Fatal(err)
		}
		keys, entries = append(keys, k), append(entries, e)
	}
	for i := range entries {
		if i != 1 { // in use
			entries[i].Close()
		}
	}
	taken(t, c, keys[0]).Close() // used last
	used := int64(0)
	if err := c.Trim(func(all int64) int64 { used = all; return all / 2 }); err != nil {
		t.Fatal(err)
	}
	if want := int64(4 * len("aaaaaaaaaa"+"about aaaaaaaaaa")); used != want {
		t.Errorf("%d bytes in use, want %d", used, want)
	}
	for i, want := range []bool{true, true, false, false} {
		if got := exists(filepath.Join(c.dir, keys[i].name(), "data")); got != want {
			t.Errorf("entry %d is there: %v", i, got)
		}
	}
	write(t, filepath.Join(c.dir, "other"), "not ours")
	if err := os.Mkdir(filepath.Join(c.dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := c.Trim(func(int64) int64 { return 0 }); err != nil {
		t.Fatal(err)
	}
	if left := names(t, c.dir); len(left) != 3 {
		t.Errorf("there is %q", left)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestKey: the key of a file changes with its place, its size, its time and the version; that of a folder
// with its files.
func TestKey(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	at := time.Unix(1000, 5)
	set := func(path, content string, at time.Time) {
		t.Helper()
		write(t, path, content)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	key := func(path, version string) Key {
		t.Helper()
		k, err := KeyOf(path, version)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	set(path, "ab", at)
	seen := map[Key]string{key(path, "1"): "at first"}
	differs := func(what string, k Key) {
		t.Helper()
		if before, there := seen[k]; there {
			t.Errorf("the key %s is that %s", what, before)
		}
		seen[k] = what
	}
	differs("of another version", key(path, "2"))
	set(path, "abc", at)
	differs("of another size", key(path, "1"))
	set(path, "abc", at.Add(time.Nanosecond))
	differs("of another time", key(path, "1"))
	set(path, "ab", at)
	if k := key(path, "1"); seen[k] != "at first" {
		t.Error("the same file has another key")
	}
	set(filepath.Join(dir, "file2"), "ab", at)
	differs("of another place", key(filepath.Join(dir, "file2"), "1"))

	differs("of the folder", key(dir, "1"))
	set(path, "x", at)
	differs("of the folder with another file", key(dir, "1"))
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(path, link); err == nil && key(link, "1") != key(path, "1") {
		t.Error("a link has another key than its file")
	}
	if _, err := KeyOf(filepath.Join(dir, "missing"), "1"); err == nil {
		t.Error("what is missing has a key")
	}
}
