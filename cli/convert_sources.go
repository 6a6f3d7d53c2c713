package cli

import (
	"context"
	"errors"
	"path/filepath"
	"runtime/debug"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/convert/sources"
	"tracex/recorder/convert/sources/all"
)

// fileSources are the sources that convert reads besides Perfetto.
var fileSources = all.Sources

// runSources makes one trace of inputs, all of which are of sources, and prints a summary. Of damaged
// inputs it converts the undamaged parts.
func (c *conversion) runSources(ctx context.Context, ins []*stream) error {
	made, damage, err := c.convertSources(ctx, ins)
	if err != nil {
		return err
	}
	return errors.Join(c.reportMade(int64(made.Threads), made.Events, made.Took, sourceLines(made)), damage)
}

// sourceLines describe what was left out, a line for each reason.
func sourceLines(s *calltrace.Summary) (lines []string) {
	for _, l := range s.LeftOut {
		lines = append(lines, leftLine(perfetto.LeftOut(l)))
	}
	return lines
}

// convertSources writes data, index and times, which take their places together. damage are the
// faults of inputs whose undamaged parts were converted.
func (c *conversion) convertSources(ctx context.Context, ins []*stream) (made *calltrace.Summary, damage, err error) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(min(conversionMemory, debug.SetMemoryLimit(-1))))
	var aligned alignment
	if len(ins) > 1 {
		if aligned, err = c.alignInputs(ctx, ins); err != nil {
			return nil, nil, err
		}
	}
	p := newImportProgress(c.newProgress("reading"), ins)
	defer p.end()
	var set tracefile.Set
	defer set.Discard()
	to, err := c.create(&set, ins[0].mode)
	if err != nil {
		return nil, nil, err
	}
	to.Data = &told{to.Data, p}
	w := calltrace.New(to, calltrace.Options{Version: c.version, TempDir: filepath.Dir(c.output)})
	defer w.Discard()
	if !aligned.begin.IsZero() {
		w.SetAnchor(aligned.begin)
	}
	if damage, err = readSources(ctx, ins, aligned.moves, w, p); err != nil {
		return nil, nil, set.WriteError(err)
	}
	if made, err = w.Finish(ctx); err != nil {
		return nil, nil, set.WriteError(err)
	}
	if damage != nil && made.Events == 0 {
		return nil, nil, damage // nothing is intact
	}
	if aligned.told != "" {
		c.remark("the times of the files are not aligned", errors.New(aligned.told))
	}
	return made, damage, errors.Join(dropTimes(&set, to), set.Commit())
}

// readSources adds inputs to a trace. moves are those of an alignment; nil for one input.
func readSources(ctx context.Context, ins []*stream, moves []int64, w *calltrace.Writer, p *importProgress) (damage, err error) {
	prefixes := make([]string, len(ins))
	if len(ins) > 1 {
		prefixes = threadPrefixes(ins)
	}
	for i, s := range ins {
		in := sources.Input{Path: s.name, Stdin: s.path == "-", Size: s.size, Progress: p.read}
		if s.Content != nil {
			in.Reader = &watched{s, p}
			in.Progress = nil // what it would tell is not in bytes of the file if that is compressed
		}
		if moves != nil {
			w.Move(moves[i])
		}
		err := s.source.Convert(ctx, in, prefixes[i], w)
		switch err = format.At(err, s.name, 0); {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil && !isDamage(err):
			return nil, err
		case err != nil:
			damage = errors.Join(damage, err)
		}
		p.next(s.size)
	}
	return damage, nil
}
