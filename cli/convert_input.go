package cli

import (
	"context"
	"io"
	"os"

	"golang.org/x/term"
)

// perfettoByte is what all traces of Perfetto begin with, and no other trace does: the
// key of the first packet.
const perfettoByte = 0x0a

// sniff finds out what the argument names: perfetto says that it begins as Perfetto's
// traces do. What is to be read is then named arg, by b, since of a pipe the beginning
// has been read. What is wrong with it is told by who reads it.
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
	// A read that waits for a pipe cannot be interrupted: it is left behind when the
	// program is told to stop.
	first := make(chan byte, 1)
	go func() {
		defer w.Close()
		var head [1]byte
		n, _ := io.ReadFull(from, head[:])
		first <- head[0]
		if _, err := w.Write(head[:n]); err == nil {
			_, _ = io.Copy(w, from) // the reader finds what is missing
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

// begins reports whether what is read begins as Perfetto's traces do.
func begins(r io.Reader) bool {
	var head [1]byte
	_, err := io.ReadFull(r, head[:])
	return err == nil && head[0] == perfettoByte
}
