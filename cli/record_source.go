package cli

import (
	"context"
	"errors"
	"sync/atomic"

	"tracex/recorder/convert/instrumented"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/instrument"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/recording"
)

// traceSource is what a trace is made from while a command runs whose programs may record in two
// ways: with a recorder of their own, which sends packets, or as instrumented programs, into raw
// files. The trace is made of what comes first, and the rest is kept.
type traceSource struct{ which atomic.Int32 }

const (
	fromPackets int32 = 1 + iota
	fromRaws
)

// take makes this the source if there is none yet, and reports whether it is.
func (s *traceSource) take(which int32) bool {
	return s.which.CompareAndSwap(0, which) || s.which.Load() == which
}

// errOtherSource is why packets are not converted while they arrive.
var errOtherSource = errors.New("the trace has the calls of instrumented programs")

// takePackets makes packets the source, if there are no raw files.
func (s *traceSource) takePackets(dir *recording.Directory) error {
	if rawFiles(dir.Path()) != nil {
		s.take(fromRaws)
	}
	if !s.take(fromPackets) {
		return errOtherSource
	}
	return nil
}

// rawEnvironment returns the variables with which instrumented programs record into a folder.
func rawEnvironment(folder, options string) []string {
	return []string{raw.FolderVariable + "=" + folder, raw.OptionsVariable + "=" + options}
}

// recorded is what the programs of a command have recorded, and how the command ended.
type recorded struct {
	had
	raws   *instrumented.Summary // nil if there are no raw files, or the trace is made of packets
	failed error
}

// makeEither completes the trace. keep means that the directory has the only copy of some data.
func (r *recordCommand) makeEither(ctx context.Context, dir *recording.Directory, live *liveConversion, got recorded) (keep bool, err error) {
	switch {
	case got.raws != nil && got.raws.Events() > 0:
		r.tellRecorded(got.raws)
		if err := r.keepRawFiles(dir.Path()); err != nil {
			return true, err
		}
		keep, err = r.keepPackets(ctx, dir, live, got.anything)
	case got.anything:
		if err = r.makeTrace(ctx, dir, live); err != nil {
			return r.keepRecording(dir, live, err)
		}
		if got.raws == nil {
			keep, err = r.keepOtherRaws(dir.Path(), r.say)
		}
	case got.raws != nil:
		err = r.nothingInstrumented(&instrument.Plan{Runs: true}, nil, got.raws)
	}
	if err == nil {
		err = got.failed
	}
	return keep, err
}

// keepRecording keeps what is not in the trace because of an error.
func (r *recordCommand) keepRecording(dir *recording.Directory, live *liveConversion, err error) (keep bool, _ error) {
	what := "the recording"
	if live.Begun() {
		what = "the part that is not in " + r.output
	}
	at := keepRaw(dir.Spool(), r.output)
	return at == dir.Spool(), withHint(err, what+" is kept in "+at+"; tracex convert makes a trace from it")
}

// keepPackets keeps the packets, if there are any: the trace is made of raw files.
func (r *recordCommand) keepPackets(ctx context.Context, dir *recording.Directory, live *liveConversion, anything bool) (keep bool, err error) {
	// This puts those that wait into the spool.
	if _, _, err := live.end(ctx); !errors.Is(err, errOtherSource) && !errors.Is(err, perfetto.ErrNoCalls) {
		return true, err
	}
	if !anything {
		return false, nil
	}
	at := keepRaw(dir.Spool(), r.output)
	r.say(packetsKept(at))
	return at == dir.Spool(), nil
}

func packetsKept(at string) string {
	return "what programs recorded with a recorder of their own is kept in " + at + "; tracex convert makes a trace from it"
}

// keepOtherRaws keeps raw files beside a trace that is made of packets.
func (r *recordCommand) keepOtherRaws(folder string, tell func(string)) (keep bool, err error) {
	files := rawFiles(folder)
	if files == nil {
		return false, nil
	}
	to, err := r.moveRawFiles(files)
	if err != nil {
		return true, err
	}
	tell("what instrumented programs recorded is kept in " + to + "; tracex convert makes a trace from it")
	return false, nil
}
