package importer

import (
	"context"
	"io"
	"io/fs"
	"os"

	"tracex/format"
	"tracex/recorder/convert/sources"
)

// Kind is what a file is.
type Kind int

// StdinName is the name of standard input in messages.
const StdinName = "standard input"

// Input is a file or a pipe read from beginning to end, unpacked if it is compressed; or a folder.
type Input struct {
	*sources.Content        // nil for a folder
	Kind             Kind   // what it is
	Path             string // as the user gave it
	Name             string // in messages
	Size             int64  // of the file, compressed if it is; -1 if unknown
	Pipe             bool
	source           *sources.Source // for KindSource
	from             string          // the kind that the user named; "" if it was recognized
	file             *os.File        // to be closed; nil for standard input and a folder
	mode             fs.FileMode     // of the files that are made of it
	outline          []byte          // of long JSON; nil if its beginning tells what it is
	short            error           // what ended the outline before its time; nil if it is whole
}

// Head returns what tells what the file is: its first bytes, or its outline.
func (s *Input) Head() []byte {
	if s.outline != nil {
		return s.outline
	}
	return s.Content.Head()
}

// Close ends the reading.
func (s *Input) Close() {
	if s.Content != nil {
		s.Content.Close()
	}
	if s.file != nil {
		// It was only read.
		_ = s.file.Close()
	}
}

// OpenFile opens the file at path without recognizing its kind. The caller closes the input.
func OpenFile(ctx context.Context, path string) (*Input, error) { return open(ctx, nil, path) }

// open is OpenFile for a file or, by "-", stdin.
func open(ctx context.Context, stdin *os.File, arg string) (_ *Input, err error) {
	s, from := &Input{Path: arg, Name: arg, Size: -1, mode: 0o644}, stdin
	if arg == "-" {
		s.Name = StdinName
	} else {
		if from, err = OpenPipe(ctx, arg); err != nil {
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
func (s *Input) begin(ctx context.Context, from *os.File) error {
	st, err := from.Stat()
	if err != nil {
		return err
	}
	var in io.Reader = &untilDoneFile{from, ctx}
	switch {
	case st.IsDir():
		return &format.Error{File: s.Path, Offset: -1, Err: format.ErrNotTrace, Found: "it is a directory",
			Hint: "name the file in it that Perfetto wrote, such as trace.pftrace"}
	case st.Mode().IsRegular():
		s.Size = st.Size()
		if s.file != nil {
			s.mode = st.Mode().Perm() | 0o200
		}
	default:
		in, s.Pipe = pipeUntil(ctx, from), true
	}
	s.Content, err = sources.NewContent(in)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return format.At(err, s.Name, 0)
}

// OpenPipe opens a file that may be a named pipe; opening a pipe waits for a writer. If the
// command is stopped, the waiting goroutine is left until the process ends.
func OpenPipe(ctx context.Context, path string) (*os.File, error) {
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

// AsPipe returns a pipe with what the input holds, unpacked.
func (s *Input) AsPipe() (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	// If the command is stopped, this goroutine may be left waiting.
	go func() {
		defer w.Close()
		_, _ = io.Copy(w, s) // the reader notices what is missing
	}()
	return r, nil
}
