//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// become replaces this process by a tool. The go command names a C compiler as the user does, without
// its directory, when it asks for the compiler's version. What cgo makes is named after that.
func become(tool string, args []string) {
	path, err := exec.LookPath(tool)
	if err == nil {
		err = syscall.Exec(path, append([]string{tool}, args...), os.Environ())
	}
	os.Exit(fail("%s cannot be run: %v", tool, err))
}
