package cli

import (
	"context"
	"errors"

	"tracex/lazy"
	"tracex/lazy/query"
)

// showStored prints the changes of a diff that was stored: by --write, or by Lincheck.
func (t *diffCommand) showStored(ctx context.Context, path string) error {
	two := &usageError{"diff needs two traces, or two calls of one", "tracex diff OLD NEW, or FILE '#46' '#84'; FILE alone if it is a diff"}
	if t.by == "time" {
		return &usageError{"--by time needs two traces", "a stored diff does not have the times of both"}
	}
	for _, name := range []string{"first", "noise", "minus", "write", "identity"} {
		if t.flags(name) {
			return two
		}
	}
	if _, at := splitPlace(path); at.given {
		return two
	}
	return t.withTrace(ctx, path, func(_ *input, r *lazy.LazyTraceReader) error {
		info, ok := r.Diff()
		if !ok {
			return two
		}
		a, b := diffSide{name: "A", r: r}, diffSide{name: "B", r: r}
		if old, new := info.Names(); old != "" {
			a.name, b.name = old, new
		}
		if err := t.readIgnored(path); err != nil {
			return err
		}
		all, err := t.differences(ctx, r, query.Scope{Raw: true}, nil)
		if err != nil {
			return err
		}
		x := diffReport{diffCommand: t, a: a, b: b, r: r, found: all, stored: true, file: path}
		n := all.Counts()
		x.counts.Edited, x.counts.Removed, x.counts.Added = n.Edited, n.Removed, n.Added
		if t.filters.given() {
			x.found, err = t.found(ctx, r, nil, a, b)
		}
		if err == nil {
			err = x.show(ctx)
		}
		return errors.Join(err, r.Status().Problem)
	})
}
