package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tracex/lazy"
	"tracex/lazy/export"
	"tracex/lazy/export/dataset"
)

// datasetFormat is the format of a dataset for many traces.
var datasetFormat = &export.Format{Name: "parquet", What: "a table of calls for DuckDB, Spark …: tracex help fleet"}

// exportFormats are all formats, in the order of help.
func exportFormats() []*export.Format {
	after := slices.IndexFunc(export.Formats, func(f *export.Format) bool { return f.Name == "pprof" })
	return slices.Insert(slices.Clone(export.Formats), after+1, datasetFormat)
}

// formatByName returns a format; nil if there is none of that name.
func formatByName(name string) *export.Format {
	for _, f := range exportFormats() {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// labels are the values of --label: for parquet name=value, what is told of the trace.
func (x *exportCommand) labels() (map[string]string, error) {
	all := map[string]string{}
	for _, l := range x.label {
		name, value, ok := strings.Cut(l, "=")
		if !ok || name == "" {
			return nil, &usageError{"--label " + l + " has no value", "such as --label build=1.2"}
		}
		all[name] = value
	}
	return all, nil
}

// dataset adds the trace to the dataset in a folder.
func (x *exportCommand) dataset(ctx context.Context, r *lazy.LazyTraceReader, to string) error {
	labels, err := x.labels()
	if err != nil {
		return err
	}
	j, err := export.NewJob(r, x.Options)
	if err != nil {
		return err
	}
	p := x.newProgress("exporting")
	s, err := dataset.Write(ctx, j, to, dataset.Options{Force: x.Force, Labels: labels, Writer: "tracex " + version}, p.Update)
	p.End()
	var exists *dataset.ExistsError
	switch {
	case errors.As(err, &exists):
		return withHint(err, "--force replaces it")
	case err != nil:
		return err
	}
	x.tellLeftOut(j)
	what := "written"
	switch {
	case s.Kept:
		what = "is there already"
	case s.Replaced:
		what = "replaced"
	}
	_, err = fmt.Fprintf(x.stdout, "%s: %s, %s, %s\n", printable(s.Path), counted(s.Calls, "call"), humanSize(s.Size()), what)
	return err
}
