package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/lazy/query"
)

// indexCommand is the command index with its flags.
type indexCommand struct {
	*app
	verify, force bool
	output        string
}

func newIndexCommand(a *app) *cobra.Command {
	x := &indexCommand{app: a}
	c := &cobra.Command{
		Use:   "index FILE",
		Short: "Write or verify the index and the summary",
		Long:  "Write the index of a trace from its data, and its summary, which makes answers faster; or verify index, times and summary against the data",
		Example: `tracex index trace.bin             # write trace.bin.idx and trace.bin.sum
tracex index --verify trace.bin    # check every entry against the data`,
		Args: a.oneTrace,
	}
	flags := c.Flags()
	flags.BoolVar(&x.verify, "verify", false, "verify the files beside the data and write nothing")
	flags.StringVarP(&x.output, "output", "o", "", "index file; default FILE"+format.IndexSuffix+", with a summary")
	flags.BoolVar(&x.force, "force", false, "accept a damaged or unfinished trace")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		if path == "-" {
			return &usageError{"cannot index standard input", "name a file"}
		}
		m := finish(ctx, a, path, true)
		if x.verify {
			return m.explain(x.verifyIndex(ctx, path))
		}
		return x.write(ctx, path, m)
	})
	return c
}

// write writes the index; m tells why the data may have no end.
func (x *indexCommand) write(ctx context.Context, path string, m *remains) error {
	output, err := indexOutputPath(path, x.output)
	if err != nil {
		return err
	}
	p := x.newProgress("indexing")
	err = lazy.RebuildIndex(ctx, path, output, x.force, p.Update)
	p.End()
	if !x.force && (errors.Is(err, format.ErrTruncated) || errors.Is(err, format.ErrCorrupt)) {
		hint := "--force indexes what is intact"
		why := m.explain(err)
		if why == err {
			hint = "is it still being recorded? " + hint
		}
		return withHint(why, hint)
	}
	if err != nil || x.output != "" {
		return err
	}
	return x.writeSummary(ctx, path)
}

// writeSummary writes the summary beside a trace that has just been indexed. Not every trace gets
// one.
func (x *indexCommand) writeSummary(ctx context.Context, path string) error {
	return x.withReader(ctx, path, func(r *lazy.LazyTraceReader) error {
		p := x.newProgress("summarizing")
		err := query.WriteSummary(ctx, r, false, p.Update)
		p.End()
		if errors.Is(err, lazy.ErrNoSummary) {
			return nil
		}
		return err
	})
}

// withReader opens a trace and waits until it is read.
func (x *indexCommand) withReader(ctx context.Context, path string, use func(r *lazy.LazyTraceReader) error) error {
	defer limitMemory(0)()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		return err
	}
	defer r.Close()
	if err := x.waitUntilRead(ctx, r); err != nil {
		return err
	}
	return use(r)
}

// indexOutputPath returns the path for the index of the data at path. A name given with -o must not
// be that of an existing file other than an index.
func indexOutputPath(path, typed string) (string, error) {
	output := cmp.Or(typed, path+format.IndexSuffix)
	if err := cmp.Or(refuseStdout(output), refuseInput(path, output), tracefile.Check(output, true)); err != nil || typed == "" {
		return output, err
	}
	f, err := os.Open(output)
	if err != nil {
		return output, nil // writing it reports the problem
	}
	defer f.Close()
	head := make([]byte, format.HeaderSize)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	if _, err := format.CheckIndexHeader(head[:n]); n > 0 && errors.Is(err, format.ErrNotTrace) {
		return "", &usageError{typed + " exists and is not an index; refusing to replace it", "remove it, or name another file"}
	}
	return output, nil
}

func (x *indexCommand) verifyIndex(ctx context.Context, path string) error {
	index := x.output
	p := x.newProgress("checking")
	cells, err := lazy.VerifyIndex(ctx, path, index, p.Update)
	p.End()
	if err != nil {
		if fault := (*lazy.IndexError)(nil); errors.As(err, &fault) {
			name := path
			if index != "" {
				name = "-o " + index + " " + path
			}
			return withHint(err, "tracex index "+name+" creates it")
		}
		return err
	}
	if _, err = fmt.Fprintf(x.stdout, "the index agrees with the data: %s\n", counted(cells, "cell")); err != nil {
		return err
	}
	return x.verifyTimes(ctx, path)
}

// verifyTimes checks the file of times, if there is one.
func (x *indexCommand) verifyTimes(ctx context.Context, path string) error {
	p := x.newProgress("checking times")
	cells, err := lazy.VerifyTimes(ctx, path, "", p.Update)
	p.End()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		if _, err = fmt.Fprintf(x.stdout, "the times agree with the data: %s\n", counted(cells, "cell")); err != nil {
			return err
		}
	}
	return x.verifySummary(ctx, path)
}

// verifySummary checks the summary, if there is one.
func (x *indexCommand) verifySummary(ctx context.Context, path string) error {
	if !exists(path + format.SumSuffix) {
		return nil
	}
	return x.withReader(ctx, path, func(r *lazy.LazyTraceReader) error {
		size, why := lazy.SummaryOf(r).State()
		if why != nil { // as if it were not there
			_, err := fmt.Fprintf(x.stdout, "the summary is not used: %v; tracex index makes it again\n", why)
			return err
		}
		p := x.newProgress("checking the summary")
		err := query.VerifySummary(ctx, r, p.Update)
		p.End()
		if err != nil {
			return withHint(err, "tracex index "+path+" makes it again; it can be removed, too")
		}
		_, err = fmt.Fprintf(x.stdout, "the summary agrees with the data: %s\n", counted(size, "byte"))
		return err
	})
}
