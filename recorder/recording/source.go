package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"tracex/recorder"
	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/instrument/control"
	"tracex/recorder/shared"
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

// takeRaws makes raw files the source if there are some and there is no source yet, and reports whether they
// are the source.
func (s *traceSource) takeRaws(dir *Directory) bool {
	return RawFiles(dir.Path()) != nil && s.take(fromRaws)
}

// errOtherSource is why packets are not converted while they arrive.
var errOtherSource = errors.New("the trace has the calls of instrumented programs")

// takePackets makes packets the source, if there are no raw files.
func (s *traceSource) takePackets(dir *Directory) error {
	if s.takeRaws(dir) || !s.take(fromPackets) {
		return errOtherSource
	}
	return nil
}

// maker makes traces of what programs recorded.
type maker struct {
	Options
	dir    *Directory // claims the place of the trace; nil if this is no recording
	traces []Trace    // by Split
}

// conversion makes the trace of packets.
func (m *maker) conversion() *importer.Conversion {
	c := &importer.Conversion{Output: m.Output, Force: m.Replace, Version: m.Version, Begin: m.Listener.Begin}
	if m.dir != nil {
		// The directory is removed with all that is in it, also if this process is killed.
		c.Dir, c.Claim = m.dir.Path(), func() (restore func(), err error) { return m.dir.Claim(m.Output) }
	}
	return c
}

// producerSocket and consumerSocket are the paths of a recording's sockets.
func producerSocket(dir *Directory) string { return filepath.Join(dir.About.Sockets, "producers") }
func consumerSocket(dir *Directory) string { return filepath.Join(dir.About.Sockets, "consumers") }

// makeOfPackets completes a trace that was begun with packets. keep means that the directory has the only copy of
// some data.
func (s *Session) makeOfPackets(ctx context.Context) (keep bool, err error) {
	if s.made.Summary == nil { // otherwise they have no calls
		s.live.raws.begin, s.live.raws.files = s.Listener.Begin, RawFiles(s.dir.Path())
	}
	err = s.makeTrace(ctx)
	added := s.live.raws.made
	switch {
	case err != nil:
		keep, err = s.keepBoth(added == nil, err)
		return keep, s.fullError(err)
	case added == nil:
		return s.keepOtherRaws()
	case added.Events() == 0:
		s.Listener.LeftOut(added)
	default:
		err = s.keepRawFiles("")
	}
	return false, err
}

// makeTrace completes the trace of packets, and adds raw files. After an error, what is not in it is in the
// directory.
func (s *Session) makeTrace(ctx context.Context) error {
	result, damage, err := s.live.end(ctx)
	switch {
	case errors.Is(err, perfetto.ErrNoCalls), errors.Is(err, errOtherSource): // which had no calls
		made, damage, err := s.conversion().Packets(ctx, s.dir.Spool())
		if err != nil {
			return err
		}
		return errors.Join(s.Listener.Converted(s.Output, made), damage)
	case err == nil && s.live.raws.added():
		s.tellRecorded(&rawTrace{Summary: s.live.raws.made, own: result})
		return damage
	case err == nil:
		return errors.Join(s.Listener.Converted(s.Output, result), damage)
	}
	return s.live.files.writeError(errors.Join(err, s.salvage(ctx)))
}

// salvage ends a trace that could not grow, if it was begun.
func (s *Session) salvage(ctx context.Context) error {
	if !s.live.Begun() {
		return nil
	}
	result, err := s.live.salvage(ctx, s.dir)
	if err == nil {
		err = s.Listener.Converted(s.Output, result)
	}
	return err
}

// tellRecorded tells what is in a trace, or in those of Split, and what is not.
func (m *maker) tellRecorded(made *rawTrace) {
	traces := m.traces
	if !m.Split {
		traces = []Trace{made.at(m.Output)}
	}
	m.Listener.Recorded(traces, made.Summary)
}

