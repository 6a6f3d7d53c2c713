package diff

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
)

// IgnoreFile is the name of a file with filters, one a line: changes that match one do not count. It is kept with a project.
const IgnoreFile = ".tracexdiff"

// Ignored is a filter of changes that do not count.
type Ignored struct {
	*filter.Expr
	File string // that has it; names that neither trace has are then no mistake. "" if the user gave it
}

// FindIgnored looks for the file in the directory of a trace, and above it up to the root of its repository. Without a
// repository it looks only there. It returns "" if there is none. The trace "-" is in the current directory.
func FindIgnored(trace string) string {
	exists := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	beside := "."
	if trace != "-" {
		beside = filepath.Dir(trace)
	}
	if path := filepath.Join(beside, IgnoreFile); exists(path) {
		return path
	}
	dir, err := filepath.Abs(beside)
	if err != nil {
		return ""
	}
	found := ""
	for ; !exists(filepath.Join(dir, ".git")); dir = filepath.Dir(dir) {
		if path := filepath.Join(filepath.Dir(dir), IgnoreFile); found == "" && exists(path) {
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

// ParseIgnored parses the text of a file with filters, one a line, and comments after #. The error tells the line.
func ParseIgnored(path, text string) (list []Ignored, err error) {
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		e, err := filter.Parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: filter %w", path, i+1, err)
		}
		list = append(list, Ignored{e, path})
	}
	return list, nil
}

// Counting returns the filter of the changes that count in the diff of two traces: those that only matches, if that is not
// nil, and none of not does; nil for all. The diff has the names of what differs only: one that it does not have is a
// [filter.Error] if neither trace has it.
func Counting(only *filter.Expr, not []Ignored, diff *lazy.LazyTraceReader, sides ...*lazy.LazyTraceReader) (*filter.Expr, error) {
	var list []*filter.Expr
	if only != nil {
		known, err := knownIn(only, diff, sides)
		if err != nil {
			return nil, err
		}
		if !known {
			return query.Nothing, nil
		}
		list = append(list, only)
	}
	for _, x := range not {
		known, err := knownIn(x.Expr, diff, sides)
		if err != nil && (x.File == "" || !query.Lacks(err)) {
			return nil, err
		}
		if known {
			list = append(list, x.Expr.Not())
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	return filter.And(list...), nil
}

// knownIn reports whether a diff has all names of a filter. The error is that none of its traces has, or that of a diff the filter cannot tell.
func knownIn(e *filter.Expr, diff *lazy.LazyTraceReader, sides []*lazy.LazyTraceReader) (known bool, err error) {
	if err = query.Check(diff, e); err == nil || !query.Lacks(err) {
		return err == nil, err
	}
	for _, r := range sides {
		if query.Check(r, e) == nil {
			return false, nil
		}
	}
	return false, err
}
