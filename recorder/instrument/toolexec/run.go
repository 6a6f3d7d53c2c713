package main

import (
	"errors"
	"os"
	"os/exec"
)

// run runs a tool with the input and outputs of this process and returns its exit code.
func run(tool string, args []string) int {
	c := exec.Command(tool, args...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	return code(tool, c.Run())
}

// code returns the exit code of a tool that has been run, 0 if err is nil.
func code(tool string, err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() > 0:
		return exit.ExitCode()
	case errors.As(err, &exit):
		return fail("%s: %v", tool, err) // a signal
	}
	return fail("%s cannot be run: %v", tool, err)
}
