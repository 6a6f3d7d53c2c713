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
	"tracex/lazy/query"
	"tracex/recorder"
	"tracex/recorder/convert/importer"
)

var errStdinTerminal = &usageError{"standard input is a terminal", "redirect a file or a pipe to it"}

// input is a trace that a command reads.
type input struct {
	path string         // the file to open
	name string         // its name in messages
	dir  string         // a temporary directory to remove at the end, or ""
	rest *remains       // data that its program left beside it; nil if not looked for
	made *importer.Made // of what it was converted; nil if it is a trace itself

	from   *os.File // still to be copied to path; nil if nothing
	to     *os.File
	copied chan error // result of the copying; nil if it has not begun
}

// open finds the trace that the argument names. It copies standard input ("-") and pipes to a
// temporary file: reading a trace needs to seek. The caller closes the input.
func (a *app) open(ctx context.Context, arg string) (*input, error) {
	in, from, err := a.find(ctx, arg)
	if err != nil || from == nil {
		return in, err
	}
	if from != a.stdin {
		defer from.Close()
	}
	return in.copyFrom(ctx, a, from)
}

// withTrace opens the trace that the argument names, waits until it is read, calls use and
// closes it. It writes no index, but recovers the data that the program left. A file of another
// tool is converted first, unless that was done before.
func (a *app) withTrace(ctx context.Context, arg string, use func(in *input, r *lazy.LazyTraceReader) error) (err error) {
	return a.withOpened(ctx, arg, func(in *input, r *lazy.LazyTraceReader) error {
		if err := a.untilRead(ctx, r); err != nil {
			return err
		}
		return timely(a, r, func() error { return use(in, r) })
	})
}

// lacking returns err, with the damage of the trace if something was not found in it: it may be in what is missing.
func lacking(r *lazy.LazyTraceReader, err error) error {
	var event *lazy.NoEventError
	var place *lazy.NoPositionError
	var usage *usageError // such as a name in a filter
	problem := r.Status().Problem
	if problem == nil || errors.Is(err, problem) || !(errors.As(err, &event) || errors.As(err, &place) || errors.As(err, &usage) || query.IsMissing(err)) {
		return err
	}
	return errors.Join(err, problem)
}

// untilRead waits until a trace is read.
func (a *app) untilRead(ctx context.Context, r *lazy.LazyTraceReader) error {
	err := a.waitUntilRead(ctx, r)
	return spoolHint(err, filepath.Join(os.TempDir(), "tracex-")) // the directory for the data of a packed trace
}

// timely makes an answer about a trace that is read, and says before that it is without times if they are not of this
// trace. It is an error if that turns out only while the answer is made.
func timely(a *app, r *lazy.LazyTraceReader, answer func() error) error {
	why := r.Status().TimesReason
	if a.untimed = why != nil; a.untimed {
		a.remark("the times are not used", why)
		return lacking(r, answer())
	}
	err := lacking(r, answer())
	if why = r.Status().TimesReason; why != nil {
		return why // whatever else there is may come from it
	}
	return err
}

// withOpened is withTrace without waiting.
func (a *app) withOpened(ctx context.Context, arg string, use func(in *input, r *lazy.LazyTraceReader) error) (err error) {
	in, err := a.openWhole(ctx, arg, !a.noWrite)
	if err != nil {
		return err
	}
	defer in.close()
	in.tell(a)
	defer func() { err = in.blame(in.withDamage(err)) }()
	defer limitMemory(0)()
	o := lazy.Options{NoWrite: true, Alone: in.alone(), Index: a.index, Unended: in.unended}
	if in.rest != nil {
		o.Ended = in.rest.recovered
	}
	r, err := lazy.Open(in.path, o)
	if err != nil {
		return err
	}
	defer r.Close()
	return use(in, r)
}

// openWhole is open for a trace whose program may have been killed. It recovers the data left
// beside the trace: into the trace if write is set, otherwise into a copy, unless the trace is
// too large to copy. It converts what is not a trace: into the cache if write is set, otherwise into a
// temporary directory.
func (a *app) openWhole(ctx context.Context, arg string, write bool) (*input, error) {
	in, err := a.openConverted(ctx, arg, write)
	if in != nil || err != nil {
		return in, err
	}
	in = &input{path: arg, name: arg} // not a pipe
	in.finish(ctx, a, write)
	return in, nil
}

// finish recovers the data that the trace's program left beside it.
func (in *input) finish(ctx context.Context, a *app, write bool) {
	in.rest = finish(ctx, a, in.path, write)
	a.complete(ctx, in)
}

// complete replaces the input by a copy in a temporary directory, including the program's
// remaining data, if that may not be recovered into the trace itself.
func (a *app) complete(ctx context.Context, in *input) {
	m := in.rest
	if m.hint == "" || m.failed || !errors.Is(recorder.CheckEnded(m.path), recorder.ErrUnfinished) || sizeBeside(m.path) > maxCopy {
		return
	}
	dir, err := os.MkdirTemp("", "tracex-")
	if err != nil {
		return // the trace is shown as it is
	}
	c := &remains{path: filepath.Join(dir, filepath.Base(m.path)), name: m.name}
	if err = copyTrace(c.path, m.path); err == nil {
		err = c.finish(ctx)
	}
	if err != nil || c.recovered == "" {
		_ = os.RemoveAll(dir) // as above
		return
	}
	c.recovered += ", into a copy; the files were not changed"
	in.rest, in.path, in.dir = c, c.path, dir
	a.remark(m.name, errors.New(c.recovered))
}

