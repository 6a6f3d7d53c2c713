// Command toolexec is run by the go command in place of each tool of a build, with the tool and
// its arguments: go build -toolexec=PATH. It instruments the sources of the packages whose
// compiler flags have a stamp, and gives the linker the package that they call. It hands over to
// any other tool at once. Package wrapper has the settings that it gets, and how.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"tracex/recorder/instrument/wrapper"
)

func main() {
	args := os.Args[1:]
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: go build -toolexec=PATH: the command is run by go")
		os.Exit(2)
	}
	tool, args := args[0], args[1:]
	switch strings.TrimSuffix(filepath.Base(tool), ".exe") {
	case "compile":
		if plain, stamped := withoutStamp(expand(args)); stamped {
			os.Exit(compile(tool, plain))
		}
	case "link":
		if len(args) == 1 && args[0] == "-V=full" {
			os.Exit(linkVersion(tool, args))
		}
		all := expand(args)
		if _, config := flagValue(all, "-importcfg"); config != "" {
			os.Exit(link(tool, all))
		}
	}
	become(tool, args)
}

// fail says what is wrong and returns an exit code.
func fail(format string, args ...any) int {
	fmt.Fprintf(os.Stderr, "tracex: "+format+"\n", args...)
	return 1
}

// withoutStamp returns the arguments of the compiler without stamps, and whether there was one.
func withoutStamp(args []string) (plain []string, stamped bool) {
	for i, a := range args {
		if strings.HasPrefix(a, wrapper.Flag) {
			if !stamped {
				plain, stamped = append(make([]string, 0, len(args)), args[:i]...), true
			}
		} else if stamped {
			plain = append(plain, a)
		}
	}
	return plain, stamped
}

// flagValue returns the last value of a flag and the index of the argument that has it, -1 if
// it is not given. The value is a whole argument, or follows an equals sign.
func flagValue(args []string, name string) (at int, value string) {
	at = -1
	for i := 0; i < len(args); i++ {
		if v, ok := strings.CutPrefix(args[i], name+"="); ok {
			at, value = i, v
		} else if args[i] == name && i+1 < len(args) {
			i++
			at, value = i, args[i]
		}
	}
	return at, value
}

// replaced returns arguments with another value in the place that flagValue found.
func replaced(args []string, at int, name, value string) []string {
	args = append([]string(nil), args...)
	if strings.HasPrefix(args[at], name+"=") {
		value = name + "=" + value
	}
	args[at] = value
	return args
}

// has reports whether one of the names is an argument.
func has(args []string, names ...string) bool {
	for _, a := range args {
		for _, n := range names {
			if a == n {
				return true
			}
		}
	}
	return false
}

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
