package cli

import (
	"context"
	"io"
	"io/fs"
	"os"

	"golang.org/x/term"

	"tracex/format"
	"tracex/recorder/convert/sources"
)

// stream is an input read from beginning to end, unpacked if it is compressed; or a folder.
type stream struct {
	*sources.Content // nil for a folder
	kind             inputKind
	source           *sources.Source // for kindSource
	file             *os.File        // to be closed; nil for standard input and a folder
	path             string          // as the user gave it
	name             string          // in messages
	size             int64           // of the file, compressed if it is; -1 if unknown
	mode             fs.FileMode
	pipe             bool
	outline          []byte // of long JSON; nil if its beginning tells what it is
	short            error  // what ended the outline before its time; nil if it is whole
}

// Head returns what tells what the file is: its first bytes, or its outline.
func (s *stream) Head() []byte {
	if s.outline != nil {
		return s.outline
	}
	return s.Content.Head()
}

// lookFurther makes the outline of a long file of JSON whose beginning does not tell what it is.
func (s *stream) lookFurther(ctx context.Context) error {
	known := func(outline []byte) bool { return ctx.Err() != nil || sources.OfFile(fileSources, outline) != nil }
	if s.file == nil || s.pipe {
		s.outline, s.short = s.Content.Outline(known)
		return context.Cause(ctx)
	}
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	again, err := sources.NewContent(&untilDoneFile{f, ctx})
	if err != nil {
		return err
	}
	defer again.Close()
	s.outline, s.short = sources.Outline(again, known)
	return context.Cause(ctx)
}

func (s *stream) Close() {
	if s.Content != nil {
		s.Content.Close()
	}
	if s.file != nil {
		// It was only read.
		_ = s.file.Close()
	}
}

// openStream opens the file that the argument names, "-" for standard input. The caller
// closes the stream.
func (a *app) openStream(ctx context.Context, arg string) (_ *stream, err error) {
	s := &stream{path: arg, name: arg, size: -1, mode: 0o644}
	from := a.stdin
	if arg == "-" {
		if term.IsTerminal(int(from.Fd())) {
			return nil, errStdinTerminal
		}
		s.name = stdinName
	} else {
		if from, err = openPipe(ctx, arg); err != nil {
			return nil, err
		}
		s.file = from
	}
	if err := s.begin(ctx, from); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// begin reads the beginning of a file.
func (s *stream) begin(ctx context.Context, from *os.File) error {
	st, err := from.Stat()
	if err != nil {
		return err
	}
	var in io.Reader = &untilDoneFile{from, ctx}
	switch {
	case st.IsDir():
		return &format.Error{File: s.path, Offset: -1, Err: format.ErrNotTrace, Found: "it is a directory",
			Hint: "name the file in it that Perfetto wrote, such as trace.pftrace"}
	case st.Mode().IsRegular():
		s.size = st.Size()
		if s.file != nil {
			s.mode = st.Mode().Perm() | 0o200
		}
	default:
		in, s.pipe = pipeUntil(ctx, from), true
	}
	s.Content, err = sources.NewContent(in)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return format.At(err, s.name, 0)
}

// pipeUntil returns a reader of a pipe that ends with the context. A read that waits for a pipe cannot be
// interrupted: if the command is stopped, the goroutine is left waiting until the process ends.
func pipeUntil(ctx context.Context, from io.Reader) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := io.CopyBuffer(w, struct{ io.Reader }{from}, make([]byte, 1<<18))
		w.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })
	return r
}

// untilDoneReader is a reader that fails when its context is done.
type untilDoneReader struct {
	ctx context.Context
	r   io.Reader
}

func (u *untilDoneReader) Read(b []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.r.Read(b)
}

// untilDoneFile is a file whose reading fails when the context is done.
type untilDoneFile struct {
	*os.File
	ctx context.Context
}

func (u *untilDoneFile) Read(b []byte) (int, error) {
	return (&untilDoneReader{u.ctx, u.File}).Read(b)
}

// asStdin returns an app whose standard input is the stream, whose beginning was read.
func (a *app) asStdin(s *stream) (*app, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// If the command is stopped, this goroutine may be left waiting.
	go func() {
		defer w.Close()
		_, _ = io.Copy(w, s) // the reader notices what is missing
	}()
	other := *a
	other.stdin = r
	return &other, nil
}
