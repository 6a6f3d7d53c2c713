package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"tracex/format"
	"tracex/recorder/convert/perfetto"
)

// perfettoSuffixes are what the names of Perfetto's traces end in.
var perfettoSuffixes = []string{".pftrace", ".perfetto-trace", ".perfetto", ".proto", ".pb"}

func (a *app) convertCommand() *cobra.Command {
	var output string
	var force bool
	var version formatVersion
	c := &cobra.Command{
		Use:   "convert FILE",
		Short: "Convert what Perfetto recorded, or another version",
		Long: "Make a trace, its index and its times of what perfetto -o writes, or with --to of a trace of another version of the format. " +
			"What both versions have is exact; what had to be guessed, and what the version cannot hold, is counted. " +
			"What Perfetto recorded is written in the version that --to says, else in the newest",
		Example: `tracex convert trace.pftrace                # write trace.bin and the like
perfetto -c config -o - | tracex convert -o trace.bin -
tracex convert --to 22 trace.bin            # write trace.v22.bin
tracex convert --to 27 -o new.packedtrace old.packedtrace`,
		Args: a.oneTrace,
	}
	flags := c.Flags()
	flags.StringVarP(&output, "output", "o", "", "file or folder for the data, else FILE.bin or FILE.v22.bin")
	flags.BoolVar(&force, "force", false, "replace files")
	flags.Var(&version, "to", "version of the format to write: 27 or 22")
	flags.Var(&version, "format-version", "the same as --to, as for record")
	completeVersion(c, "to")
	completeVersion(c, "format-version")
	c.RunE = onTrace(func(ctx context.Context, path string) error {
		a := a
		if version != 0 {
			var perfetto bool
			var err error
			if a, path, perfetto, err = a.sniff(ctx, path); err != nil {
				return err
			}
			if !perfetto {
				return a.convertVersion(ctx, path, output, force, format.Version(version))
			}
		}
		if path == "-" && (output == "" || isDir(output)) {
			return &usageError{"a trace from standard input needs a name", "-o names the file of the data"}
		}
		to, err := convertTo(path, output)
		if err != nil {
			return err
		}
		return a.convert(ctx, path, to, force, format.Version(version))
	})
	return c
}

// convertTo returns the name of the data file.
func convertTo(path, output string) (string, error) {
	name := path
	for _, suffix := range perfettoSuffixes {
		if cut, ok := strings.CutSuffix(path, suffix); ok {
			name = cut
			break
		}
	}
	return dataPlace(path, name+".bin", output)
}

// convertMemory is what the garbage collector keeps a conversion within, in
// bytes, so that memory does not grow to twice of what is in use.
const convertMemory = 192 << 20

// traceSuffixes are those of a trace's files: the times, the index, the data.
var traceSuffixes = []string{".tim", ".idx", ""}

// convert writes data, index and times. They take their places together at the
// end, the data last. Of a trace that is damaged all that is whole is written.
// version is as in perfetto.Options.
func (a *app) convert(ctx context.Context, path, output string, force bool, version format.Version) error {
	result, damage, err := a.converted(ctx, path, output, force, true, version)
	if err != nil {
		return err
	}
	return errors.Join(a.tellConverted(output, result), damage)
}

// errNoEvents says that a trace would be empty.
var errNoEvents = errors.New("nothing was recorded")

// converted is convert that says nothing. damage is what is wrong with a trace of
// which the rest was written. Unless empty says that it may be, a trace without events
// takes nobody's place: errNoEvents.
func (a *app) converted(ctx context.Context, path, output string, force, empty bool, version format.Version) (result *perfetto.Result, damage, err error) {
	in, err := a.openStream(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(min(convertMemory, debug.SetMemoryLimit(-1))))
	p := a.newProgress("reading")
	defer p.end()
	c := perfetto.New(perfetto.Options{TempDir: filepath.Dir(output), FormatVersion: version, Progress: func(stage perfetto.Stage, done int64) {
		if stage == perfetto.Writing && p.what != "writing" {
			p.end()
			p.what, in.size = "writing", -1
		}
		p.update(done, in.size)
	}})
	defer c.Close()
	var drafts []*draft
	for _, suffix := range traceSuffixes {
		d, err := newDraft(output+suffix, in.mode, force)
		if err != nil {
			return nil, nil, err
		}
		defer d.discard()
		drafts = append(drafts, d)
	}
	damage = format.At(c.Read(ctx, in), in.name, 0)
	var fault *format.Error
	if damage != nil && (!errors.As(damage, &fault) || errors.Is(damage, format.ErrNotTrace)) {
		return nil, nil, damage
	}
	result, err = c.Write(ctx, perfetto.Output{Times: drafts[0], Index: drafts[1], Data: drafts[2]})
	for _, d := range drafts {
		if err != nil {
			err = d.placed(err)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if result.Events == 0 && !empty {
		return nil, nil, errNoEvents
	}
	for _, d := range drafts {
		if err := d.commit(); err != nil {
			return nil, nil, err
		}
	}
	return result, damage, nil
}

// tellConverted says what a conversion made and what it left out.
func (a *app) tellConverted(output string, r *perfetto.Result) error {
	w := bufio.NewWriter(a.stdout)
	fmt.Fprintf(w, "%s: %s, %s, %v\n", printable(output), counted(int64(len(r.Threads)), "thread"),
		counted(r.Events, "event"), rounded(r.Took))
	for _, l := range r.Left {
		fmt.Fprintf(w, "left out: %s %s", grouped(l.Count), printable(l.What))
		if l.First >= 0 {
			fmt.Fprintf(w, ", the first at offset %d", l.First)
		}
		fmt.Fprintln(w)
	}
	for _, line := range changeLines(r.Changes) {
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}

func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// rounded leaves three or four digits of a duration.
func rounded(d time.Duration) time.Duration {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 1000)
		}
	}
	return d
}

// stream is an input that is read front to back.
type stream struct {
	io.Reader
	file *os.File // to be closed; nil: it is not ours
	name string
	size int64 // -1: not known
	mode fs.FileMode
}

func (s *stream) Close() {
	if s.file != nil {
		// It was only read.
		_ = s.file.Close()
	}
}

// openStream opens the trace that the argument names, "-" for standard input.
// The caller closes it.
func (a *app) openStream(ctx context.Context, arg string) (*stream, error) {
	s := &stream{name: arg, size: -1, mode: 0o644}
	from := a.stdin
	if arg == "-" {
		if term.IsTerminal(int(from.Fd())) {
			return nil, &usageError{"standard input is a terminal", "- reads a trace from a pipe or a file"}
		}
		s.name = stdinName
	} else {
		var err error
		if from, err = openPipe(ctx, arg); err != nil {
			return nil, err
		}
		s.file = from
	}
	st, err := from.Stat()
	switch {
	case err != nil:
		s.Close()
		return nil, err
	case st.IsDir():
		s.Close()
		return nil, &format.Error{File: arg, Offset: -1, Err: format.ErrNotTrace, Found: "it is a directory",
			Hint: "name the file in it that Perfetto wrote, such as trace.pftrace"}
	case st.Mode().IsRegular():
		s.Reader, s.size = from, st.Size()
		if arg != "-" {
			s.mode = st.Mode().Perm() | 0o200
		}
		return s, nil
	}
	// A read that waits for a pipe cannot be interrupted: it is left behind when
	// the program is told to stop.
	r, w := io.Pipe()
	go func() {
		_, err := io.CopyBuffer(w, struct{ io.Reader }{from}, make([]byte, 1<<18))
		w.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })
	s.Reader = r
	return s, nil
}
