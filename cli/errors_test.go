package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"tracex/format"
)

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, 0},
		{errors.New("anything"), 1},
		{fs.ErrNotExist, 1},
		{withHint(&usageError{"no", ""}, "help"), 2},
		{&format.Error{Err: format.ErrNotTrace}, 3},
		{fmt.Errorf("a: %w", &format.Error{Err: format.ErrVersion}), 3},
		{&format.Error{Err: format.ErrTruncated}, 4},
		{withHint(&format.Error{Err: format.ErrCorrupt}, "help"), 4},
		{&format.Error{Err: errors.New("another fault")}, 4},
		{&format.Error{Err: &fs.PathError{Err: syscall.EIO}}, 1},
		{signalError{syscall.SIGINT}, 130},
		{signalError{syscall.SIGTERM}, 143},
	} {
		if got := exitCode(c.err); got != c.want {
			t.Errorf("%v: exit code %d, expected %d", c.err, got, c.want)
		}
	}
}

func TestReport(t *testing.T) {
	_, missing := os.Open(filepath.Join("no", "such"))
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{syscall.EPIPE, ""},
		{errors.New("it broke"), "tracex: it broke\n"},
		{missing, "tracex: no/such: no such file or directory\n"},
		{context.Canceled, "tracex: stopped\n"},
		{&usageError{"too many", "take one"}, "tracex: too many\nhint: take one\n"},
		{&format.Error{File: "a.bin", Offset: 8, Err: format.ErrVersion, Expected: "version 22", Found: "version 21", Hint: "record again"},
			"tracex: a.bin: offset 8: unsupported version: expected version 22, found version 21\nhint: record again\n"},
		{withHint(&format.Error{Offset: -1, Err: format.ErrCorrupt, Hint: "theirs"}, "ours"), "tracex: damaged\nhint: ours\n"},
		{errors.New("\x1b[31mred\r\n\x00 \u202eevil \xff"), `tracex: \x1b[31mred\r\n\x00 \u202eevil \ufffd` + "\n"},
		{errors.New("größer ✓"), "tracex: größer ✓\n"},
		{withHint(errors.Join(missing, errors.New("two\nlines")), "ours"), `tracex: no/such: no such file or directory; two\nlines` + "\nhint: ours\n"},
		{&renamed{errors.Join(errors.New("/tmp/x is damaged")), &input{path: "/tmp/x", name: "a.bin"}}, "tracex: a.bin is damaged\n"},
		{errors.Join(errors.Join(missing, withHint(missing, "ours"))), "tracex: no/such: no such file or directory; no/such: no such file or directory\nhint: ours\n"},
		{errors.Join(fmt.Errorf("%w: %w", syscall.ENOENT, missing), syscall.EIO), "tracex: no such file or directory: no/such: no such file or directory; input/output error\n"},
	} {
		var out bytes.Buffer
		report(&out, c.err)
		if out.String() != c.want {
			t.Errorf("%v is told as %q, expected %q", c.err, out.String(), c.want)
		}
	}
}

// TestHints: each row of the table is found, however its error is wrapped.
func TestHints(t *testing.T) {
	for _, row := range hints {
		for _, err := range []error{row.err, fmt.Errorf("a file: %w", row.err), &format.Error{Offset: -1, Err: row.err}} {
			if got := hintOf(err); got != row.hint {
				t.Errorf("%v (%T): hint %q, want %q", err, err, got, row.hint)
			}
		}
	}
}
