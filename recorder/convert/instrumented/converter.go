package instrumented

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/values"
)

// New returns a Converter that writes to files, unless there is a trace to add to. It writes nothing before
// the first event. to.Times may be nil. Version must be one that can be written.
func New(to tracefile.Files, o Options) (*Converter, error) {
	if o.Begun != nil {
		o.Version = o.Begun.Version()
	}
	if o.Version == 0 {
		o.Version = format.Newest
	}
	if o.BlockSize <= 0 {
		o.BlockSize = calltrace.InstrumentedSize
	}
	if o.Memory <= 0 {
		o.Memory = calltrace.InstrumentedBudget
	}
	layout := values.LayoutOf(int(o.Version))
	if layout == nil {
		return nil, fmt.Errorf("cannot write version %d of the format", o.Version)
	}
	b := blocks{Blocks: calltrace.Blocks{Size: o.BlockSize, Budget: o.Memory}, dict: newDictionary(o.Version)}
	c := &Converter{options: o, layout: layout, to: to, blocks: b, gone: map[string]bool{}, called: map[int32]bool{}}
	c.blocks.dict.packages.Note = func(name, path string) { c.blocks.dict.text(format.PackageText(name, path)) }
	if o.Begun != nil {
		c.writeTo(o.Begun)
	}
	return c, nil
}

// Add adds the raw file of a program. The file need not have its header yet.
func (c *Converter) Add(path string) { c.waiting = append(c.waiting, path) }

// Ended says that the program of a file is gone. The next Step, or Finish, converts what remains.
func (c *Converter) Ended(path string) { c.gone[path] = true }

// Step converts what programs have written since the last Step, for each program little more than stepMost
// bytes. more reports whether data is left for the next Step. What Step converted is in the files when the
// next Step ends, except go statements whose goroutine has not begun: these wait a few Steps. Step fails if a
// file cannot be read or written, and if ctx is done; damage in raw files is no error, see [Process]. After
// an error only Finish is useful, unless ctx was done.
func (c *Converter) Step(ctx context.Context) (more bool, err error) {
	return c.step(ctx, stepMost)
}

// stepMost is how many bytes of a program's raw data a Step converts: few enough that it takes less than a
// second, and the other programs get their turn.
const stepMost = 128 << 20

// step is Step with another number of bytes.
func (c *Converter) step(ctx context.Context, most int64) (more bool, err error) {
	c.open()
	c.measure()
	for _, p := range c.processes {
		if p.ended {
			continue
		}
		gone := c.gone[p.file.Path]
		p.ended = gone
		rest, err := p.step(ctx, !gone, most)
		c.blocks.To.Last = max(c.blocks.To.Last, p.last)
		p.ended = gone && !rest && err == nil
		switch {
		case err != nil:
			return false, err
		case p.ended:
			p.finish()
		}
		if c.err != nil {
			return false, c.err
		}
		more = more || rest
	}
	c.blocks.sweep()
	c.blocks.tick++
	c.stop(c.blocks.dict.Err)
	if c.Trace() != nil {
		c.stop(c.blocks.To.Stop())
	}
	return more, c.err
}

// open opens the files that have a header by now.
func (c *Converter) open() {
	var files []*raw.File
	c.waiting = slices.DeleteFunc(c.waiting, func(path string) bool {
		f, err := raw.Open(path)
		if err == nil {
			files = append(files, f)
			return true
		}
		switch {
		case !c.gone[path]:
		case errors.Is(err, raw.ErrUnbegun):
			c.unbegun++
		default:
			pid, _, _ := strings.Cut(filepath.Base(path), "-")
			id, _ := strconv.ParseUint(pid, 10, 64)
			c.processes = append(c.processes, &process{to: c, ended: true, told: Process{Path: path, PID: id, Problems: []error{err}, Damaged: 1}})
		}
		return c.gone[path]
	})
	if len(files) == 0 {
		return
	}
	if c.blocks.To == nil {
		first := slices.MinFunc(files, func(a, b *raw.File) int { return compare(a.Head.Nanos, b.Head.Nanos) })
		c.begin(time.Unix(0, int64(min(first.Head.Wall, math.MaxInt64))))
		c.blocks.To.Origin = int64(min(first.Head.Nanos, mostNanos))
	}
	begun := make([]*process, len(files))
	for i, f := range files {
		p := newProcess(c, f)
		p.clock = newClock(&f.Head, c.shift(&f.Head))
		c.processes = append(c.processes, p)
		c.lines.Add(&f.Head)
		c.inLine = append(c.inLine, p)
		p.teller, begun[i] = teller{int64(len(c.inLine)), &c.blocks.dict}, p
	}
	for _, p := range begun {
		tellBegin(p)
	}
}

