package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"tracex/format"
	"tracex/lazy"
)

// Exit codes. Scripts branch on them and the man page lists them: never change
// one. When a signal stops tracex, the code is 128 + the signal's number.
const (
	exitOK       = 0
	exitFailure  = 1 // a file could not be read or written
	exitUsage    = 2 // wrong flags or arguments, or no terminal
	exitNotTrace = 3 // not a trace, or one of an unsupported version
	exitDamaged  = 4 // a damaged or truncated trace
	exitExpected = 5 // an answer has another number of rows than --expect or --max allow
	exitSignal   = 128
)

// exitCode returns the exit code for the error of a command.
func exitCode(err error) int {
	var usage *usageError
	var stopped signalError
	var system *fs.PathError
	var fault *format.Error
	var child childExit
	var unexpected *unexpectedError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		// The reader of the pipe has read enough.
		return exitOK
	case errors.As(err, &child):
		return int(child)
	case errors.As(err, &stopped):
		return exitSignal + int(stopped.signal)
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &unexpected):
		return exitExpected
	case errors.Is(err, format.ErrNotTrace), errors.Is(err, format.ErrVersion):
		return exitNotTrace
	case errors.Is(err, format.ErrTruncated), errors.Is(err, format.ErrCorrupt):
		return exitDamaged
	case errors.As(err, &system):
		return exitFailure
	case errors.As(err, &fault):
		// Another fault in an input, such as an index that contradicts its data.
		return exitDamaged
	}
	return exitFailure
}

// usageError is a mistake on the command line.
type usageError struct {
	text string
	hint string // may be ""
}

func (e *usageError) Error() string { return e.text }

// hinted is an error with advice.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() }
func (e *hinted) Unwrap() error { return e.err }

// withHint adds advice to err; nil stays nil.
func withHint(err error, hint string) error {
	if err == nil {
		return nil
	}
	return &hinted{err, hint}
}

// report writes an error for a person: a line that begins with "tracex: " and, if
// there is advice, one that begins with "hint: ".
func report(w io.Writer, err error) {
	if _, said := err.(childExit); said || err == nil || errors.Is(err, syscall.EPIPE) {
		return
	}
	fmt.Fprintf(w, "tracex: %s\n", printable(message(err)))
	if hint := hintOf(err); hint != "" {
		fmt.Fprintf(w, "hint: %s\n", printable(hint))
	}
}

// remark reports on standard error something that does not stop the command.
func (a *app) remark(what string, why error) {
	fmt.Fprintf(a.stderr, "tracex: %s: %s\n", what, printable(message(why)))
}

// remarkIndex remarks that the index of a trace is not used: one that was named on the command line, or one of
// another version than its data, as if files of two recordings were mixed up.
func remarkIndex(a *app, r *lazy.LazyTraceReader) {
	if why := r.Status().IndexReason; why != nil && a.index != "" || errors.Is(why, lazy.ErrIndexVersion) || errors.Is(why, format.ErrVersion) {
		a.remark("the index is ignored and rebuilt", why)
	}
}

// remarkFiles is remarkIndex for an answer that is not printed yet. The error is that its times are not of the trace,
// which was found while it was made.
func (a *app) remarkFiles(r *lazy.LazyTraceReader) error {
	remarkIndex(a, r)
	if a.untimed {
		return nil
	}
	return r.Status().TimesReason
}

// message returns err's text, without the name of the system call if it is an error of the
// operating system. Errors that were joined are separated by semicolons.
func message(err error) string {
	if all := joined(err); len(all) > 1 {
		var texts []string
		for _, e := range all {
			texts = append(texts, message(e))
		}
		return strings.Join(texts, "; ")
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return strings.Replace(err.Error(), path.Op+" "+path.Path, path.Path, 1)
	}
	var program *exec.Error
	if errors.As(err, &program) {
		return program.Name + ": " + program.Err.Error()
	}
	if errors.Is(err, context.Canceled) {
		return "stopped"
	}
	return err.Error()
}

// joined returns the errors that errors.Join joined, or else only err.
func joined(err error) []error {
	switch e := err.(type) {
	case *hinted:
		return joined(e.err)
	case *renamed:
		all := joined(e.err)
		for i := range all {
			all[i] = &renamed{all[i], e.in}
		}
		return all
	case interface{ Unwrap() []error }:
		if errors.Join(e.Unwrap()...).Error() == err.Error() { // not one of fmt.Errorf
			var all []error
			for _, one := range e.Unwrap() {
				all = append(all, joined(one)...)
			}
			return all
		}
	}
	return []error{err}
}

// printable escapes everything that could disturb a terminal: messages quote file names and the
// contents of files.
func printable(s string) string {
	safe := func(r rune) bool { return unicode.IsPrint(r) && r != unicode.ReplacementChar }
	if strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if safe(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}
