package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tracex/recorder"
)

// copyMost is how large a trace may be, with all that is beside it, to be copied so
// that what its program left can be brought in without changing its files.
const copyMost = 64 << 20

// complete makes in a copy of the trace in a temporary folder with what its program
// left, where that may not be brought into the trace itself.
func (a *app) complete(ctx context.Context, in *input) {
	m := in.rest
	if m.hint == "" || m.failed || !errors.Is(recorder.Unended(m.path), recorder.ErrLeft) || sizeBeside(m.path) > copyMost {
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
	if err != nil || c.told == "" {
		_ = os.RemoveAll(dir) // likewise
		return
	}
	c.told += " (shown of a copy; the files stay as they are)"
	in.rest, in.path, in.dir = c, c.path, dir
	a.remark(m.name, errors.New(c.told))
}

// finishedFiles are what the names of a trace's files have behind that of the data.
var finishedFiles = []string{recorder.LiveSuffix, "", ".idx", timesSuffix}

// sizeBeside is how many bytes the files of a trace have.
func sizeBeside(path string) (size int64) {
	for _, suffix := range finishedFiles {
		if st, err := os.Stat(path + suffix); err == nil {
			size += st.Size()
		}
	}
	return size
}

// copyTrace copies the files of a trace. An index and times need not be there.
func copyTrace(to, from string) error {
	for _, suffix := range finishedFiles {
		err := copyFile(to+suffix, from+suffix)
		if err != nil && (!errors.Is(err, fs.ErrNotExist) || suffix == "" || suffix == recorder.LiveSuffix) {
			return err
		}
	}
	return nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
