package gotrace

import (
	"context"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/sources"
)

// Source converts execution traces of Go.
var Source = sources.Source{
	Name:    "go",
	What:    "an execution trace of Go",
	Is:      isTrace,
	Convert: convert,
}

func convert(ctx context.Context, in sources.Input, prefix string, to *calltrace.Writer) error {
	minor, head, err := readHeader(in)
	if err != nil {
		return err
	}
	r := newReader(in, minor, head, to)
	return newConverter(r, prefix, to).run(ctx, in.Progress)
}
