package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/perfetto"
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
}

// errNoEvents means that a trace would be empty.
var errNoEvents = errors.New("nothing was recorded")

// conversionMemory is the soft limit for a conversion's memory, in bytes, so that it does not
// grow to twice the memory in use.
const conversionMemory = 192 << 20

// run converts the recording at path and prints a summary. If the recording is damaged, it
// converts the undamaged part.
func (c *conversion) run(ctx context.Context, path string) error {
	result, damage, err := c.convert(ctx, path)
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
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(min(conversionMemory, debug.SetMemoryLimit(-1))))
	p := c.newProgress("reading")
	defer p.end()
	converter := perfetto.New(perfetto.Options{TempDir: filepath.Dir(c.output), FormatVersion: c.version, Process: c.process, Progress: func(stage perfetto.Stage, done int64) {
		if stage == perfetto.Writing && p.what != "writing" {
			p.end()
			p.what, in.size = "writing", -1
		}
		p.update(done, in.size)
	}})
	defer converter.Close()
	var set tracefile.Set
	defer set.Discard()
	var files []*tracefile.Pending
	for _, suffix := range traceSuffixes {
		f, err := set.Create(c.output+suffix, in.mode, c.force)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	damage = format.At(converter.Read(ctx, in), in.name, 0)
	var fault *format.Error
	if damage != nil && (!errors.As(damage, &fault) || errors.Is(damage, format.ErrNotTrace)) {
		return nil, nil, damage
	}
	result, err = converter.Write(ctx, perfetto.Writers{Times: files[0], Index: files[1], Data: files[2]})
	if err != nil {
		return nil, nil, set.WriteError(err)
	}
	if result.Events == 0 && c.notEmpty {
		return nil, nil, errNoEvents
	}
	return result, damage, set.Commit()
}

// report prints what was made and what was left out.
func (c *conversion) report(r *perfetto.Result) error {
	w := bufio.NewWriter(c.stdout)
	fmt.Fprintf(w, "%s: %s, %s, %v\n", printable(c.output), counted(int64(len(r.Threads)), "thread"),
		counted(r.Events, "event"), rounded(r.Took))
	for _, l := range r.LeftOut {
		fmt.Fprintln(w, leftLine(l))
	}
	for _, line := range changeLines(r.Changes) {
		fmt.Fprintln(w, line)
	}
	return w.Flush()
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
