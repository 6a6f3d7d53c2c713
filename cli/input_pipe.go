package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// create creates the file that a pipe is copied to.
func (in *input) create() (*os.File, error) {
	return os.OpenFile(in.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// copyFrom copies a pipe into the input's file.
func (in *input) copyFrom(ctx context.Context, a *app, from io.Reader) error {
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
