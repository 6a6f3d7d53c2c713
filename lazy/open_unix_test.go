//go:build unix

package lazy

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestOpenPipe: a pipe is refused at once, even in place of an index:
// nothing waits for its writer.
func TestOpenPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skip("no pipes here: ", err)
	}
	if _, err := Open(path, Options{}); !errors.Is(err, format.ErrNotTrace) || !errors.Is(err, ErrNotRegular) {
		t.Errorf("a pipe: %v", err)
	}
	for name, says := range map[string]string{path: "it is a pipe,", "/dev/null": "it is a device,"} {
		if _, err := Open(name, Options{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, expected that %s", name, err, says)
		}
	}
	path = formattest.Unpack(t, "gson.stream.bin")
	if err := syscall.Mkfifo(path+".idx", 0o644); err != nil {
		t.Fatal(err)
	}
	r := ready(t, path, Options{NoWrite: true})
	if st := r.Status(); st.Index != IndexRebuilt || st.IndexReason == nil {
		t.Errorf("status %+v", st)
	}
}
