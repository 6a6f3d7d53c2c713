package tracefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// put writes a complete file through this package.
func put(t *testing.T, path, text string, replace bool) error {
	t.Helper()
	p, err := Create(path, 0o640, replace)
	if err != nil {
		return err
	}
	defer p.Discard()
	if _, err := p.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return p.Commit()
}

func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q (%v), want %q", path, got, err, want)
	}
}

// names returns the names of all files in a directory, including hidden ones.
func names(t *testing.T, dir string) (found []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		found = append(found, e.Name())
	}
	return found
}

// TestReplace: the old file stays until the new one is complete.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trace.bin")
	p, err := Create(path, 0o640, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.WriteString("first"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file before Commit: %v", err)
	}
	if err := p.Commit(); err != nil {
		t.Fatal(err)
	}
	p.Discard()
	holds(t, path, "first")
	if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o640 {
		t.Errorf("permissions %v, %v", st.Mode(), err)
	}
	if err := put(t, path, "second", false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("replaced without being asked: %v", err)
	}
	if p, err = Create(path, 0o640, true); err != nil {
		t.Fatal(err)
	}
	p.Discard()
	holds(t, path, "first")
	if err := put(t, path, "second", true); err != nil {
		t.Error(err)
	}
	holds(t, path, "second")
	if got := names(t, dir); !slices.Equal(got, []string{"trace.bin"}) {
		t.Errorf("not removed: %q", got)
	}
}

// TestReplaceLinks: a link stays, and its target is replaced: through several links, by
// relative and absolute names, and if there is no file yet.
func TestReplaceLinks(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, sub := range []string{"real/data", "other"} {
		if err := os.MkdirAll(in(sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"relative": "real/data/a", "absolute": in("real/data/b"), "chain": "relative",
		"dir": "real/data", "real/data/up": "../c", "loop": "loop2", "loop2": "loop",
	} {
		if err := os.Symlink(to, in(link)); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	for _, test := range []struct{ path, target string }{
		{"relative", "real/data/a"}, // does not exist yet
		{"relative", "real/data/a"}, // exists
		{"chain", "real/data/a"},
		{"absolute", "real/data/b"},
		{"dir/up", "real/c"}, // not dir/../c, which is c
		{"dir/d", "real/data/d"},
	} {
		text := test.path + " to " + test.target
		if err := put(t, in(test.path), text, true); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		holds(t, in(test.target), text)
		holds(t, in(test.path), text)
	}
	for _, link := range []string{"relative", "absolute", "chain", "real/data/up"} {
		if st, err := os.Lstat(in(link)); err != nil || st.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link %s has become %v, %v", link, st.Mode(), err)
		}
	}
	if _, err := Create(in("relative"), 0o600, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("through a link, replaced without being asked: %v", err)
	}
	if got := Target(in("loop")); got != in("loop") {
		t.Errorf("a loop of links leads to %s", got)
	}
}

// TestReplaceRefuses: a directory is never replaced, and an error has the name that
// the caller passed.
func TestReplaceRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Create(dir, 0o600, true); !errors.Is(err, ErrDirectory) {
		t.Errorf("a directory: %v", err)
	}
	missing := filepath.Join(dir, "none", "x")
	_, err := Create(missing, 0o600, true)
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "cannot write "+missing+": ") || strings.Contains(err.Error(), ".tmp") {
		t.Errorf("in a directory that is not there: %v", err)
	}
}

// TestWriteError: a failed write is reported under the final name, whichever file of a set it
// was; other errors are unchanged.
func TestWriteError(t *testing.T) {
	dir := t.TempDir()
	var set Set
	defer set.Discard()
	for _, name := range []string{"a", "b"} {
		if _, err := set.Create(filepath.Join(dir, name), 0o600, false); err != nil {
			t.Fatal(err)
		}
	}
	b := set.files[1]
	b.Close()
	_, err := b.WriteString("too late")
	if err = set.WriteError(err); err == nil || !strings.HasPrefix(err.Error(), "cannot write "+filepath.Join(dir, "b")+": ") {
		t.Errorf("%v", err)
	}
	if other := errors.New("something else"); set.WriteError(other) != other {
		t.Error("another error was changed")
	}
}

// TestSet: files are committed together; dropped and failed ones leave nothing.
func TestSet(t *testing.T) {
	dir := t.TempDir()
	var set Set
	for _, name := range []string{"times", "index", "data"} {
		p, err := set.Create(filepath.Join(dir, name), 0o600, false)
		if err != nil {
			t.Fatal(err)
		}
		if name == "times" {
			defer set.Discard()
			set.Drop(p)
		}
	}
	if got := names(t, dir); len(got) != 2 || got[0][0] != '.' {
		t.Errorf("before: %q", got)
	}
	if err := set.Commit(); err != nil {
		t.Fatal(err)
	}
	set.Discard()
	if got := names(t, dir); !slices.Equal(got, []string{"data", "index"}) {
		t.Errorf("after: %q", got)
	}
}
