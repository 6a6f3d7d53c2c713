package cli

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tracex/lazy"
	"tracex/ui"
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
			return a.saveDemo(save, force)
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
func (a *app) saveDemo(path string, force bool) error {
	var drafts []*draft
	for _, suffix := range []string{".tim", ".idx", ""} {
		d, err := newDraft(path+suffix, 0o644, force)
		if err != nil {
			return err
		}
		defer d.discard()
		drafts = append(drafts, d)
		if err := a.unpackDemo(d, "shop.bin"+suffix+".gz"); err != nil {
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

// unpackDemo writes a packed file of demo's trace to w.
func (a *app) unpackDemo(w io.Writer, name string) error {
	f, err := a.demoFiles.Open("testdata/demo/" + name)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, z)
	return err
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
	if err := a.saveDemo(path, false); err != nil {
		return err
	}
	look.Name, look.Tour = "demo", true
	return a.explore(ctx, path, o, look)
}
