package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"tracex/format"
	"tracex/recorder"
)

// maxCopy is the largest total size of a trace's files that are copied in order to recover the
// program's remaining data without changing the files.
const maxCopy = 64 << 20

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

// finishedSuffixes are those of all files that finishing a recording changes.
var finishedSuffixes = []string{format.LiveSuffix, "", format.IndexSuffix, format.TimesSuffix}

// sizeBeside returns the total size of a trace's files.
func sizeBeside(path string) (size int64) {
	for _, suffix := range finishedSuffixes {
		if st, err := os.Stat(path + suffix); err == nil {
			size += st.Size()
		}
	}
	return size
}

// copyTrace copies the files of a trace. Index and times may be missing.
func copyTrace(to, from string) error {
	for _, suffix := range finishedSuffixes {
		err := copyFile(to+suffix, from+suffix)
		if err != nil && (!errors.Is(err, fs.ErrNotExist) || suffix == "" || suffix == format.LiveSuffix) {
			return err
		}
	}
	return nil
}
