package importer

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/convert/sources"
)

// damage is a [format.Error] about an input whose undamaged part was converted.
type damage struct {
	Truncated bool   `json:"truncated,omitempty"`
	Offset    int64  `json:"offset"`
	Expected  string `json:"expected,omitempty"`
	Found     string `json:"found,omitempty"`
	Text      string `json:"text"` // of the cause
	Hint      string `json:"hint,omitempty"`
}

// Conversion makes a trace of inputs.
type Conversion struct {
	Output  string         // data file
	Force   bool           // replace files
	Version format.Version // of the format; 0 for the default
	// NotEmpty: inputs without events are an error, ErrNoEvents, and replace nothing.
	NotEmpty bool
	Process  *perfetto.Process // whose packets are converted; nil for all
	// Dir is where the files are until they are complete; "" for where they will be. Claim makes their place
	// free before they take it, and restore undoes that; nil if Force tells.
	Dir   string
	Claim func() (restore func(), err error)
	Begin func(what string) Progress // shows how far it is
}

// ErrNoEvents means that a trace would be empty.
var ErrNoEvents = errors.New("nothing was recorded")

// Result is what was made of inputs.
type Result struct {
	Threads, Events int64
	Took            time.Duration
	LeftOut         []perfetto.LeftOut
	Changes         map[format.Change]int64 // by the version of the format
	Unaligned       string                  // why the times of several inputs are not aligned; "" if they are
}

// OfPackets returns the result of a conversion of packets; nil for nil.
func OfPackets(r *perfetto.Result) *Result {
	if r == nil {
		return nil
	}
	return &Result{Threads: int64(len(r.Threads)), Events: r.Events, Took: r.Took, LeftOut: r.LeftOut, Changes: r.Changes}
}

// conversionMemory is the soft limit for a conversion's memory, in bytes, so that it does not
// grow to twice the memory in use.
const conversionMemory = 192 << 20

// Packets makes a trace of the packets in the file at path. See [Conversion.Run].
func (c *Conversion) Packets(ctx context.Context, path string) (made *Result, damage, err error) {
	in, err := OpenFile(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	in.Kind = KindPerfetto
	return c.Run(ctx, in)
}

// Run makes one trace of inputs: of one of Perfetto, or of any number of sources. Data, index and times take their
// places together. damage are the faults of inputs whose undamaged parts were converted.
func (c *Conversion) Run(ctx context.Context, ins ...*Input) (made *Result, damage, err error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(min(conversionMemory, debug.SetMemoryLimit(-1))))
	set := tracefile.Set{Dir: c.Dir}
	defer set.Discard()
	convert := c.sources
	if ins[0].Kind == KindPerfetto {
		convert = c.packets
	}
	made, damage, err = convert(ctx, &set, ins)
	switch {
	case err != nil:
		return nil, nil, err
	case made.Events == 0 && c.NotEmpty:
		return nil, nil, ErrNoEvents
	case c.Claim == nil:
		return made, damage, set.Commit()
	}
	restore, err := c.Claim()
	if err != nil {
		return nil, nil, err
	}
	if err := set.Commit(); err != nil {
		restore()
		return nil, nil, err
	}
	return made, damage, nil
}

// packets converts the packets of an input.
func (c *Conversion) packets(ctx context.Context, set *tracefile.Set, ins []*Input) (made *Result, damage, err error) {
	in, p := ins[0], c.Begin("reading")
	defer p.End()
	converter := perfetto.New(perfetto.Options{TempDir: filepath.Dir(c.Output), FormatVersion: c.Version, Process: c.Process, Progress: func(stage perfetto.Stage, done int64) {
		if stage == perfetto.Reading {
			p.Update(in.Taken(), in.Size)
			return
		}
		p.Stage("writing")
		p.Update(done, -1)
	}})
	defer converter.Close()
	to, err := c.create(set, in.mode)
	if err != nil {
		return nil, nil, err
	}
	damage = format.At(converter.Read(ctx, in), in.Name, 0)
	if damage != nil && !isDamage(damage) {
		return nil, nil, damage
	}
	result, err := converter.Write(ctx, to)
	if err != nil {
		return nil, nil, set.WriteError(err)
	}
	if result.Events > 0 || !c.NotEmpty {
		err = set.WriteError(dropTimes(set, to))
	}
	return OfPackets(result), damage, err
}

// sources converts inputs of sources.
func (c *Conversion) sources(ctx context.Context, set *tracefile.Set, ins []*Input) (made *Result, damage, err error) {
	var aligned alignment
	if len(ins) > 1 {
		if aligned, err = c.alignInputs(ctx, ins); err != nil {
			return nil, nil, err
		}
	}
	p := newImportProgress(c.Begin("reading"), ins)
	defer p.end()
	to, err := c.create(set, ins[0].mode)
	if err != nil {
		return nil, nil, err
	}
	to.Data = &progressWriter{to.Data, p}
	w := calltrace.New(to, calltrace.Options{Version: c.Version, TempDir: filepath.Dir(c.Output)})
	defer w.Discard()
	if !aligned.begin.IsZero() {
		w.SetAnchor(aligned.begin)
	}
	if damage, err = readSources(ctx, ins, aligned.moves, w, p); err != nil {
		return nil, nil, set.WriteError(err)
	}
	s, err := w.Finish(ctx)
	if err != nil {
		return nil, nil, set.WriteError(err)
	}
	if damage != nil && s.Events == 0 {
		return nil, nil, damage // nothing is intact
	}
	made = &Result{Threads: int64(s.Threads), Events: s.Events, Took: s.Took, Unaligned: aligned.why}
	for _, l := range s.LeftOut {
		made.LeftOut = append(made.LeftOut, perfetto.LeftOut(l))
	}
	return made, damage, dropTimes(set, to)
}

