package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tracex/format"
	"tracex/lazy"
)

// indexFlags are the flags of index.
type indexFlags struct {
	verify, force bool
	output        string
}

func (a *app) indexCommand() *cobra.Command {
	var f indexFlags
	c := &cobra.Command{
		Use:   "index FILE",
		Short: "Write the index of a trace, or check it",
		Long:  "Write the index of a trace from its data, or check one, and the times of a trace, cell by cell",
		Example: `tracex index trace.bin             # write trace.bin.idx
tracex index --verify trace.bin    # check each cell against the data`,
		Args: a.oneTrace,
	}
	flags := c.Flags()
	flags.BoolVar(&f.verify, "verify", false, "check the index, write nothing")
	flags.StringVarP(&f.output, "output", "o", "", "file of the index, else FILE.idx")
	flags.BoolVar(&f.force, "force", false, "also of a recording without its end")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		if path == "-" {
			return &usageError{"the index of standard input is of no use", "name a file"}
		}
		m := a.finish(ctx, path, true)
		if f.verify {
			return m.explain(a.verifyIndex(ctx, path, f.output))
		}
		return a.writeIndex(ctx, path, f, m)
	})
	return c
}

func (a *app) writeIndex(ctx context.Context, path string, f indexFlags, m *remains) error {
	output, err := indexPlace(path, f.output)
	if err != nil {
		return err
	}
	p := a.newProgress("indexing")
	err = lazy.RebuildIndex(ctx, path, output, f.force, p.update)
	p.end()
	var file *fs.PathError
	if errors.As(err, &file) && filepath.Base(file.Path) != filepath.Base(path) {
		return placeError(output, err)
	}
	if !f.force && (errors.Is(err, format.ErrTruncated) || errors.Is(err, format.ErrCorrupt)) {
		hint := "--force indexes what is whole"
		why := m.explain(err)
		if why == err {
			hint = "the recorder may still be writing; " + hint
		}
		return withHint(why, hint)
	}
	return unpackFirst(err)
}

// indexPlace returns where the index of the data at path is to be written. A
// place that somebody typed must not be that of something else than an index.
func indexPlace(path, typed string) (string, error) {
	output := behindLinks(cmp.Or(typed, path+".idx"))
	if err := cmp.Or(files(output), apart(path, output), placeable(output, true)); err != nil || typed == "" {
		return output, err
	}
	f, err := os.Open(output)
	if err != nil {
		return output, nil // who writes it says what is wrong
	}
	defer f.Close()
	head := make([]byte, format.HeaderSize)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	if _, err := format.CheckIndexHeader(head[:n]); n > 0 && errors.Is(err, format.ErrNotTrace) {
		return "", &usageError{typed + " is there and is no index", "remove it, or name another place"}
	}
	return output, nil
}

func (a *app) verifyIndex(ctx context.Context, path, index string) error {
	p := a.newProgress("checking")
	cells, err := lazy.VerifyIndex(ctx, path, index, p.update)
	p.end()
	if err != nil {
		if at := cmp.Or(index, path+".idx"); fileOf(err) == at || errors.Is(err, fs.ErrNotExist) && exists(path) {
			name := path
			if index != "" {
				name = "-o " + index + " " + path
			}
			return withHint(err, "make it: tracex index "+name)
		}
		return unpackFirst(err)
	}
	if _, err = fmt.Fprintf(a.stdout, "the index agrees with the data: %s cells\n", grouped(cells)); err != nil {
		return err
	}
	return a.verifyTimes(ctx, path)
}

// verifyTimes checks the file of times, if there is one.
func (a *app) verifyTimes(ctx context.Context, path string) error {
	p := a.newProgress("checking times")
	cells, err := lazy.VerifyTimes(ctx, path, "", p.update)
	p.end()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "the times agree with the data: %s cells\n", grouped(cells))
	return err
}

// fileOf returns the file that an error of a format names; "" for none.
func fileOf(err error) string {
	var e *format.Error
	if errors.As(err, &e) {
		return e.File
	}
	return ""
}

// unpackFirst adds the advice for a packed trace where data was expected.
func unpackFirst(err error) error {
	var e *format.Error
	if errors.As(err, &e) && errors.Is(err, format.ErrNotTrace) && e.Found == "a ZIP file" {
		return withHint(err, "a packed trace carries its index; tracex unpack takes it apart")
	}
	return err
}
