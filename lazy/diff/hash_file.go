package diff

import (
	"bufio"
	"errors"
	"os"

	"tracex/format"
	"tracex/lazy/internal/mapped"
	"tracex/lazy/internal/spill"
)

// recordFile is a temporary file of records. It has no name while it is open, where the system can do that.
type recordFile struct {
	f    *os.File
	name string // to be removed in the end; "" if it has been
	w    *bufio.Writer
	b    []byte
	n    int64 // records
}

const recordBuffer = 1 << 20 // bytes

func newRecordFile() (*recordFile, error) {
	f, name, err := unnamedFile("tracex-*.hashes")
	if err != nil {
		return nil, err
	}
	return &recordFile{f: f, name: name, w: bufio.NewWriterSize(f, recordBuffer)}, nil
}

// unnamedFile is [spill.TempFile], whose error says what there is to do.
func unnamedFile(pattern string) (f *os.File, name string, err error) {
	if f, name, err = spill.TempFile(pattern); err != nil {
		return nil, "", fileError(os.TempDir(), err)
	}
	return f, name, nil
}

// write appends records.
func (r *recordFile) write(list []record) error {
	for len(list) > 0 {
		some := list[:min(len(list), recordBuffer/recordSize)]
		err := r.append(func(b []byte) []byte {
			for _, x := range some {
				b = x.append(b)
			}
			return b
		})
		if err != nil {
			return err
		}
		list = list[len(some):]
	}
	return nil
}

// append writes what a function appends, as many bytes as some records have.
func (r *recordFile) append(what func([]byte) []byte) error {
	r.b = what(r.b[:0])
	if _, err := r.w.Write(r.b); err != nil {
		return fileError(r.f.Name(), err)
	}
	r.n += int64(len(r.b) / recordSize)
	return nil
}

// done maps what was written. r may be nil: nothing was.
func (r *recordFile) done() (*mapped.File, error) {
	if r == nil {
		return nil, nil
	}
	if err := r.w.Flush(); err != nil {
		return nil, fileError(r.f.Name(), err)
	}
	r.b = nil
	return mapped.Map(r.f, r.f.Name())
}

// close removes the file. r may be nil.
func (r *recordFile) close() error {
	if r == nil {
		return nil
	}
	err := r.f.Close()
	if r.name != "" {
		err = errors.Join(err, os.Remove(r.name))
	}
	return err
}

func fileError(path string, err error) error {
	return &format.Error{File: path, Offset: -1, Err: err, Found: "the hashes of a trace take 16 bytes for each call, loop and iteration",
		Hint: "free some space, or set TMPDIR to a folder with more"}
}
