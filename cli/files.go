package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"tracex/format"
)

// hintNameData is for commands that write a data file and the files that belong to it.
const hintNameData = "name the data file with -o"

// sideEntries are the entries of a packed trace, other than data, index and times,
// that unpack puts beside the data and pack takes from there.
var sideEntries = []string{
	format.EntryInfo, format.EntryLeftInfo, format.EntryRightInfo, format.EntryThreadMap, format.EntryEventMap,
}

// entrySuffix returns the suffix of the file that unpack writes for an entry.
func entrySuffix(entry string) string {
	switch entry {
	case format.EntryData:
		return ""
	case format.EntryIndex:
		return format.IndexSuffix
	}
	return "." + entry
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// sizeOf returns the size of an open file, 0 if unknown.
func sizeOf(f *os.File) int64 {
	st, err := f.Stat()
	if err != nil {
		return 0
	}
	return st.Size()
}

// isZIP reports whether a file begins like a packed trace.
func isZIP(f io.ReaderAt) bool {
	head := make([]byte, 2)
	n, _ := f.ReadAt(head, 0)
	return string(head[:n]) == "PK"
}

// outputPath returns the path of the data file that a command makes from the file at path: name,
// or, if output is given, that file, or name in that directory.
func outputPath(path, name, output string) (string, error) {
	switch {
	case output == "":
	case isDir(output):
		name = filepath.Join(output, filepath.Base(name))
	case os.IsPathSeparator(output[len(output)-1]):
		return "", &usageError{output + " is not a directory", "create it, or name a file"}
	default:
		name = output
	}
	return name, cmp.Or(refuseStdout(name), refuseInput(path, name))
}

// needsOutput refuses to take the name of an output from standard input, which has none.
func needsOutput(path, output, hint string) error {
	if path == "-" && (output == "" || isDir(output)) {
		return &usageError{"cannot derive the name of the output from standard input", hint}
	}
	return nil
}

// refuseInput refuses to overwrite the file that the command reads.
func refuseInput(input, output string) error {
	from, err := os.Stat(input)
	if err != nil {
		return nil // opening it reports what is wrong
	}
	if to, err := os.Stat(output); err == nil && os.SameFile(from, to) {
		return &usageError{output + " is the input; refusing to overwrite it", "name another output with -o"}
	}
	return nil
}

// refuseStdout refuses "-" as the output of a command that creates several files.
func refuseStdout(output string) error {
	if output == "-" {
		return &usageError{"cannot write to standard output: this command creates several files", "for a file named -, write ./-"}
	}
	return nil
}

// copyFile copies a file to a path where no file exists.
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

// isUnwritable reports whether an error means that files cannot be changed.
func isUnwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// writeJSON writes a value as indented JSON.
func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(v)
}

// shortPath writes the home directory at the beginning of a text as ~.
func shortPath(text string) string {
	home, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(text, home); err == nil && ok && len(home) > 1 && rest != "" && os.IsPathSeparator(rest[0]) {
		return "~" + rest
	}
	return text
}
