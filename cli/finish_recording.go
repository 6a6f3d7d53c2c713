package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tracex/format"
	"tracex/recorder"
	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/perfetto/service"
	"tracex/recorder/recording"
	"tracex/recorder/shared"
)

// finishRecording completes the trace with the data that tracex record left when it was killed, or
// remarks why it cannot. Unless write is set, it only remarks that there is some.
func (a *app) finishRecording(ctx context.Context, path string, write bool) {
	at := path + recording.Suffix
	if st, err := os.Lstat(at); err != nil || !st.IsDir() {
		return
	}
	if !write {
		a.remark(path, errors.New(at+" holds a recording; once that has ended, tracex info "+path+" completes the trace"))
		return
	}
	dir, err := recording.Take(path)
	for n := 0; errors.Is(err, recording.ErrFinishing) && n < finishTries && ctx.Err() == nil; n++ {
		time.Sleep(finishPause)
		dir, err = recording.Take(path)
	}
	var outlived *recording.OutlivedError
	for n := 0; errors.As(err, &outlived) && n < endTries && ctx.Err() == nil; n++ { // it may be about to end
		time.Sleep(finishPause)
		dir, err = recording.Take(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // another command completed the trace
	case errors.As(err, &outlived):
		a.remark(path, errors.New(err.Error()+"; once it has ended, tracex info "+path+" completes the trace"))
	case errors.Is(err, recording.ErrRecording):
		if begun, _ := recording.State(path); !begun { // otherwise the trace itself says so
			a.remark(path, errors.New(err.Error()+"; no calls have arrived yet"))
		}
	case err != nil:
		a.remark("cannot complete the trace from "+at, err)
	default:
		made := leftRecording{app: a, dir: dir, path: path}
		for _, told := range made.complete(ctx) {
			a.remark(told.what, told.why)
		}
	}
}

// leftRecording is a recording whose process was killed.
type leftRecording struct {
	*app
	dir  *recording.Directory
	path string // of the trace
	told []remark
	kept bool // what programs had written was kept in files, so nothing is missing
	// added is what was added to a trace of packets; nil if nothing was.
	added *instrumented.Summary
}

// remark is something to tell the user.
type remark struct {
	what string
	why  error
}

func (l *leftRecording) tell(what string, why error) { l.told = append(l.told, remark{what, why}) }

// complete completes the trace, removes the recording's directory, and returns what to tell.
func (l *leftRecording) complete(ctx context.Context) []remark {
	at := l.path + recording.Suffix
	endRunning(l.dir.Path(), l.say)
	files := rawFiles(l.dir.Path())
	if files != nil && l.fromRaws() {
		if told, made := l.completeRaws(ctx, files); made {
			return told
		}
		files = nil // they have no calls
	}
	result, damage, err := l.make(ctx, files)
	switch {
	case errors.Is(err, importer.ErrNoEvents):
		l.tell(l.path, errors.New("the recording command was killed before anything was recorded"))
	case err != nil:
		l.tell("cannot complete the trace from "+at, errors.Join(err, l.dir.Close()))
		return l.told
	case l.added != nil && l.added.Events() > 0:
		l.tellProblems(l.added)
		l.tellCompleted(madeTrace{l.path, rawTrace{Summary: l.added, own: result}})
	default:
		l.tell(l.path, errors.New("the recording command was killed; completed the trace ("+counted(result.Events, "event")+")"+l.missing("events")))
		for _, line := range resultLines(result) {
			l.say(line)
		}
	}
	if damage != nil {
		l.tell("part of "+at+" is missing", damage)
	}
	if files != nil && l.added == nil {
		beside := recordCommand{app: l.app, output: l.path}
		if _, err := beside.keepOtherRaws(l.dir.Path(), l.say); err != nil {
			l.tell("raw files are kept in "+at, errors.Join(err, l.dir.Close()))
			return l.told
		}
	}
	return l.cleaned()
}

// cleaned removes the recording's directory.
func (l *leftRecording) cleaned() []remark {
	if err := l.dir.Remove(); err != nil {
		l.tell("cannot clean up", err)
	}
	return l.told
}

// fromRaws reports whether a trace with raw files is made of these: it was, or it was not begun.
func (l *leftRecording) fromRaws() bool {
	progress, _ := os.ReadFile(l.dir.Progress())
	return len(progress) == 0 || string(progress) == rawProgress
}

func (l *leftRecording) say(line string) { l.tell(l.path, errors.New(line)) }

// completeRaws is complete for a recording of instrumented programs. made is false if these have
// recorded no calls.
func (l *leftRecording) completeRaws(ctx context.Context, files []string) (told []remark, made bool) {
	at := l.path + recording.Suffix
	spool, _, err := l.dir.Trim()
	if err != nil {
		l.tell("cannot complete the trace from "+at, errors.Join(err, l.dir.Close()))
		return l.told, true
	}
	defer spool.Close()
	if err := l.leftPackets(spool, spool); err != nil {
		l.tell("cannot complete the trace from "+at, errors.Join(err, l.dir.Close()))
		return l.told, true
	}
	l.finishRecorders(l.dir.Path(), l.path, spool, l.tell)
	packets := ""
	if sizeOf(spool) > 0 {
		packets = spool.Name()
	}
	// Convert again what record had converted: the numbers that it used are no longer known.
	traces, all, err := l.convertRaws(ctx, files, packets)
	if err != nil {
		l.tell("cannot complete the trace from "+at, errors.Join(err, l.dir.Close()))
		return l.told, true
	}
	l.tellProblems(all.Summary)
	if all.Events() == 0 {
		return l.told, false
	}
	for _, m := range traces {
		l.tellCompleted(m)
	}
	if all.damage != nil {
		l.tell("part of "+at+" is missing", all.damage)
	}
	if all.lost != nil {
		kept := keepRaw(l.dir.Spool(), l.path)
		why := lostPackets(l.path, all.lost, kept)
		if kept == l.dir.Spool() {
			l.tell(l.path, errors.Join(why, l.dir.Close()))
			return l.told, true
		}
		l.tell(l.path, why)
	}
	return l.cleaned(), true
}

// tellProblems tells which parts of raw files could not be read.
func (l *leftRecording) tellProblems(s *instrumented.Summary) {
	for _, p := range s.Processes {
		for _, problem := range p.Problems {
			l.tell(programOf(p), problem)
		}
	}
}

// tellCompleted says what a trace has.
func (l *leftRecording) tellCompleted(m madeTrace) {
	var parts []string
	if m.Summary != nil {
		parts = append(parts, counted(m.Calls+m.Statements, "call"))
	}
	more := ""
	if m.own != nil || m.lost != nil {
		own := int64(0)
		if m.own != nil {
			own = m.own.Events
		}
		parts = append(parts, counted(own, "event")+" of package recorder")
		more = l.missing("events of package recorder")
	}
	text := strings.Join(parts, ", ")
	l.tell(m.path, errors.New("the recording command was killed; completed the trace ("+text+")"+more))
	m.tellOwn(func(line string) { l.tell(m.path, errors.New(line)) })
}

// convertRaws makes the trace of raw files and of packets, or, with --split, the traces of the raw
// files. all is what all of them have.
func (l *leftRecording) convertRaws(ctx context.Context, files []string, packets string) (made []madeTrace, all rawTrace, err error) {
	v := format.Version(l.dir.About.FormatVersion)
	if l.dir.About.Split {
		return l.app.convertEach(ctx, l.path, files, packets, true, v)
	}
	to := growingFiles{path: l.path, dir: l.dir}
	all, err = l.app.convertRaws(ctx, files, packetsAt{path: packets}, &to, v)
	return []madeTrace{{l.path, all}}, all, to.writeError(err)
}

// make completes the trace, to which it adds raw files, or makes it if it was not begun.
func (l *leftRecording) make(ctx context.Context, raws []string) (result *importer.Result, damage, err error) {
	spool, _, err := l.dir.Trim()
	if err != nil {
		return nil, nil, err
	}
	defer spool.Close()
	live, err := resumeLive(l.path, l.dir, spool)
	switch {
	case err == nil:
		defer live.close()
		if err := l.leftPackets(spool, live); err != nil {
			return nil, nil, err
		}
		l.finishRecorders(l.dir.Path(), l.path, live, l.tell)
		live.raws.app, live.raws.files = l.app, raws
		result, damage, err = live.end(ctx)
		l.added = live.raws.made
		return result, damage, err
	case !errors.Is(err, perfetto.ErrNoProgress):
		return nil, nil, err
	}
	if err := l.leftPackets(spool, spool); err != nil {
		return nil, nil, err
	}
	l.finishRecorders(l.dir.Path(), l.path, spool, l.tell)
	if st, err := spool.Stat(); err != nil || st.Size() == 0 {
		return nil, nil, errors.Join(err, importer.ErrNoEvents)
	}
	command := recordCommand{app: l.app, output: l.path, version: formatVersion(l.dir.About.FormatVersion)}
	made := command.conversion(l.dir)
	made.NotEmpty = true
	if result, damage, err = made.Packets(ctx, l.dir.Spool()); err != nil && !errors.Is(err, importer.ErrNoEvents) {
		err = fmt.Errorf("%w (try tracex convert -o OTHER %s)", err, l.dir.Spool())
	}
	return result, damage, err
}

// leftPackets writes the packets that the killed process had taken from programs, or that are still in the
// memory it shared with them, and that are neither in the trace nor in the spool.
func (l *leftRecording) leftPackets(spool *os.File, to io.Writer) (err error) {
	passed := io.NewSectionReader(spool, 0, sizeOf(spool))
	l.kept, err = service.Left(l.dir.Path(), passed, func(packets []byte) error {
		_, err := to.Write(bytes.Clone(packets)) // a conversion keeps them
		return err
	})
	return err
}

// missing tells what the trace may lack.
func (l *leftRecording) missing(what string) string {
	if l.kept {
		return ""
	}
	return ", but " + what + " just before that may be missing"
}

// finishRecorders writes the packets that killed programs had recorded but not sent, and reports
// whether there were any. What cannot be read, or not yet, is kept beside the trace, as dir will be
// removed; trace is "" if it stays.
func (a *app) finishRecorders(dir, trace string, to io.Writer, tell func(what string, why error)) (recorded bool) {
	left, err := os.ReadDir(dir)
	if err != nil {
		tell("the last calls of programs may be missing", err)
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
				tell("what a program records that still runs is not in the trace", errors.New("its service was killed"+kept()))
			}
		case err != nil:
			tell("the last calls of a program are missing", fmt.Errorf("%w%s", err, kept()))
		default:
			recorded = recorded || done.Bytes > 0
		}
		if done.Missing > 0 {
			tell(counted(done.Missing, "event")+" of a program are missing", errors.New("it went on without the service, and its file of 64 MiB is full, or cannot grow"))
		}
		if done.Short > 0 {
			tell(counted(done.Short, "thread"), errors.New("the last calls could not be recovered"+kept()))
		}
	}
	return recorded
}