func compare(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (c *Converter) begin(anchor time.Time) {
	c.writeTo(tracefile.NewWriter(c.options.Version, c.to, anchor))
	c.blocks.To.Behind()
}

func (c *Converter) writeTo(w *tracefile.Writer) { c.blocks.To, c.blocks.dict.Counts = w, &w.IDs }

// Trace returns the trace, to which another conversion may add between Steps and after Complete; nil if it has no
// event yet.
func (c *Converter) Trace() *tracefile.Writer {
	if c.blocks.To == nil || c.blocks.To.Events == 0 {
		return nil
	}
	return c.blocks.To
}

// shift returns what to add to a process's monotonic times to get times of the trace. It uses the wall
// clock if the process was not recorded on the trace's machine since that started.
func (c *Converter) shift(h *raw.Header) int64 {
	const most = int64(time.Hour)
	nanos, wall := int64(min(h.Nanos, mostNanos)), int64(min(h.Wall, mostNanos))
	if c.options.Begun != nil {
		return c.options.Time(nanos) - nanos
	}
	origin, first := c.blocks.To.Origin, min(c.blocks.To.Anchor().UnixNano(), mostNanos)
	if apart := (wall - nanos) - (first - origin); apart > most || apart < -most {
		return wall - nanos - first
	}
	return -origin
}

// Finish converts the rest and ends the trace. The programs should be gone; those that are not
// are treated as if they were. It returns what was converted even if it fails.
func (c *Converter) Finish(ctx context.Context) (*Summary, error) {
	s, err := c.Complete(ctx)
	return s, errors.Join(err, c.End())
}

// Complete is Finish without ending the trace: another conversion may add to it, as between Steps. See
// [Converter.Trace].
func (c *Converter) Complete(ctx context.Context) (*Summary, error) {
	for _, path := range c.waiting {
		c.Ended(path)
	}
	for _, p := range c.processes {
		if p.file != nil {
			c.Ended(p.file.Path)
		}
	}
	c.open()
	for _, p := range c.processes {
		if p.file != nil {
			c.Ended(p.file.Path)
		}
	}
	err := c.err
	if err == nil {
		_, err = c.step(ctx, math.MaxInt64)
	}
	for _, p := range c.processes {
		if p.streams != nil {
			p.finish()
		}
	}
	_ = c.blocks.Sweep(nil)
	return c.summary(), err
}

// End ends the trace after Complete, if nothing else has ended it.
func (c *Converter) End() error {
	if c.Trace() == nil && c.options.NotEmpty {
		return nil
	}
	if c.blocks.To == nil {
		c.begin(time.Unix(0, 0))
	}
	return c.blocks.To.End(0)
}

// Close releases the files of a conversion that is not finished.
func (c *Converter) Close() {
	for _, p := range c.processes {
		if p.streams != nil {
			p.file.Close()
		}
	}
}

func (c *Converter) summary() *Summary {
	s := &Summary{Functions: int64(len(c.called)), Unbegun: c.unbegun, Read: c.read, Packages: c.named.Packages}
	for _, p := range c.processes {
		s.Processes = append(s.Processes, p.told)
		s.add(&p.told.Counts)
	}
	return s
}