// readSources adds inputs to a trace. moves are those of an alignment; nil for one input.
func readSources(ctx context.Context, ins []*Input, moves []int64, w *calltrace.Writer, p *importProgress) (damage, err error) {
	prefixes := make([]string, len(ins))
	if len(ins) > 1 {
		prefixes = threadPrefixes(ins)
	}
	for i, s := range ins {
		in := sources.Input{Path: s.Name, Stdin: s.Path == "-", Size: s.Size, Progress: p.read}
		if s.Content != nil {
			in.Reader = &progressReader{s, p}
			in.Progress = nil // what it would tell is not in bytes of the file if that is compressed
		}
		if moves != nil {
			w.Move(moves[i])
		}
		err := s.source.Convert(ctx, in, prefixes[i], w)
		switch err = format.At(err, s.Name, 0); {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil && !isDamage(err):
			return nil, err
		case err != nil:
			damage = errors.Join(damage, err)
		}
		p.next(s.Size)
	}
	return damage, nil
}

// create creates the files of the trace.
func (c *Conversion) create(set *tracefile.Set, mode fs.FileMode) (to tracefile.Files, err error) {
	for i, w := range []*io.Writer{&to.Times, &to.Index, &to.Data} {
		f, err := set.Create(c.Output+tracefile.Suffixes[i], mode, c.Force || c.Claim != nil)
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
	return WithoutTimes(set, times)
}

// WithoutTimes drops a file of times, and removes that of the trace that is replaced.
func WithoutTimes(set *tracefile.Set, times *tracefile.Pending) error {
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

// alignment is where inputs are in the time of a trace.
type alignment struct {
	begin time.Time // the wall time of the trace's zero; zero if they are not aligned: it would be that of one only
	moves []int64   // ns that are added to the times of each input
	why   string    // that they are not aligned, and why; "" if they are
}

// align places inputs by their wall times if all have one. Otherwise all begin at once.
func align(clocks []calltrace.Clock, names []string) (a alignment) {
	const farApart = math.MaxInt64 / 4 // ns, 73 years: one of the clocks was not set
	walls := true
	var first, last time.Time // when the first and the last one begin
	for i, c := range clocks {
		if !c.Some {
			continue
		}
		if c.Anchor.IsZero() {
			walls = false
			a.why = cmp.Or(a.why, names[i]+" has no wall clock: all begin at the same time")
			continue
		}
		begin := c.Anchor.Add(time.Duration(c.First))
		if first.IsZero() || begin.Before(first) {
			first = begin
		}
		if begin.After(last) {
			last = begin
		}
	}
	if walls && last.Sub(first) > farApart {
		walls, a.why = false, "the wall clocks are too far apart: all begin at the same time"
	}
	if walls {
		a.begin = first
	}
	for _, c := range clocks {
		move := -c.First
		if walls && c.Some {
			move += int64(c.Anchor.Add(time.Duration(c.First)).Sub(first))
		}
		a.moves = append(a.moves, move)
	}
	return a
}

// alignInputs finds the clocks of inputs, which are read for it, and aligns them.
func (c *Conversion) alignInputs(ctx context.Context, ins []*Input) (a alignment, err error) {
	p := newImportProgress(c.Begin("aligning"), ins)
	defer p.end()
	var clocks []calltrace.Clock
	var names []string
	for _, s := range ins {
		clock, err := c.clockOf(ctx, s, p)
		if err != nil {
			return a, err
		}
		clocks, names = append(clocks, clock), append(names, s.Name)
		p.next(s.Size)
	}
	return align(clocks, names), nil
}

// clockOf finds the clock of an input, which is opened once more. Its faults are found again when it is converted.
func (c *Conversion) clockOf(ctx context.Context, s *Input, p *importProgress) (clock calltrace.Clock, err error) {
	in := sources.Input{Path: s.Name, Size: s.Size, Progress: p.read}
	if s.Content != nil {
		again, err := OpenFile(ctx, s.Path)
		if err != nil {
			return clock, err
		}
		defer again.Close()
		in.Reader, in.Progress = &progressReader{again, p}, nil
	}
	w := calltrace.Probe()
	defer w.Discard()
	clock, err = w.Clock(s.source.Convert(ctx, in, "", w))
	switch {
	case ctx.Err() != nil:
		return clock, context.Cause(ctx)
	case err != nil && !isDamage(err):
		return clock, err
	}
	return clock, nil
}
