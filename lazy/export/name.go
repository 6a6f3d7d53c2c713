package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"tracex/format"
	"tracex/format/tracefile"
)

// Name is the file that an export goes to.
type Name struct {
	Typed   string // by the user; "" for one beside the trace
	Trace   string // path of the trace
	Part    string // what of the trace it is, such as "1204"; "" for all
	Suffix  string // of the format, such as ".pftrace"
	Replace bool   // an existing file
	Several bool   // it is a trace, which is several files
}

// beside returns the path proposed: in the folder of the trace, with its name.
func (n *Name) beside() string {
	path := strings.TrimSuffix(strings.TrimSuffix(n.Trace, format.PackedSuffix), ".bin")
	if part := unquoted(n.Part); part != "" {
		path += "-" + part
	}
	return path + n.Suffix
}

// mostPart bounds the length of a Part in a name, in characters.
const mostPart = 60

// unquoted returns a text as a part of a file's name that no shell needs quoted.
func unquoted(text string) string {
	out := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '-' && r != '_'
	})
	list := []rune(strings.Join(out, "-"))
	return strings.Trim(string(list[:min(len(list), mostPart)]), "-.")
}

// Proposed returns the name that is proposed, without its folder. An export may go to one with a number.
func (n *Name) Proposed() string { return filepath.Base(n.beside()) }

// mostNumbers bounds how many names are tried.
const mostNumbers = 10_000

// Destination returns where the export goes: see Path.
func (n *Name) Destination() (to Destination, err error) {
	to = Destination{Mode: n.mode(), Replace: n.Replace}
	to.Path, err = n.Path()
	return to, err
}

// Path returns where the export goes. A name that is proposed is one that is free, unless files are replaced. It
// looks at the disk.
func (n *Name) Path() (string, error) {
	path, own := n.beside(), true
	if n.Typed != "" {
		path, own = inHome(n.Typed), false
		if st, err := os.Stat(path); err == nil && st.IsDir() || strings.HasSuffix(n.Typed, string(filepath.Separator)) {
			path, own = filepath.Join(path, n.Proposed()), true
		}
	}
	err := n.check(path)
	if !own || n.Replace || !errors.Is(err, fs.ErrExist) {
		return path, err
	}
	for i := 2; i < mostNumbers; i++ {
		numbered := fmt.Sprintf("%s-%d%s", strings.TrimSuffix(path, n.Suffix), i, n.Suffix)
		if err := n.check(numbered); !errors.Is(err, fs.ErrExist) {
			return numbered, err
		}
	}
	return path, err
}

// check reports why the export cannot go to a path.
func (n *Name) check(path string) error {
	suffixes := []string{""}
	if n.Several {
		suffixes = []string{"", format.IndexSuffix, format.TimesSuffix}
	}
	for _, s := range suffixes {
		if err := tracefile.Check(path+s, n.Replace); err != nil {
			return err
		}
		if n.isTrace(path + s) {
			return fmt.Errorf("%s is the trace itself", path+s)
		}
	}
	return nil
}

// isTrace reports whether a file is one of the trace's.
func (n *Name) isTrace(path string) bool {
	st, err := os.Stat(path)
	if err != nil {
		return false
	}
	for _, s := range []string{"", format.IndexSuffix, format.TimesSuffix} {
		if of, err := os.Stat(n.Trace + s); err == nil && os.SameFile(st, of) {
			return true
		}
	}
	return false
}

// mode returns the permissions of what is made of the trace: those of its file.
func (n *Name) mode() fs.FileMode {
	if st, err := os.Stat(n.Trace); err == nil && st.Mode().IsRegular() {
		return st.Mode().Perm() | 0o200
	}
	return 0o644
}

// inHome returns a path with the user's directory in place of a tilde at its beginning.
func inHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return dir + rest
}

type Destination struct {
	Path    string      // of a cut: of the data
	Mode    fs.FileMode // permissions of new files
	Replace bool        // existing files, which stay until the export is complete
}
