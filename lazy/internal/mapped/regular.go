package mapped

import (
	"os"

	"tracex/format"
)

// ErrNotRegular is the error for a pipe, a socket or a device where a file was
// expected. Such an error is also a [format.ErrNotTrace], and has the same text.
var ErrNotRegular error = notRegular{}

type notRegular struct{}

func (notRegular) Error() string        { return format.ErrNotTrace.Error() }
func (notRegular) Is(target error) bool { return target == format.ErrNotTrace }

// OpenRegular opens a regular file and returns its size in bytes. It checks the kind
// first: opening a pipe would wait for its writer.
func OpenRegular(path string) (*os.File, int64, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if err := CheckRegular(st, path); err != nil {
		return nil, 0, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	return f, st.Size(), nil
}

// CheckRegular refuses a file that is not regular: a directory with
// [format.ErrNotTrace], anything else with [ErrNotRegular].
func CheckRegular(st os.FileInfo, path string) error {
	switch {
	case st.IsDir():
		return &format.Error{File: path, Offset: -1, Err: format.ErrNotTrace, Found: "it is a directory",
			Hint: "name the data file in it, such as trace.bin"}
	case !st.Mode().IsRegular():
		return &format.Error{File: path, Offset: -1, Err: ErrNotRegular,
			Found: "it is " + kindOf(st.Mode()) + ", not a regular file"}
	}
	return nil
}

// kindOf names the kind of a file that is not regular.
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
