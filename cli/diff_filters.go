package cli

import (
	"errors"
	"io/fs"
	"os"

	"tracex/lazy"
	"tracex/lazy/diff"
	"tracex/lazy/query/filter"
)

// diffFilters choose changes.
type diffFilters struct {
	where  string
	ignore []string
	file   string // with more to ignore; "" for the usual one, unless given

	only *filter.Expr
	not  []diff.Ignored
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
		f.not = append(f.not, diff.Ignored{Expr: e})
	}
	return nil
}

// given reports whether there are filters.
func (f *diffFilters) given() bool { return f.only != nil || len(f.not) > 0 }

// read reads the file of filters to ignore: that of the flag, or the usual one for a trace. It returns its path, "" if
// there is none, and how many it has.
func (f *diffFilters) read(given bool, trace string) (path string, n int, err error) {
	if path = f.file; path == "" && !given {
		path = diff.FindIgnored(trace)
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
	list, err := diff.ParseIgnored(path, string(b))
	if err != nil {
		return path, 0, &usageError{err.Error(), "tracex help filter"}
	}
	f.not = append(f.not, list...)
	return path, len(list), nil
}

// of returns the filter of the changes that count, for the opened diff of two sides; nil for all. See [diff.Counting].
func (f *diffFilters) of(r *lazy.LazyTraceReader, a, b diffSide) (*filter.Expr, error) {
	e, err := diff.Counting(f.only, f.not, r, a.r, b.r)
	if fault := new(filter.Error); errors.As(err, &fault) && !fault.Absent { // the sides may have it
		return nil, &usageError{"for the diff of the two, " + fault.Error(), "tracex help differences"}
	}
	return e, filterError(err)
}
