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
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/recording"
)

// conversion converts a Perfetto recording to a trace.
type conversion struct {
	*app
	output  string         // data file
	force   bool           // replace files
	version format.Version // of the format; 0 for the default of perfetto.Options
	// notEmpty: a recording without events is an error, errNoEvents, and replaces nothing.
	notEmpty bool
	process  *perfetto.Process // whose packets are converted; nil for all
	// dir claims the place of the files, and force does not matter; nil if this is no recording.
	dir *recording.Directory
}

// errNoEvents means that a trace would be empty.
var errNoEvents = errors.New("nothing was recorded")

// conversionMemory is the soft limit for a conversion's memory, in bytes, so that it does not
// grow to twice the memory in use.
const conversionMemory = 192 << 20

// run converts the recording at path and prints a summary. If the recording is damaged, it
// converts the undamaged part.
func (c *conversion) run(ctx context.Context, path string) error {
	in, err := c.openStream(ctx, path)
	if err != nil {
		return err
	}
	defer in.Close()
	return c.runPackets(ctx, in)
}

// runPackets is run for an open recording.
func (c *conversion) runPackets(ctx context.Context, in *stream) error {
	result, damage, err := c.convertPackets(ctx, in)
	if err != nil {
		return err
	}
	return errors.Join(c.report(result), damage)
}

// convert writes data, index and times, which take their places together. damage is the fault
// of a recording whose undamaged part was converted.
func (c *conversion) convert(ctx context.Context, path string) (result *perfetto.Result, damage, err error) {
	in, err := c.openStream(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	return c.convertPackets(ctx, in)
}

// convertPackets is convert for an open recording.
func (c *conversion) convertPackets(ctx context.Context, in *stream) (result *perfetto.Result, damage, err error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(min(conversionMemory, debug.SetMemoryLimit(-1))))
	p := c.newProgress("reading")
	defer p.end()
	converter := perfetto.New(perfetto.Options{TempDir: filepath.Dir(c.output), FormatVersion: c.version, Process: c.process, Progress: func(stage perfetto.Stage, done int64) {
		if stage == perfetto.Reading {
			p.update(in.Taken(), in.size)
			return
		}
		if p.what != "writing" {
			p.end()
			p.what = "writing"
		}
		p.update(done, -1)
	}})
	defer converter.Close()
	var set tracefile.Set
	if c.dir != nil {
		set.Dir = c.dir.Path() // it is removed with all that is in it, also if this process is killed
	}
	defer set.Discard()
	to, err := c.create(&set, in.mode)
	if err != nil {
		return nil, nil, err
	}
	damage = format.At(converter.Read(ctx, in), in.name, 0)
	if damage != nil && !isDamage(damage) {
		return nil, nil, damage
	}
	result, err = converter.Write(ctx, perfetto.Writers(to))
	if err != nil {
		return nil, nil, set.WriteError(err)
	}
	if result.Events == 0 && c.notEmpty {
		return nil, nil, errNoEvents
	}
	if err := dropTimes(&set, to); err != nil {
		return nil, nil, set.WriteError(err)
	}
	if c.dir != nil {
		restore, err := claim(c.dir, c.output)
		if err != nil {
			return nil, nil, err
		}
		if err := set.Commit(); err != nil {
			restore()
			return nil, nil, err
		}
		return result, damage, nil
	}
	return result, damage, set.Commit()
}

// create creates the files of the trace.
func (c *conversion) create(set *tracefile.Set, mode fs.FileMode) (to tracefile.Files, err error) {
	for i, w := range []*io.Writer{&to.Times, &to.Index, &to.Data} {
		f, err := set.Create(c.output+traceSuffixes[i], mode, c.force || c.dir != nil)
		if err != nil {
			return to, err
		}
		*w = f
	}
	return to, nil
}

// dropTimes drops the file of times of a trace that has none.
func dropTimes(set *tracefile.Set, to tracefile.Files) error {
	times := to.Times.(*tracefile.Pending)
	untimed, err := tracefile.Untimed(times)
	if !untimed || err != nil {
		return err
	}
	return withoutTimes(set, times)
}

// withoutTimes drops a file of times, and removes that of the trace that is replaced.
func withoutTimes(set *tracefile.Set, times *tracefile.Pending) error {
	set.Drop(times)
	if err := os.Remove(times.Target()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// isDamage reports whether an error is a fault of an input of which the undamaged part is converted.
func isDamage(err error) bool {
	var fault *format.Error
	return errors.As(err, &fault) && !errors.Is(err, format.ErrNotTrace)
}

// report prints what was made and what was left out.
func (c *conversion) report(r *perfetto.Result) error {
	return c.reportMade(int64(len(r.Threads)), r.Events, r.Took, append(leftLines(r.LeftOut), changeLines(r.Changes)...))
}

// reportMade prints what was made, and the lines that follow.
func (c *conversion) reportMade(threads, events int64, took time.Duration, more []string) error {
	w := bufio.NewWriter(c.stdout)
	fmt.Fprintf(w, "%s: %s, %s, %v\n", printable(c.output), counted(threads, "thread"), counted(events, "event"), rounded(took))
	for _, line := range more {
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}

// leftLines describe what was left out, a line for each reason.
func leftLines(all []perfetto.LeftOut) (lines []string) {
	for _, l := range all {
		lines = append(lines, leftLine(l))
	}
	return lines
}

// leftLine describes what was left out for one reason.
func leftLine(l perfetto.LeftOut) string {
	line := "left out: " + grouped(l.Count) + " " + printable(l.What)
	switch {
	case l.First < 0:
		return line
	case l.Count == 1:
		return fmt.Sprintf("%s, at offset %d", line, l.First)
	}
	return fmt.Sprintf("%s, the first at offset %d", line, l.First)
}