// unended returns why the trace has no end, for lazy.Options.
func (in *input) unended() lazy.WhyUnended {
	if in.rest == nil {
		return lazy.WhyUnended{}
	}
	return in.rest.unended()
}

// find finds the trace that the argument names. For a pipe, the caller must copy from to
// the input's path.
func (a *app) find(ctx context.Context, arg string) (in *input, from *os.File, err error) {
	from, name := a.stdin, importer.StdinName
	if arg != "-" {
		st, err := os.Stat(arg)
		if err != nil || st.Mode()&os.ModeNamedPipe == 0 {
			// Opening it reports the problem.
			return &input{path: arg, name: arg}, nil, nil
		}
		if from, err = importer.OpenPipe(ctx, arg); err != nil {
			return nil, nil, err
		}
		name = arg
	} else if term.IsTerminal(int(from.Fd())) {
		return nil, nil, errStdinTerminal
	}
	in, err = temporary(name)
	return in, from, err
}

// temporary is an input that is copied into a temporary directory.
func temporary(name string) (*input, error) {
	dir, err := os.MkdirTemp("", "tracex-")
	if err != nil {
		return nil, spoolHint(err, os.TempDir())
	}
	return &input{path: filepath.Join(dir, "trace"), name: name, dir: dir}, nil
}

// alone reports whether the data is not beside other files of the user's: that of a pipe, or converted.
func (in *input) alone() bool { return in.made != nil || in.dir != "" && in.rest == nil }

// close removes the temporary files of open.
func (in *input) close() {
	if in.made != nil {
		in.made.Close()
	}
	if in.dir != "" {
		// Nothing can be done if a file remains there.
		_ = os.RemoveAll(in.dir)
	}
}

// blame replaces the name of a temporary file in err by the name that the user gave.
func (in *input) blame(err error) error {
	if in.dir == "" && in.made == nil || err == nil {
		return err
	}
	return &renamed{err, in}
}

// renamed is an error about an input, under the name that the user gave.
type renamed struct {
	err error
	in  *input
}

func (e *renamed) Error() string { return strings.ReplaceAll(e.err.Error(), e.in.path, e.in.name) }
func (e *renamed) Unwrap() error { return e.err }

// create creates the file that a pipe is copied to.
func (in *input) create() (*os.File, error) {
	return os.OpenFile(in.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// copyFrom copies a pipe into the input's file. It returns the input, which it closes if it fails.
func (in *input) copyFrom(ctx context.Context, a *app, from io.Reader) (*input, error) {
	if err := in.copyAll(ctx, a, from); err != nil {
		in.close()
		return nil, spoolHint(err, in.path)
	}
	return in, nil
}

func (in *input) copyAll(ctx context.Context, a *app, from io.Reader) error {
	f, err := in.create()
	if err != nil {
		return err
	}
	p := a.newProgress("reading")
	defer p.End()
	// As in importer.OpenPipe, this goroutine may be left waiting.
	copied := make(chan error, 1)
	go func() {
		_, err := io.Copy(&countingWriter{w: f, p: p, total: -1}, from)
		copied <- err
	}()
	select {
	case err = <-copied:
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // also if both are ready
		err = context.Cause(ctx)
	}
	return errors.Join(err, f.Close())
}

// countingWriter is a writer that updates a progress bar.
type countingWriter struct {
	w     io.Writer
	p     *progress
	n     int64
	total int64 // -1 if unknown
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	c.p.Update(c.n, c.total)
	return n, err
}

// openGrowing is open for a followed trace: it does not copy a pipe yet.
func (a *app) openGrowing(ctx context.Context, arg string) (*input, error) {
	in, from, err := a.find(ctx, arg)
	if err != nil || from == nil {
		return in, err
	}
	in.from = from
	if in.to, err = in.create(); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

// spool copies the pipe of openGrowing in the background, and calls then at the end.
func (in *input) spool(then func()) {
	if in.from == nil {
		return
	}
	in.copied = make(chan error, 1)
	go func() {
		_, err := io.Copy(in.to, in.from)
		in.copied <- errors.Join(err, in.to.Close())
		then()
	}()
}

// fault returns the error of copying the pipe in the background, if known.
func (in *input) fault() error {
	select {
	case err := <-in.copied:
		return spoolHint(err, in.path)
	default:
		return nil
	}
}

// spoolHint adds advice to err if it is a failure to write a temporary file; path is
// the file or its directory.
func spoolHint(err error, path string) error {
	var file *fs.PathError
	if errors.As(err, &file) && strings.HasPrefix(file.Path, path) {
		return withHint(err, hintTMPDIR)
	}
	return err
}

const hintTMPDIR = "set TMPDIR to another directory for temporary files"
