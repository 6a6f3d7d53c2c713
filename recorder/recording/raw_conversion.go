package recording

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/instrument/control"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/disk"
)

// rawConversion makes a trace from the raw files in a folder, while programs write them.
type rawConversion struct {
	*instrumented.Converter
	maker  *maker
	source *traceSource
	folder string
	keep   int64 // bytes that stay free on the disk while programs run
	files  growingFiles
	seen   map[string]bool
	spool  string // path of the packets, see ready
	ready  readyPackets
	joiner *packetJoiner // nil until packets are ready
	tests  *testTraces   // nil but with Keep
	done   chan struct{} // closed when no more programs run
	ended  chan error    // result of follow

	progress atomic.Pointer[importer.Progress] // nil while programs run: the terminal is theirs
	before   int64                             // bytes that had been converted when the programs ended; -1: not known yet
}

// convertEvery is how often what programs have recorded is converted.
const convertEvery = 100 * time.Millisecond

// rawProgress is the content of a recording's progress file if its trace is made of raw files.
const rawProgress = "see the raw files\n"

// newRawConversion begins a trace. Its files are created when something has been recorded; with --last
// and --split only after the programs have ended, with --keep after those of a package have. several says that there may be several programs. Raw files
// are left alone if source is already packets.
func newRawConversion(m *maker, several bool, source *traceSource) (*rawConversion, error) {
	dir := m.dir
	folder, err := filepath.Abs(dir.Path())
	if err != nil {
		return nil, err
	}
	l := &rawConversion{maker: m, source: source, folder: folder, spool: dir.Spool(), files: growingFiles{path: m.Output, dir: dir}, seen: map[string]bool{}, before: -1, done: make(chan struct{}), ended: make(chan error, 1)}
	l.keep, l.files.room = reservedFor(m.Output), l.awaitRoom
	// This says that the trace has begun.
	l.files.begun = func() error { return os.WriteFile(dir.Progress(), []byte(rawProgress), 0o600) }
	if l.Converter, err = instrumented.New(l.files.writers(), instrumented.Options{Version: m.Version, Programs: several, NotEmpty: true, Patterns: m.Calls.Exact(), Progress: l.update}); err != nil {
		return nil, err
	}
	switch {
	case m.Keep != nil:
		l.tests = newTestTraces(m)
		go func() { l.ended <- l.follow(l.lookTests) }()
	case m.Calls.Last > 0 || m.Calls.LastFor > 0 || m.Split:
		l.ended <- nil
	default:
		go func() { l.ended <- l.follow(l.look) }()
	}
	return l, nil
}

// update shows how much of what was left when the programs ended has been converted.
func (l *rawConversion) update(done, total int64) {
	if p := l.progress.Load(); p != nil {
		if l.before < 0 {
			l.before = done
		}
		(*p).Update(done-l.before, total-l.before)
	}
}

// awaitRoom waits, while programs run, until n bytes may be written without filling their disk.
func (l *rawConversion) awaitRoom(n int) {
	for {
		free, known := disk.Free(filepath.Dir(l.files.path))
		if !known || free >= l.keep+int64(n) {
			return
		}
		select {
		case <-l.done:
			return
		case <-time.After(convertEvery):
		}
	}
}

// follow converts what programs record, by look, until done is closed.
func (l *rawConversion) follow(look func() (more bool, err error)) error {
	tick := time.NewTicker(convertEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.done:
			return nil
		case <-tick.C:
		}
		for more := true; more; {
			select {
			case <-l.done:
				return nil
			default:
			}
			var err error
			if more, err = look(); err != nil {
				return err
			}
		}
	}
}

// look converts what has been recorded by now, or much of it: more reports whether something is left.
func (l *rawConversion) look() (more bool, err error) {
	list, err := os.ReadDir(l.folder)
	if err != nil {
		return false, err
	}
	for _, e := range list {
		path := filepath.Join(l.folder, e.Name())
		if !strings.HasSuffix(e.Name(), raw.Suffix) {
			continue
		}
		if !l.source.take(fromRaws) {
			return false, nil
		}
		if !l.seen[path] {
			l.seen[path] = true
			l.Add(path)
		}
		if pid, _, _ := strings.Cut(e.Name(), "-"); !aliveText(pid) {
			l.Ended(path)
		}
	}
	if more, err = l.Step(context.Background()); err != nil {
		return false, err
	}
	return more, l.join()
}

