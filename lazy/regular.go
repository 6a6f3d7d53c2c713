package lazy

import (
	"os"
	"tracex/format"
)

// openRegular opens a regular file and returns its size in bytes. It looks
// first: to open a pipe would wait for who writes it.
func openRegular(path string) (*os.File, int64, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if err := regular(st, path); err != nil {
		return nil, 0, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	return f, st.Size(), nil
}

func regular(st os.FileInfo, path string) error {
	switch {
	case st.IsDir():
		return &format.Error{File: path, Offset: -1, Err: format.ErrNotTrace, Found: "it is a directory",
			Hint: "name the data file in it, such as trace.bin"}
	case !st.Mode().IsRegular():
		return &format.Error{File: path, Offset: -1, Err: format.ErrNotTrace,
			Found: "it is " + kindOf(st.Mode()) + ", and no regular file",
			Hint:  "copy it into a file first, or give it to `tracex print -`"}
	}
	return nil
}

// kindOf names what is no regular file.
func kindOf(mode os.FileMode) string {
	switch {
	case mode&os.ModeNamedPipe != 0:
		return "a pipe"
	case mode&os.ModeSocket != 0:
		return "a socket"
	case mode&os.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}
