package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
)

// ignoreFile is the name of a file with filters, one a line: changes that match one do not count. It is kept with a project.
const ignoreFile = ".tracexdiff"

// diffFilters choose changes.
type diffFilters struct {
	where  string
	ignore []string
	file   string // with more to ignore; "" for the usual one, unless given

	only *filter.Expr
	not  []ignored
}

// ignored is a filter of what does not count.
type ignored struct {
	expr   *filter.Expr
	inFile bool // then names that neither trace has are no mistake
}

// parse parses the filters of flags.
func (f *diffFilters) parse() (err error) {
	if f.where != "" {
		if f.only, err = parseFilter(f.where); err != nil {
			return err
		}
	}
	for _, text := range f.ignore {
		e, err := parseFilter(text)
		if err != nil {
			return err
		}
		f.not = append(f.not, ignored{e, false})
	}
	return nil
}

// given reports whether there are filters.
func (f *diffFilters) given() bool { return f.only != nil || len(f.not) > 0 }

// read reads the file of filters to ignore: that of the flag, or the usual one for a trace. It returns its path, "" if
// there is none, and how many it has.
func (f *diffFilters) read(given bool, trace string) (path string, n int, err error) {
	if path = f.file; path == "" && !given {
		path = findIgnoreFile(trace)
	}
	if path == "" {
		return "", 0, nil
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !given {
		return "", 0, nil
	}
	if err != nil {
		return path, 0, err
	}
	for i, line := range strings.Split(string(b), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		e, err := filter.Parse(line)
		if err != nil {
			return path, 0, &usageError{fmt.Sprintf("%s:%d: filter %v", path, i+1, err), "tracex help filter"}
		}
		f.not = append(f.not, ignored{e, true})
		n++
	}
	return path, n, nil
}

// findIgnoreFile looks for the file in the directory of a trace, and above it up to the root of its repository. Without a
// repository it looks only there. It returns "" if there is none.
func findIgnoreFile(trace string) string {
	beside := "."
	if trace != "-" {
		beside = filepath.Dir(trace)
	}
	if path := filepath.Join(beside, ignoreFile); exists(path) {
		return path
	}
	dir, err := filepath.Abs(beside)
	if err != nil {
		return ""
	}
	found := ""
	for ; !exists(filepath.Join(dir, ".git")); dir = filepath.Dir(dir) {
		if path := filepath.Join(filepath.Dir(dir), ignoreFile); found == "" && exists(path) {
			found = path
		}
		if dir == filepath.Dir(dir) {
			return "" // no repository
		}
	}
	if here, err := os.Getwd(); err == nil && found != "" {
		if path, err := filepath.Rel(here, found); err == nil {
			return path
		}
	}
	return found
}

// of returns the filter of the changes that count, for the opened diff of two sides; nil for all. The diff has the names of what
// differs only: one that it does not have is a mistake if neither trace has it.
func (f *diffFilters) of(r *lazy.LazyTraceReader, a, b diffSide) (*filter.Expr, error) {
	var list []*filter.Expr
	if f.only != nil {
		known, err := knownIn(f.only, r, a, b)
		if err != nil {
			return nil, filterError(err)
		}
		if !known {
			return filter.Parse("depth<0") // nothing
		}
		list = append(list, f.only)
	}
	for _, x := range f.not {
		known, err := knownIn(x.expr, r, a, b)
		if err != nil && !x.inFile {
			return nil, filterError(err)
		}
		if known {
			list = append(list, x.expr.Not())
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	return filter.And(list...), nil
}

// knownIn reports whether a diff has all names of a filter. The error is that neither of its two traces has.
func knownIn(e *filter.Expr, r *lazy.LazyTraceReader, a, b diffSide) (known bool, err error) {
	if err = query.Check(r, e); err == nil {
		return true, nil
	}
	for _, side := range []diffSide{a, b} {
		if query.Check(side.r, e) == nil {
			return false, nil
		}
	}
	return false, err
}
