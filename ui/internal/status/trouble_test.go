package status

import (
	"fmt"
	"io/fs"
	"testing"
)

// TestReason: the cause is named before the file.
func TestReason(t *testing.T) {
	err := fmt.Errorf("index not saved: %w", &fs.PathError{Op: "open", Path: "/far/away", Err: fs.ErrPermission})
	if got, want := reason(err), fs.ErrPermission.Error()+", open /far/away"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
