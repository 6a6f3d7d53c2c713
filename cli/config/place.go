// Package config reads the file in which users keep their settings: where it is, its entries with
// their lines, and the faults in them. It does not know which settings exist: a [Section] does.
package config

import (
	"os"
	"path/filepath"
	"runtime"
)

// Variable is the variable of the environment that names the file.
const Variable = "TRACEX_CONFIG"

// Place is where the file is.
type Place struct {
	Path  string // "" if there is no place for it
	Named bool   // by the user, so it must exist
}

// Find returns the place of the file: what TRACEX_CONFIG names, else tracex/config in
// XDG_CONFIG_HOME, else in the system's directory for configurations, which on Unix is ~/.config.
func Find() Place { return find(runtime.GOOS, os.Getenv, os.UserConfigDir) }

func find(system string, getenv func(string) string, userDir func() (string, error)) Place {
	if path := getenv(Variable); path != "" {
		return Place{path, true}
	}
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // the specification: ignore others
		dir = ""
	}
	if home := getenv("HOME"); dir == "" && home != "" && system != "darwin" && system != "windows" {
		dir = filepath.Join(home, ".config")
	}
	if dir == "" {
		var err error
		if dir, err = userDir(); err != nil {
			return Place{}
		}
	}
	return Place{Path: filepath.Join(dir, "tracex", "config")}
}
