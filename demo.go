package main

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/ui"
)

// The trace of demo, which testdata/programs/shop recorded of itself: three
// threads, with times.
var (
	//go:embed testdata/demo/shop.bin.gz
	demoData []byte
	//go:embed testdata/demo/shop.bin.idx.gz
	demoIndex []byte
	//go:embed testdata/demo/shop.bin.tim.gz
	demoTimes []byte
)

func (a *app) demoCommand() *cobra.Command {
	var save string
	var force bool
	f := new(screenFlags)
	c := &cobra.Command{
		Use:   "demo",
		Short: "Explore a trace that is built in, with a tour",
		Example: `tracex demo
tracex demo --save demo.bin        # a trace to try print, info, pack on`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := c.Flags()
	flags.StringVar(&save, "save", "", "write the trace to this file, show nothing")
	flags.BoolVar(&force, "force", false, "with --save: replace files")
	f.add(flags)
	completeColour(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if save != "" {
			if err := files(save); err != nil {
				return err
			}
			return saveDemo(save, force)
		}
		look, err := f.options()
		if err != nil {
			return err
		}
		return a.demo(c.Context(), lazy.Options{Memory: int64(f.memory)}, look)
	}
	return c
}

// saveDemo writes the trace of demo with its index and its times, the data last.
func saveDemo(path string, force bool) error {
	var drafts []*draft
	for _, file := range []struct {
		path   string
		packed []byte
	}{{path + ".tim", demoTimes}, {path + ".idx", demoIndex}, {path, demoData}} {
		d, err := newDraft(file.path, 0o644, force)
		if err != nil {
			return err
		}
		defer d.discard()
		drafts = append(drafts, d)
		z, err := gzip.NewReader(bytes.NewReader(file.packed))
		if err == nil {
			_, err = io.Copy(d, z)
		}
		if err != nil {
			return d.placed(err)
		}
	}
	for _, d := range drafts {
		if err := d.commit(); err != nil {
			return err
		}
	}
	return nil
}

// demo explores the trace that is built in, from a temporary folder.
func (a *app) demo(ctx context.Context, o lazy.Options, look ui.Options) (err error) {
	if missing := a.missing(); missing != "" {
		return &usageError{missing, "tracex demo --save FILE writes the trace to a file"}
	}
	dir, err := os.MkdirTemp("", "tracex-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "demo")
	if err := saveDemo(path, false); err != nil {
		return err
	}
	look.Name, look.Tour = "demo", true
	return a.explore(ctx, path, o, look)
}
