package cli

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"tracex/format/tracefile"
	"tracex/lazy"
)

// demoCommand is the command demo with its flags.
type demoCommand struct {
	*app
	save   string
	force  bool
	screen screenFlags
}

func newDemoCommand(a *app) *cobra.Command {
	d := &demoCommand{app: a}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Explore a built-in trace, with a tour",
		Example: `tracex demo
tracex demo --save demo.bin        # a trace to try print, info and pack on`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := c.Flags()
	flags.StringVar(&d.save, "save", "", "write the trace to this file and show nothing")
	flags.BoolVar(&d.force, "force", false, "with --save: replace existing files")
	d.screen.add(c)
	c.RunE = func(c *cobra.Command, _ []string) error {
		if d.save != "" {
			if err := refuseStdout(d.save); err != nil {
				return err
			}
			return d.write(d.save, d.force)
		}
		return d.explore(c.Context())
	}
	return c
}

// write writes the trace with its index and its times.
func (d *demoCommand) write(path string, force bool) error {
	var set tracefile.Set
	defer set.Discard()
	for _, suffix := range tracefile.Suffixes {
		f, err := set.Create(path+suffix, 0o644, force)
		if err != nil {
			return err
		}
		if err := d.unpack(f, "shop.bin"+suffix+".gz"); err != nil {
			return f.WriteError(err)
		}
	}
	return set.Commit()
}

// unpack writes a file of the embedded trace to w.
func (d *demoCommand) unpack(w io.Writer, name string) error {
	f, err := d.demoFiles.Open("testdata/demo/" + name)
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

// writeSource writes the source of the program that recorded the trace.
func (d *demoCommand) writeSource(dir string) error {
	source, err := fs.ReadFile(d.demoFiles, "testdata/programs/shop/main.go")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "main.go"), source, 0o600)
}

// explore shows the trace, from a temporary directory.
func (d *demoCommand) explore(ctx context.Context) (err error) {
	look, err := d.screen.options()
	if err != nil {
		return err
	}
	if missing := d.missing(); missing != "" {
		return &usageError{missing, "tracex demo --save FILE writes the trace to a file"}
	}
	dir, err := os.MkdirTemp("", "tracex-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "demo")
	if err := d.write(path, false); err != nil {
		return err
	}
	if look.Name, look.Tour = "demo", true; len(look.Source) == 0 {
		if err := d.writeSource(dir); err != nil {
			return err
		}
		look.Source = []string{dir}
	}
	return explore(ctx, d.app, path, nil, lazy.Options{Memory: int64(d.screen.memory)}, look)
}
