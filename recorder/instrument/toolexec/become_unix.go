//go:build unix

package main

import (
	"os"
	"syscall"
)

// become replaces this process by a tool.
func become(tool string, args []string) {
	err := syscall.Exec(tool, append([]string{tool}, args...), os.Environ())
	os.Exit(fail("%s cannot be run: %v", tool, err))
}
