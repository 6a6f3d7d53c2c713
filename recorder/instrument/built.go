package instrument

import (
	"debug/buildinfo"
	"os/exec"
	"strings"

	"tracex/recorder/instrument/wrapper"
)

// Built reports whether a program, by its path or its name in $PATH, was built to record.
func Built(program string) bool {
	path, err := exec.LookPath(program)
	if err != nil {
		return false
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-gcflags" && strings.Contains(s.Value, wrapper.Flag) {
			return true
		}
	}
	return false
}
