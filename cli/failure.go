package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"tracex/format"
	"tracex/lazy"
)

// Exit codes. Scripts branch on them and the man page lists them: never change
// one. A program that a signal stopped ends with 128 + the signal's number.
const (
	exitOK       = 0
	exitFailure  = 1 // a file could not be read or written
	exitUsage    = 2 // flags or arguments are wrong, or no terminal is there
	exitNotTrace = 3 // not a trace, or a trace of another version
	exitDamaged  = 4 // a trace that is damaged or cut short
	exitSignal   = 128
)

// exitCode returns the exit code for what a command returned.
func exitCode(err error) int {
	var usage *usageError
	var stopped signalError
	var system *fs.PathError
	var fault *format.Error
	var child childExit
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		// Who closes the pipe has read what it wanted.
		return exitOK
	case errors.As(err, &child):
		return int(child)
	case errors.As(err, &stopped):
		return exitSignal + int(stopped.signal)
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, format.ErrNotTrace), errors.Is(err, format.ErrVersion):
		return exitNotTrace
	case errors.Is(err, format.ErrTruncated), errors.Is(err, format.ErrCorrupt):
		return exitDamaged
	case errors.As(err, &system):
		return exitFailure
	case errors.As(err, &fault):
		// Some other fault of an input: an index that contradicts its data.
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

// hinted is an error with advice of ours.
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

// hintOf returns the advice that belongs to err, or "".
func hintOf(err error) string {
	var h *hinted
	if errors.As(err, &h) {
		return h.hint
	}
	var usage *usageError
	if errors.As(err, &usage) {
		return usage.hint
	}
	if hint := format.Hint(err); hint != "" {
		return hint
	}
	switch {
	case errors.Is(err, lazy.ErrNotRegular):
		return "copy it into a file first, or give it to `tracex print -`"
	case errors.Is(err, syscall.ENOSPC):
		return "make room on the disk, or write to another"
	case errors.Is(err, fs.ErrPermission):
		return "check who may read the file and write into its folder"
	}
	return ""
}

// report writes an error as a person should read it: one line that begins with
// "tracex: " and, where there is advice, one that begins with "hint: ".
func report(w io.Writer, err error) {
	if _, said := err.(childExit); said || err == nil || errors.Is(err, syscall.EPIPE) {
		return
	}
	fmt.Fprintf(w, "tracex: %s\n", printable(message(err)))
	if hint := hintOf(err); hint != "" {
		fmt.Fprintf(w, "hint: %s\n", printable(hint))
	}
}

// remark tells of something that is left out while a command goes on.
func (a *app) remark(what string, why error) {
	fmt.Fprintf(a.stderr, "tracex: %s: %s\n", what, printable(message(why)))
}

// remarkIndex says when the index of a trace is of another version than its data,
// as it is where files of two recordings were mixed up.
func (a *app) remarkIndex(r *lazy.TraceReader) {
	if why := r.Status().IndexReason; errors.Is(why, lazy.ErrIndexVersion) || errors.Is(why, format.ErrVersion) {
		a.remark("the index is not used, but made again", why)
	}
}

// message is err's text; of an operating system's error without the name of
// the system call, which tells a person nothing.
func message(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return strings.Replace(err.Error(), path.Op+" "+path.Path, path.Path, 1)
	}
	if errors.Is(err, context.Canceled) {
		return "stopped"
	}
	return err.Error()
}

// printable returns s with all that could disturb a terminal escaped: messages
// quote file names and the contents of files.
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