// lookTests makes the traces of tests whose programs have ended.
func (l *rawConversion) lookTests() (more bool, err error) {
	if RawFiles(l.folder) == nil || !l.source.take(fromRaws) {
		return false, nil
	}
	return false, l.tests.look(context.Background(), false)
}

// join adds the calls in packets that are ready.
func (l *rawConversion) join() (err error) {
	calls, known := l.ready.calls.Load(), l.ready.known.Load()
	to := l.Trace()
	if calls == 0 || to == nil { // the trace begins with calls of instrumented programs
		return nil
	}
	if l.joiner == nil {
		if l.joiner, err = newPacketJoiner(l.spool, nil, to); err != nil {
			return err
		}
	}
	return l.joiner.Advance(context.Background(), calls, known)
}

// aliveText reports whether the process with an id is alive.
func aliveText(pid string) bool {
	n, err := strconv.Atoi(pid)
	return err != nil || control.Alive(n)
}

// end converts the rest, and adds the packets in the file at spool, unless that is "". The Summary is
// nil if there was no raw file.
func (l *rawConversion) end(ctx context.Context, spool string) (made Trace, err error) {
	p := l.maker.Listener.Begin(convertingRaws)
	l.progress.Store(&p)
	defer func() {
		if l.joiner != nil {
			l.joiner.close()
		}
	}()
	close(l.done)
	err = <-l.ended
	defer p.End()
	if l.maker.several() {
		made, failed := l.endSeveral(ctx, spool)
		return made, errors.Join(err, failed)
	}
	if err == nil {
		_, err = l.look()
	}
	if len(l.seen) == 0 {
		l.Close()
		return made, err
	}
	made.Path = l.files.path
	failed := made.finish(ctx, l.Converter, l.joiner, spool, nil)
	return made, errors.Join(err, failed, l.files.end())
}

// endSeveral is end for --split, whose traces are made when the programs have ended, and --keep, where some may be made.
func (l *rawConversion) endSeveral(ctx context.Context, spool string) (all Trace, err error) {
	l.Close()
	files, m := RawFiles(l.folder), l.maker
	switch {
	case l.tests != nil && (files != nil || len(l.tests.seen) > 0) && l.source.take(fromRaws):
		m.traces, all, err = l.tests.end(ctx, spool)
	case l.tests != nil || files == nil || !l.source.take(fromRaws):
		return all, nil
	default:
		m.traces, all, err = m.convertEach(ctx, files, spool)
	}
	if err != nil && len(m.traces) > 0 {
		m.Listener.Recorded(m.traces, nil)
		err = fmt.Errorf("the trace of another process: %w", err)
	}
	return all, err
}

// ConvertRaws makes the trace of the raw files in a folder, or of the one at path, and of the packets in the folder, or,
// with Split, the trace of each process. Errors besides others: [*NothingError], [*LostPacketsError], [*KeptError],
// [*TakenError].
func ConvertRaws(ctx context.Context, path string, files []string, o Options) error {
	m := maker{Options: o}
	spool, done, err := m.spoolBeside(path)
	defer done()
	if err != nil {
		return err
	}
	var made Trace
	if m.Split {
		if m.traces, made, err = m.convertEach(ctx, files, spool); err != nil {
			return err
		}
	} else {
		if err := m.checkFiles(); err != nil {
			return err
		}
		to := growingFiles{path: m.Output, replace: m.Replace}
		if made, err = m.convertRaws(ctx, files, spool, nil, &to); err != nil {
			return to.writeError(err)
		}
	}
	if made.Raws.Events() > 0 {
		if m.tellRecorded(&made); made.Lost != nil {
			return &LostPacketsError{m.Output, SpoolIn(path), made.Lost}
		}
		return made.damage
	}
	if spool != "" {
		m.Listener.LeftOut(made.Raws)
		if err := m.onlyPackets(ctx, spool); !errors.Is(err, importer.ErrNoEvents) {
			return err
		}
	}
	return &NothingError{Summary: made.Raws}
}
