package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/recording"
)

// Exit codes. Scripts branch on them and the man page lists them: never change
// one. When a signal stops tracex, the code is 128 + the signal's number.
const (
	exitOK       = 0
	exitFailure  = 1
	exitUsage    = 2
	exitNotTrace = 3
	exitDamaged  = 4
	exitExpected = 5
	exitSignal   = 128
)

// manExit says what they mean, in paragraphs.
const manExit = `0: success, even if the reader of the output went away (print | head).
1: a file could not be read or written.
2: wrong flags or arguments, or the explorer has no terminal that it can draw on.
3: the file is not a trace, or its version is not supported.
4: the trace is damaged, cut short or still being recorded, and everything intact was printed; or its file of times is of another recording.
5: an answer has more rows than --max, or another number than --expect; diff --exit-code or golden check found a difference. The answer was printed.
130, 143, 129, 131: stopped by an interrupt, a termination, a hang-up or a quit signal.
If the program that record ran fails, record ends with its exit status.`

// exitCode returns the exit code for the error of a command.
func exitCode(err error) int {
	var usage *usageError
	var stopped signalError
	var system *fs.PathError
	var fault *format.Error
	var child childExit
	var unexpected *unexpectedError
	var taken *recording.TakenError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		// The reader of the pipe has read enough.
		return exitOK
	case errors.As(err, &child):
		return int(child)
	case errors.As(err, &stopped):
		return exitSignal + int(stopped.signal)
	case errors.As(err, &usage), errors.As(err, &taken) && taken.By != recording.ByRecording:
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

// signalError is the cause of a context that a signal canceled.
type signalError struct{ signal syscall.Signal }

func (e signalError) Error() string { return "stopped: " + e.signal.String() }

// childExit is the exit status of a program that failed under record. The program itself
// has reported why.
type childExit int

func (e childExit) Error() string { return fmt.Sprintf("the program ended with status %d", int(e)) }

// exitOf returns how a command ended: a childExit if it failed.
func exitOf(err error) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return childExit(exitSignal + int(status.Signal()))
	}
	return childExit(exit.ExitCode())
}

// unexpectedError tells that an answer is not what a script expects.
type unexpectedError struct{ text string }

func (e *unexpectedError) Error() string { return e.text }

// hinted is an error with advice.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() }
func (e *hinted) Unwrap() error { return e.err }

// rawHint adds advice to an error about an event that folding hides.
func rawHint(err error) error {
	if errors.Is(err, query.ErrHidden) {
		return withHint(err, "--raw takes what was recorded")
	}
	return err
}

// hiddenError is rawHint with the name of the event.
func hiddenError(event string, err error) error {
	if errors.Is(err, query.ErrHidden) {
		err = fmt.Errorf("%s is %w", event, query.ErrHidden)
	}
	return rawHint(err)
}

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

// plainPathError is the text of an error without the file's name, which stands before it.
func plainPathError(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
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

// hints are the advice for errors of lower packages, which do not know commands. The first
// matching row counts, so the more specific errors come first.
var hints = []struct {
	err  error
	hint string
}{
	{lazy.ErrNotRegular, "copy it to a file first, or pipe it to tracex print -"},
	{tracefile.ErrDirectory, "name a file in it"},
	{tracefile.ErrNotRegular, "name another file"},
	{fs.ErrExist, "--force replaces it; or name another file"},
	{perfetto.ErrGzip, "gzip -dc FILE | tracex convert -o OUT -"},
	{perfetto.ErrZstd, "zstd -dc FILE | tracex convert -o OUT -"},
	{perfetto.ErrTrace, "tracex opens it as it is; tracex convert --to changes its format version"},
	{perfetto.ErrNotPerfetto, "convert reads the files that perfetto -o writes"},
	{format.ErrZIP, "a packed trace contains its index; tracex unpack unpacks it"},
	{format.ErrPackets, "tracex convert FILE makes a trace from a Perfetto recording"},
	{format.ErrNotPacked, "tracex pack writes packed traces; so does Lincheck with pack=true"},
	{syscall.ENOSPC, "free some disk space, or write to another disk"},
	{fs.ErrPermission, "check the permissions of the file and its directory"},
}

// hintOf returns the advice for err, or "": that of the command that failed, that of the error
// itself, or that of the table.
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
	for _, row := range hints {
		if errors.Is(err, row.err) {
			return row.hint
		}
	}
	return ""
}
