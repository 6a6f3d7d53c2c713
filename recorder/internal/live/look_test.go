package live

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// What Look returns throughout a file's life. It changes nothing.
func TestLook(t *testing.T) {
	l := create(t, 1<<20)
	if err := Look(l.Path()); !errors.Is(err, ErrInUse) {
		t.Errorf("while it is written: %v", err)
	}
	l.Word(AtState).Store(StateRecording)
	r := left(t, l)
	path := r.f.Name()
	if err := Look(path); !errors.Is(err, ErrInUse) { // this process is alive
		t.Errorf("while it is read: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Look(path); !errors.Is(err, ErrUnfinished) {
			t.Errorf("when its program is gone: %v", err)
		}
	}
	l.Word(AtState).Store(StateOver)
	r = left(t, l)
	path = r.f.Name()
	_ = r.Close()
	if err := Look(path); err != nil {
		t.Errorf("when there is nothing to finish: %v", err)
	}
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Look(path); err != nil {
		t.Errorf("of another file: %v", err)
	}
	if err := Look(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of none: %v", err)
	}
}

// Create waits for another process that looks at the new file.
func TestCreateLookedAt(t *testing.T) {
	create(t, 1<<20) // or there are no locks here
	path := filepath.Join(t.TempDir(), "new")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	other, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := lock(other); err != nil {
		t.Fatal(err)
	}
	old, pauses := pauseForOther, 0
	defer func() { pauseForOther = old }()
	pauseForOther = func() {
		if pauses++; pauses == 3 {
			other.Close()
		}
	}
	if err := lockNew(f); err != nil || pauses != 3 {
		t.Errorf("after %d pauses: %v", pauses, err)
	}
}
