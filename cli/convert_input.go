package cli

import (
	"context"
	"io"
	"io/fs"
	"os"

	"golang.org/x/term"

	"tracex/format"
)

// perfettoByte is the first byte of all Perfetto traces and of no other trace: the key of
// the first packet.
const perfettoByte = 0x0a

// stream is an input read from beginning to end.
type stream struct {
	io.Reader
	file *os.File // to be closed; nil for standard input
	name string
	size int64 // -1 if unknown
	mode fs.FileMode
}

func (s *stream) Close() {
	if s.file != nil {
		// It was only read.
		_ = s.file.Close()
	}
}

// openStream opens the trace that the argument names, "-" for standard input. The caller
// closes the stream.
func (a *app) openStream(ctx context.Context, arg string) (*stream, error) {
	s := &stream{name: arg, size: -1, mode: 0o644}
	from := a.stdin
	if arg == "-" {
		if term.IsTerminal(int(from.Fd())) {
			return nil, errStdinTerminal
		}
		s.name = stdinName
	} else {
		var err error
		if from, err = openPipe(ctx, arg); err != nil {
			return nil, err
		}
		s.file = from
	}
	st, err := from.Stat()
	switch {
	case err != nil:
		s.Close()
		return nil, err
	case st.IsDir():
		s.Close()
		return nil, &format.Error{File: arg, Offset: -1, Err: format.ErrNotTrace, Found: "it is a directory",
			Hint: "name the file in it that Perfetto wrote, such as trace.pftrace"}
	case st.Mode().IsRegular():
		s.Reader, s.size = from, st.Size()
		if arg != "-" {
			s.mode = st.Mode().Perm() | 0o200
		}
		return s, nil
	}
	// A read that waits for a pipe cannot be interrupted. If the command is stopped, the
	// goroutine is left waiting until the process ends.
	r, w := io.Pipe()
	go func() {
		_, err := io.CopyBuffer(w, struct{ io.Reader }{from}, make([]byte, 1<<18))
		w.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })
	s.Reader = r
	return s, nil
}

// sniff finds out whether the named file begins like a Perfetto trace. The caller then opens
// arg with b: a pipe's beginning has been read, so b has a different standard input. Errors are
// left to that opening.
func (a *app) sniff(ctx context.Context, path string) (b *app, arg string, perfetto bool, err error) {
	from := a.stdin
	st, err := from.Stat()
	if path != "-" {
		st, err = os.Stat(path)
	}
	switch {
	case err != nil || st.IsDir() || path == "-" && term.IsTerminal(int(from.Fd())):
		return a, path, false, nil
	case st.Mode().IsRegular() && path == "-":
		at, err := from.Seek(0, io.SeekCurrent)
		return a, path, err == nil && begins(io.NewSectionReader(from, at, 1)), nil
	case path != "-":
		if from, err = openPipe(ctx, path); err != nil {
			return nil, "", false, err
		}
		if st.Mode().IsRegular() {
			defer from.Close() // it was only read
			return a, path, begins(from), nil
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, "", false, err
	}
	// As in openStream, this goroutine may be left waiting.
	first := make(chan byte, 1)
	go func() {
		defer w.Close()
		var head [1]byte
		n, _ := io.ReadFull(from, head[:])
		first <- head[0]
		if _, err := w.Write(head[:n]); err == nil {
			_, _ = io.Copy(w, from) // the reader notices what is missing
		}
	}()
	select {
	case head := <-first:
		other := *a
		other.stdin = r
		return &other, "-", head == perfettoByte, nil
	case <-ctx.Done():
		return nil, "", false, context.Cause(ctx)
	}
}

// begins reports whether the input begins like a Perfetto trace.
func begins(r io.Reader) bool {
	var head [1]byte
	_, err := io.ReadFull(r, head[:])
	return err == nil && head[0] == perfettoByte
}
