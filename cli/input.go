package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"tracex/lazy"
)

// stdinName is how messages call what "-" read.
const stdinName = "standard input"

// input is a trace that a command reads.
type input struct {
	path string   // the file to open
	name string   // what messages call it
	dir  string   // folder of our own to remove at the end, or ""
	rest *remains // nil: it is no file of a recorder's

	from *os.File // what is still to be copied to path; nil: nothing
	to   *os.File
	came chan error // how the copying ended; nil: it has not begun
}

// open finds the trace that the argument names. Standard input ("-") and pipes
// are copied into a temporary file: reading a trace needs to seek. The caller
// closes the input.
func (a *app) open(ctx context.Context, arg string) (*input, error) {
	in, from, err := a.find(ctx, arg)
	if err != nil || from == nil {
		return in, err
	}
	if from != a.stdin {
		defer from.Close()
	}
	if err := a.spool(ctx, from, in); err != nil {
		in.close()
		return nil, spoolHint(err, in.path)
	}
	return in, nil
}

// withTrace opens the trace that the argument names, waits until all is known of
// it, and closes it behind use. Nothing is written beside it, but what its program
// left is brought in.
func (a *app) withTrace(ctx context.Context, arg string, use func(in *input, r *lazy.TraceReader) error) (err error) {
	in, err := a.openWhole(ctx, arg, true)
	if err != nil {
		return err
	}
	defer in.close()
	defer func() { err = in.blame(err) }()
	r, err := lazy.Open(in.path, lazy.Options{NoWrite: true, Unended: in.unended})
	if err != nil {
		return err
	}
	defer r.Close()
	if err := a.settle(ctx, r); err != nil {
		return spoolHint(err, filepath.Join(os.TempDir(), "tracex-")) // where a packed trace goes
	}
	return use(in, r)
}

// openWhole is open with what the trace's program left beside it, where it ended
// without closing it: that is brought into the trace if write is set, else into a
// copy if it is not too large for that.
func (a *app) openWhole(ctx context.Context, arg string, write bool) (*input, error) {
	in, err := a.open(ctx, arg)
	if err != nil || in.dir != "" {
		return in, err
	}
	a.findRest(ctx, in, write)
	return in, nil
}

func (a *app) findRest(ctx context.Context, in *input, write bool) {
	in.rest = a.finish(ctx, in.path, write)
	a.complete(ctx, in)
}

// unended says why the trace has no end.
func (in *input) unended() lazy.Unended {
	if in.rest == nil {
		return lazy.Unended{}
	}
	return in.rest.unended()
}

// spoolHint adds the advice for a temporary file that cannot be written; path is
// where it is, or its folder. What cannot be read needs none.
func spoolHint(err error, path string) error {
	var file *fs.PathError
	if errors.As(err, &file) && strings.HasPrefix(file.Path, path) {
		return withHint(err, "TMPDIR names another place for temporary files")
	}
	return err
}

// find finds the trace that the argument names. Of a pipe, from is what is to be
// copied to the input's path.
func (a *app) find(ctx context.Context, arg string) (in *input, from *os.File, err error) {
	from, name := a.stdin, stdinName
	if arg != "-" {
		st, err := os.Stat(arg)
		if err != nil || st.Mode()&os.ModeNamedPipe == 0 {
			// What is wrong with it is told by who reads it.
			return &input{path: arg, name: arg}, nil, nil
		}
		if from, err = openPipe(ctx, arg); err != nil {
			return nil, nil, err
		}
		name = arg
	} else if term.IsTerminal(int(from.Fd())) {
		return nil, nil, &usageError{"standard input is a terminal", "- reads a trace from a pipe or a file"}
	}
	dir, err := os.MkdirTemp("", "tracex-")
	if err != nil {
		return nil, nil, spoolHint(err, os.TempDir())
	}
	return &input{path: filepath.Join(dir, "trace"), name: name, dir: dir}, from, nil
}

// openPipe opens a file that may be a pipe, which waits for somebody to write
// into it. When the program is told to stop, that is left behind.
func openPipe(ctx context.Context, path string) (*os.File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// create makes the file that a pipe is copied to.
func (in *input) create() (*os.File, error) {
	return os.OpenFile(in.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// spool copies from into the input's file.
func (a *app) spool(ctx context.Context, from *os.File, in *input) error {
	f, err := in.create()
	if err != nil {
		return err
	}
	p := a.newProgress("reading")
	defer p.end()
	// A read that waits for a pipe cannot be interrupted: it is left behind
	// when the program is told to stop.
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(&counter{w: f, p: p, total: -1}, from)
		copied <- err
	}()
	select {
	case err = <-copied:
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // also when both have come
		err = context.Cause(ctx)
	}
	return errors.Join(err, f.Close())
}

// counter shows in a progress how much was written through it.
type counter struct {
	w     io.Writer
	p     *progress
	n     int64
	total int64 // -1: not known
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	c.p.update(c.n, c.total)
	return n, err
}

// close removes what open made.
func (in *input) close() {
	if in.dir != "" {
		// Nothing can be done about a file that stays in the temporary folder.
		_ = os.RemoveAll(in.dir)
	}
}

// blame puts the name that the person gave in the place of a temporary file's.
func (in *input) blame(err error) error {
	if in.dir == "" || err == nil {
		return err
	}
	return &renamed{err, in}
}

// renamed is an error about an input, under the name that the person knows.
type renamed struct {
	err error
	in  *input
}

func (e *renamed) Error() string { return strings.ReplaceAll(e.err.Error(), e.in.path, e.in.name) }
func (e *renamed) Unwrap() error { return e.err }

// untilDone is a writer that fails when its context has ended.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u *untilDone) Write(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(b)
}
