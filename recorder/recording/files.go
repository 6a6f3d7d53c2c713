package recording

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"tracex/format"
	"tracex/format/tracefile"
)

// recordedMode are the permissions of a recorded trace.
const recordedMode fs.FileMode = 0o600

// growingFiles are the files of a trace that is being recorded, in the order of tracefile.Suffixes. They are
// created at their final paths with the first call, and grow there.
type growingFiles struct {
	path    string       // of the data
	replace bool         // of existing files, by create
	dir     *Directory   // that claims their place before they are created; may be nil
	may     func() error // called by create: an error says why it must not; may be nil
	begun   func() error // called when writing has created them; may be nil
	room    func(n int)  // waits until n bytes may be written; may be nil
	open    []*os.File
}

// create creates the files, or replaces existing ones.
func (g *growingFiles) create() (to tracefile.Files, err error) {
	if g.may != nil {
		if err := g.may(); err != nil {
			return to, err
		}
	}
	restore, replace := func() {}, g.replace || g.dir != nil
	if g.dir != nil {
		if restore, err = g.dir.Claim(g.path); err != nil {
			return to, err
		}
	}
	// A recording may be killed at any moment: nothing has a temporary name.
	for _, suffix := range tracefile.Suffixes {
		if err = tracefile.Check(g.path+suffix, replace); err != nil {
			break
		}
		at := tracefile.Target(g.path + suffix)
		if replace {
			_ = os.Remove(at) // not truncated: another process may have mapped it
		}
		var f *os.File
		if f, err = os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, recordedMode); err != nil {
			break
		}
		_ = f.Close() // nothing was written to it
	}
	if err == nil {
		to, err = g.again(nil)
	}
	if err != nil {
		_ = g.close()
		restore()
	}
	return to, err
}

// resume opens the files where they have these sizes, and drops what follows.
func (g *growingFiles) resume(at tracefile.Sizes) (tracefile.Files, error) {
	return g.again([]int64{at.Times, at.Index, at.Data})
}

// again opens existing files. sizes may be nil.
func (g *growingFiles) again(sizes []int64) (to tracefile.Files, err error) {
	g.close()
	targets := [...]*io.Writer{&to.Times, &to.Index, &to.Data}
	for i, suffix := range tracefile.Suffixes {
		f, err := os.OpenFile(g.path+suffix, os.O_RDWR|os.O_APPEND, 0) // read: see tracefile.ResumeWriter
		if err != nil {
			return to, err
		}
		g.open = append(g.open, f)
		*targets[i] = f
		if sizes == nil {
			continue
		}
		st, err := f.Stat()
		if err == nil && st.Size() < sizes[i] {
			err = &fs.PathError{Op: "resume", Path: f.Name(), Err: io.ErrUnexpectedEOF}
		}
		if err == nil && st.Size() > sizes[i] {
			err = f.Truncate(sizes[i])
		}
		if err != nil {
			return to, err
		}
	}
	return to, nil
}

// close closes the files.
func (g *growingFiles) close() (err error) {
	for _, f := range g.open {
		if e := f.Close(); err == nil {
			err = e
		}
	}
	g.open = nil
	return err
}

// end closes the files of a trace that is complete, and removes that of the times if it has none.
func (g *growingFiles) end() error {
	if g.open == nil {
		return nil
	}
	err := g.close()
	f, failed := os.Open(g.path + format.TimesSuffix)
	if failed != nil {
		return cmp.Or(err, failed)
	}
	untimed, failed := tracefile.Untimed(f)
	if failed = errors.Join(failed, f.Close()); failed == nil && untimed {
		failed = os.Remove(f.Name())
	}
	return cmp.Or(err, failed)
}

// writeError names the trace in an error about its files.
func (g *growingFiles) writeError(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) && strings.HasPrefix(failed.Path, g.path) {
		return tracefile.WriteError(failed.Path, err)
	}
	return err
}

// writers returns the files for a conversion. They are created when something is written.
func (g *growingFiles) writers() tracefile.Files {
	return tracefile.Files{Times: growingFile{g, 0}, Index: growingFile{g, 1}, Data: growingFile{g, 2}}
}

// growingFile is one of growingFiles, in the order of tracefile.Suffixes.
type growingFile struct {
	files *growingFiles
	at    int
}

func (g growingFile) Write(b []byte) (int, error) {
	if g.files.open == nil {
		if _, err := g.files.create(); err != nil {
			return 0, err
		}
		if g.files.begun != nil {
			if err := g.files.begun(); err != nil {
				return 0, err
			}
		}
	}
	if g.files.room != nil {
		g.files.room(len(b))
	}
	return g.files.open[g.at].Write(b)
}
