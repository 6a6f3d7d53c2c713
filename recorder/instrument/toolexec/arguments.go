package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

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

// lines returns the arguments in a file that has one per line, as Go up to 1.26 writes it.
func lines(text string) (all []string) {
	for _, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r", "")), "\n") {
		all = append(all, escapes.Replace(line))
	}
	return all
}

// escapes undoes the escapes in the lines of such a file.
var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n")

// words returns the arguments in a file as Go writes it since 1.27: separated by white space, and
// quoted as in a shell.
func words(text string) (all []string) {
	var word strings.Builder
	begun, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote == '\'' && c != '\'':
			word.WriteByte(c)
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] == '\r' && strings.HasPrefix(text[i+1:], "\n") {
				i++
			}
			if text[i] == '\n' {
				break // the line continues
			}
			if quote != 0 && strings.IndexByte("\\\"$`", text[i]) < 0 {
				word.WriteByte('\\')
			}
			word.WriteByte(text[i])
			begun = true
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, begun = c, true
		case quote == 0 && strings.IndexByte(" \t\r\n", c) >= 0:
			if begun {
				all = append(all, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if begun {
		all = append(all, word.String())
	}
	return all
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

// fail says what is wrong and returns an exit code.
func fail(format string, args ...any) int {
	fmt.Fprintf(os.Stderr, "tracex: "+format+"\n", args...)
	return 1
}
