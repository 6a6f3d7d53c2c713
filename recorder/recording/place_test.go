package recording

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// What came in the way after the recording began stays, and a trace that went aside comes back if the files of
// the new one cannot be created. A move that was cut short is completed.
func TestClaim(t *testing.T) {
	trace, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Calls, N: 10})
	for _, c := range []struct {
		name  string
		files map[string]string
		err   error
		then  []string
	}{
		{"nothing there", nil, nil, nil},
		{"a trace", map[string]string{"t.bin": string(trace), "t.bin.notes": "n"}, nil, []string{"t.old.bin", "t.old.bin.notes"}},
		{"a trace and one before", map[string]string{"t.bin": string(trace), "t.old.bin": string(trace), "t.old.bin.notes": "n"}, nil, []string{"t.old.bin"}},
		{"cut short", map[string]string{"t.bin": string(trace), "t.old.bin.notes": "n"}, nil, []string{"t.old.bin", "t.old.bin.notes"}},
		{"text", map[string]string{"t.bin": "text"}, fs.ErrExist, []string{"t.bin"}},
		{"another index", map[string]string{"t.bin": string(trace), "t.bin.idx": "text that is long enough"}, fs.ErrExist, []string{"t.bin", "t.bin.idx"}},
		{"text before", map[string]string{"t.bin": string(trace), "t.old.bin": "text"}, fs.ErrExist, []string{"t.bin", "t.old.bin"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(dir, "t.bin")
			d, err := Create(path, About{})
			if err != nil {
				t.Fatal(err)
			}
			defer d.Remove()
			restore, err := d.Claim(path)
			names := func() []string {
				return slices.DeleteFunc(formattest.Names(t, dir), func(s string) bool { return strings.HasSuffix(s, Suffix) })
			}
			if got := names(); !errors.Is(err, c.err) || !slices.Equal(got, c.then) {
				t.Fatalf("%v, there are %q, want %q", err, got, c.then)
			}
			if err != nil {
				return
			}
			if again, err := d.Claim(path); err != nil || again == nil || !slices.Equal(names(), c.then) {
				t.Errorf("claimed again: %v, %q", err, names())
			}
			if restore(); c.files["t.bin"] != "" && !exists(path) {
				t.Errorf("not restored: there are %q", names())
			}
		})
	}
}
