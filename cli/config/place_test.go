package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestFind: where the file is on each system.
func TestFind(t *testing.T) {
	user := func() (string, error) { return "/user", nil }
	for _, c := range []struct {
		name, system string
		env          map[string]string
		want         Place
	}{
		{"named", "linux", map[string]string{Variable: "x", "XDG_CONFIG_HOME": "/xdg"}, Place{"x", true}},
		{"XDG", "linux", map[string]string{"XDG_CONFIG_HOME": "/xdg", "HOME": "/h"}, Place{filepath.Join("/xdg", "tracex", "config"), false}},
		{"XDG on macOS", "darwin", map[string]string{"XDG_CONFIG_HOME": "/xdg", "HOME": "/h"}, Place{filepath.Join("/xdg", "tracex", "config"), false}},
		{"XDG that is relative", "linux", map[string]string{"XDG_CONFIG_HOME": "xdg", "HOME": "/h"}, Place{filepath.Join("/h", ".config", "tracex", "config"), false}},
		{"home", "freebsd", map[string]string{"HOME": "/h"}, Place{filepath.Join("/h", ".config", "tracex", "config"), false}},
		{"macOS", "darwin", map[string]string{"HOME": "/h"}, Place{filepath.Join("/user", "tracex", "config"), false}},
		{"Windows", "windows", nil, Place{filepath.Join("/user", "tracex", "config"), false}},
	} {
		if got := find(c.system, func(name string) string { return c.env[name] }, user); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	nowhere := func() (string, error) { return "", errors.New("no home") }
	if got := find("linux", func(string) string { return "" }, nowhere); got != (Place{}) {
		t.Errorf("%+v", got)
	}
}

// TestRead: without a file there is nothing to read, unless the user named one.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	for path, ok := range map[string]bool{"": true, filepath.Join(dir, "none"): true, dir: false} {
		if f, err := Read(Place{Path: path}); (err == nil) != ok || len(f.Entries) > 0 {
			t.Errorf("%q: %v, %v", path, f, err)
		}
	}
	if _, err := Read(Place{filepath.Join(dir, "none"), true}); err == nil {
		t.Error("a file that the user named is not missed")
	}
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, make([]byte, largest+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(Place{Path: big}); err == nil {
		t.Error("any file is a configuration")
	}
}
