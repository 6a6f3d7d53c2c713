package cli

import (
	"os"
	"path/filepath"
	"testing"

	"tracex/lazy"
)

// TestSplitPlace: the end of an argument names a place, unless a file has the whole name.
func TestSplitPlace(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "a#7")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		arg, path, place string
	}{
		{"trace.bin#1204", "trace.bin", "#1204"},
		{"trace.bin#1,204", "trace.bin", "#1204"},
		{"trace.bin@3+88120", "trace.bin", "@3+88120"},
		{"trace.bin@3", "trace.bin", "@3"},
		{"dir@2/trace#1#2", "dir@2/trace#1", "#2"},
		{there + "#8", there, "#8"},
		{"-#5", "-", "#5"},
		{there, there, ""},
		{"trace.bin", "trace.bin", ""},
		{"trace.bin#", "trace.bin#", ""},
		{"trace#1.bin", "trace#1.bin", ""},
		{"trace.bin#-1", "trace.bin#-1", ""},
		{"trace.bin#99999999999", "trace.bin#99999999999", ""},
		{"trace.bin@0", "trace.bin@0", ""},
		{"user@host", "user@host", ""},
		{"#5", "#5", ""},
		{"-", "-", ""},
	} {
		path, at := splitPlace(c.arg)
		if path != c.path || at.given != (c.place != "") || at.given && at.handle.String() != c.place {
			t.Errorf("%s: %q and %+v", c.arg, path, at)
		}
	}
	for arg, want := range map[string]lazy.Handle{
		"#1204": lazy.EventHandle(1204), "1204": lazy.EventHandle(1204), "@1+5": lazy.PositionHandle(lazy.Position{At: 5}),
	} {
		if h, err := placeArgument(arg); err != nil || h != want {
			t.Errorf("%s: %v, %v", arg, h, err)
		}
	}
	for _, arg := range []string{"", "#", "x", "-1", "##1", "50%"} {
		if h, err := placeArgument(arg); err == nil {
			t.Errorf("%q is %v", arg, h)
		}
	}
}