// keepBoth keeps what is not in the trace because of an error, with the raw files if raws is set.
func (s *Session) keepBoth(raws bool, err error) (keep bool, _ error) {
	if raws {
		var fault error
		keep, fault = s.keepOtherRaws()
		err = errors.Join(err, fault)
	}
	kept := &KeptError{err, "the recording", s.dir.keepSpool(s.Output)}
	if s.live.Begun() {
		kept.What = "the part that is not in " + s.Output
	}
	return keep || kept.At == s.dir.Spool(), kept
}

// RawFolder is the suffix of the folder for KeepRaws, after the name of the trace.
const RawFolder = ".raw"

// KeepRawFiles moves what programs wrote out of the directory, with KeepRaws, if there is no trace.
func (s *Session) KeepRawFiles() error { return s.keepRawFiles(s.spool) }

// keepRawFiles moves what programs wrote out of the directory, with KeepRaws. packets is the path of their packets;
// "" if there are none.
func (m *maker) keepRawFiles(packets string) error {
	if !m.KeepRaws {
		return nil
	}
	files := RawFiles(m.dir.Path())
	to, err := m.moveRawFiles(files)
	if err == nil && packets != "" {
		err = os.Rename(packets, SpoolIn(to))
	}
	if err == nil {
		m.Listener.KeptRaws(len(files), to)
	}
	return err
}

// keepOtherRaws keeps raw files beside a trace that is made of packets, and lacks them.
func (m *maker) keepOtherRaws() (keep bool, err error) {
	files := RawFiles(m.dir.Path())
	if files == nil {
		return false, nil
	}
	to, err := m.moveRawFiles(files)
	if err != nil {
		return true, err
	}
	m.Listener.OtherRaws(to)
	return false, nil
}

// moveRawFiles moves raw files to the folder of KeepRaws.
func (m *maker) moveRawFiles(files []string) (to string, err error) {
	to = m.Output + RawFolder
	if err := os.MkdirAll(to, 0o700); err != nil {
		return to, err
	}
	for _, f := range files {
		if err := os.Rename(f, filepath.Join(to, filepath.Base(f))); err != nil {
			return to, err
		}
	}
	return to, nil
}

// endRunning ends the recording of instrumented programs that still run when the trace is completed, and
// tells which: their raw files are about to be removed, and would grow unseen.
func (m *maker) endRunning() {
	for _, path := range RawFiles(m.dir.Path()) {
		if h, running, err := control.EndStarted(path); running && err == nil {
			m.Listener.StillRuns(h.Program(), h.PID)
		}
	}
}

// finishRecorders writes the packets that killed programs had recorded but not sent, and reports
// whether there were any. What cannot be read, or not yet, is kept beside the trace, as dir will be
// removed; trace is "" if it stays.
func finishRecorders(tell Listener, dir, trace string, to io.Writer) (recorded bool) {
	left, err := os.ReadDir(dir)
	if err != nil {
		tell.Remark("the last calls of programs may be missing", err)
	}
	for _, entry := range left {
		if !strings.HasSuffix(entry.Name(), recorder.LiveSuffix) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		done, err := shared.Finish(path, to)
		kept := func() (where string) {
			if trace == "" {
				return ""
			}
			return "; what it left is kept in " + keepLive(path, trace)
		}
		switch {
		case errors.Is(err, shared.ErrRecording):
			if exists(path + shared.UnsentSuffix) { // it went on without the service
				tell.Remark("what a program records that still runs is not in the trace", errors.New("its service was killed"+kept()))
			}
		case err != nil:
			tell.Remark("the last calls of a program are missing", fmt.Errorf("%w%s", err, kept()))
		default:
			recorded = recorded || done.Bytes > 0
		}
		if done.Missing > 0 {
			tell.MissingEvents(done.Missing)
		}
		if done.Short > 0 {
			tell.MissingEnds(done.Short, kept())
		}
	}
	return recorded
}

// keepLive keeps the live file of a program beside a trace, and what the program wrote beside it. It returns the path.
func keepLive(path, output string) string {
	if unsent := path + shared.UnsentSuffix; exists(unsent) {
		keepBeside(unsent, output, ".unread"+recorder.LiveSuffix+shared.UnsentSuffix)
	}
	return keepBeside(path, output, ".unread"+recorder.LiveSuffix)
}
