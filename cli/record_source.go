package cli

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"

	"tracex/recorder/convert/importer"
	"tracex/recorder/instrument"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/recording"
)

// traceSource is what a trace is made from while a command runs whose programs may record in two
// ways: with a recorder of their own, which sends packets, or as instrumented programs, into raw
// files. If raw files come first, packets join them, see packetJoiner. If packets come first, raw files are
// added in the end, see rawAdder.
type traceSource struct{ which atomic.Int32 }

const (
	fromPackets int32 = 1 + iota
	fromRaws
)

// take makes this the source if there is none yet, and reports whether it is.
func (s *traceSource) take(which int32) bool {
	return s.which.CompareAndSwap(0, which) || s.which.Load() == which
}

// settle makes raw files the source if there are some and there is no source yet, and reports whether they
// are the source.
func (s *traceSource) settle(dir *recording.Directory) bool {
	return rawFiles(dir.Path()) != nil && s.take(fromRaws)
}

// errOtherSource is why packets are not converted while they arrive.
var errOtherSource = errors.New("the trace has the calls of instrumented programs")

// takePackets makes packets the source, if there are no raw files.
func (s *traceSource) takePackets(dir *recording.Directory) error {
	if s.settle(dir) || !s.take(fromPackets) {
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
	raws    rawTrace // of raw files; none if the trace is made of packets
	packets string   // where they are if the trace has the raw files
	failed  error
}

// makeEither completes the trace. keep means that the directory has the only copy of some data.
func (r *recordCommand) makeEither(ctx context.Context, dir *recording.Directory, live *liveConversion, got recorded) (keep bool, err error) {
	raws := &got.raws
	switch {
	case raws.Summary != nil && raws.Events() > 0:
		r.tellRecorded(raws)
		if raws.lost != nil {
			at := keepRaw(dir.Spool(), r.output)
			return at == dir.Spool(), lostPackets(r.output, raws.lost, at)
		}
		return false, cmp.Or(r.keepRawFiles(dir.Path(), got.packets), raws.damage, got.failed)
	case got.packets != "":
		r.tellLeftOut(raws.Summary)
		if err := r.onlyPackets(ctx, dir, got.packets); !errors.Is(err, importer.ErrNoEvents) {
			return err != nil, cmp.Or(err, got.failed)
		}
		return false, cmp.Or(r.nothingInstrumented(&instrument.Plan{Runs: true}, nil, raws.Summary), got.failed)
	case got.anything:
		return r.makeOfPackets(ctx, dir, live, got)
	}
	return false, cmp.Or(r.nothingInstrumented(&instrument.Plan{Runs: true}, nil, raws.Summary), got.failed)
}

// makeOfPackets is makeEither for a trace that was begun with packets.
func (r *recordCommand) makeOfPackets(ctx context.Context, dir *recording.Directory, live *liveConversion, got recorded) (keep bool, err error) {
	if got.raws.Summary == nil { // otherwise they have no calls
		live.raws.app, live.raws.files = r.app, rawFiles(dir.Path())
	}
	err = r.makeTrace(ctx, dir, live)
	added := live.raws.made
	switch {
	case err != nil:
		keep, err = r.keepBoth(dir, live, added == nil, err)
		return keep, live.ownStatus(r.app, err, got.failed)
	case added == nil:
		keep, err = r.keepOtherRaws(dir.Path(), r.say)
	case added.Events() == 0:
		r.tellLeftOut(added)
	default:
		err = r.keepRawFiles(dir.Path(), "")
	}
	return keep, cmp.Or(err, got.failed)
}

// keepBoth keeps what is not in the trace because of an error, with the raw files if raws is set.
func (r *recordCommand) keepBoth(dir *recording.Directory, live *liveConversion, raws bool, err error) (keep bool, _ error) {
	if raws {
		var fault error
		keep, fault = r.keepOtherRaws(dir.Path(), r.say)
		err = errors.Join(err, fault)
	}
	more, err := r.keepRecording(dir, live, err)
	return keep || more, err
}

// keepRecording keeps the packets that are not in the trace.
func (r *recordCommand) keepRecording(dir *recording.Directory, live *liveConversion, err error) (keep bool, _ error) {
	what := "the recording"
	if live.Begun() {
		what = "the part that is not in " + r.output
	}
	at := keepRaw(dir.Spool(), r.output)
	return at == dir.Spool(), withHint(err, what+" is kept in "+at+"; tracex convert makes a trace from it")
}

// keepOtherRaws keeps raw files beside a trace that is made of packets, and lacks them.
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
