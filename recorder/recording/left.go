package recording

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"tracex/format"
	"tracex/recorder/convert/importer"
	"tracex/recorder/convert/instrumented"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/perfetto/service"
)

// While another process completes a trace, TakeLeft retries.
const (
	finishPause = 10 * time.Millisecond
	finishTries = 1000
	endTries    = 20 // for a program to end
)

// TakeLeft is [Take], but waits a while for another process that completes the trace, or for a program that is about to
// end.
func TakeLeft(ctx context.Context, trace string) (*Directory, error) {
	dir, err := Take(trace)
	for n := 0; errors.Is(err, ErrFinishing) && n < finishTries && ctx.Err() == nil; n++ {
		time.Sleep(finishPause)
		dir, err = Take(trace)
	}
	var outlived *OutlivedError
	for n := 0; errors.As(err, &outlived) && n < endTries && ctx.Err() == nil; n++ {
		time.Sleep(finishPause)
		dir, err = Take(trace)
	}
	return dir, err
}

// LeftListener is told what is made of a recording whose process was killed.
type LeftListener interface {
	Listener
	// Completed tells what is in a trace. alone says that it was begun with packets, or has nothing else; whole that
	// all is in it that programs had sent.
	Completed(t Trace, alone, whole bool)
	// Problems tells what could not be read.
	Problems(all *instrumented.Summary)
}

// left is a recording whose process was killed.
type left struct {
	maker
	tell  LeftListener
	whole bool // what programs had written was kept in files, so nothing is missing
	// added is what was added to a trace of packets; nil if nothing was.
	added *instrumented.Summary
}

// Finish completes the trace of a recording whose process was killed, and removes the recording's directory, which it
// closes in any case. What it remarks may be a [*KeptError].
func Finish(ctx context.Context, dir *Directory, trace string, tell LeftListener) {
	l := left{tell: tell, maker: maker{dir: dir, Options: Options{Output: trace, Replace: true, Version: format.Version(dir.About.FormatVersion),
		Split: dir.About.Split, Keep: dir.About.Keep, Listener: tell}}}
	at := trace + Suffix
	l.endRunning()
	files := RawFiles(dir.Path())
	if files != nil && l.fromRaws() {
		if l.completeRaws(ctx, files) {
			return
		}
		files = nil // they have no calls
	}
	result, damage, err := l.make(ctx, files)
	switch {
	case errors.Is(err, importer.ErrNoEvents):
		tell.Remark(trace, errors.New("the recording command was killed before anything was recorded"))
	case err != nil:
		l.cannot(err)
		return
	case l.added != nil && l.added.Events() > 0:
		tell.Problems(l.added)
		tell.Completed(Trace{Path: trace, Raws: l.added, Packets: result}, false, l.whole)
	default:
		tell.Completed(Trace{Path: trace, Packets: result}, true, l.whole)
	}
	if damage != nil {
		tell.Remark("part of "+at+" is missing", damage)
	}
	if files != nil && l.added == nil {
		if _, err := l.keepOtherRaws(); err != nil {
			tell.Remark("raw files are kept in "+at, errors.Join(err, dir.Close()))
			return
		}
	}
	l.clean()
}

// cannot tells why the trace is not completed, and closes the directory.
func (l *left) cannot(err error) {
	l.tell.Remark("cannot complete the trace from "+l.Output+Suffix, errors.Join(err, l.dir.Close()))
}

// clean removes the recording's directory.
func (l *left) clean() {
	if err := l.dir.Remove(); err != nil {
		l.tell.Remark("cannot clean up", err)
	}
}

// fromRaws reports whether a trace with raw files is made of these: it was, or it was not begun.
func (l *left) fromRaws() bool {
	progress, _ := os.ReadFile(l.dir.Progress())
	return len(progress) == 0 || string(progress) == rawProgress
}

// completeRaws is Finish for a recording of instrumented programs. made is false if these have recorded no calls.
func (l *left) completeRaws(ctx context.Context, files []string) (made bool) {
	spool, _, err := l.dir.Trim()
	if err != nil {
		l.cannot(err)
		return true
	}
	defer spool.Close()
	if err := l.leftPackets(spool, spool); err != nil {
		l.cannot(err)
		return true
	}
	finishRecorders(l.tell, l.dir.Path(), l.Output, spool)
	packets := ""
	if sizeOf(spool) > 0 {
		packets = spool.Name()
	}
	// Convert again what record had converted: the numbers that it used are no longer known.
	traces, all, err := l.convertLeft(ctx, files, packets)
	if err != nil {
		l.cannot(err)
		return true
	}
	l.tell.Problems(all.Raws)
	if all.Raws.Events() == 0 {
		return false
	}
	for _, t := range traces {
		l.tell.Completed(t, false, l.whole)
	}
	if all.damage != nil {
		l.tell.Remark("part of "+l.Output+Suffix+" is missing", all.damage)
	}
	if all.Lost != nil {
		at := l.dir.keepSpool(l.Output)
		var why error = &LostPacketsError{l.Output, at, all.Lost}
		kept := at == l.dir.Spool()
		if kept {
			why = errors.Join(why, l.dir.Close())
		}
		if l.tell.Remark(l.Output, why); kept {
			return true
		}
	}
	l.clean()
	return true
}

// convertLeft makes the trace of raw files and of packets, or, with Split, the traces of the raw files. all is what all
// of them have.
func (l *left) convertLeft(ctx context.Context, files []string, packets string) (made []Trace, all Trace, err error) {
	if l.Keep != nil {
		return newTestTraces(&l.maker).end(ctx, packets)
	}
	if l.Split {
		return l.convertEach(ctx, files, packets)
	}
	to := growingFiles{path: l.Output, dir: l.dir}
	all, err = l.convertRaws(ctx, files, packets, nil, &to)
	return []Trace{all}, all, to.writeError(err)
}

// make completes the trace, to which it adds raw files, or makes it if it was not begun.
func (l *left) make(ctx context.Context, raws []string) (result *importer.Result, damage, err error) {
	spool, _, err := l.dir.Trim()
	if err != nil {
		return nil, nil, err
	}
	defer spool.Close()
	live, err := resumeLive(l.Output, l.dir, spool)
	switch {
	case err == nil:
		defer live.close()
		if err := l.leftPackets(spool, live); err != nil {
			return nil, nil, err
		}
		finishRecorders(l.tell, l.dir.Path(), l.Output, live)
		live.raws.begin, live.raws.files = l.tell.Begin, raws
		result, damage, err = live.end(ctx)
		l.added = live.raws.made
		return result, damage, err
	case !errors.Is(err, perfetto.ErrNoProgress):
		return nil, nil, err
	}
	if err := l.leftPackets(spool, spool); err != nil {
		return nil, nil, err
	}
	finishRecorders(l.tell, l.dir.Path(), l.Output, spool)
	if st, err := spool.Stat(); err != nil || st.Size() == 0 {
		return nil, nil, errors.Join(err, importer.ErrNoEvents)
	}
	return l.packetTrace(ctx, l.dir.Spool())
}

// leftPackets writes the packets that the killed process had taken from programs, or that are still in the
// memory it shared with them, and that are neither in the trace nor in the spool.
func (l *left) leftPackets(spool *os.File, to io.Writer) (err error) {
	passed := io.NewSectionReader(spool, 0, sizeOf(spool))
	l.whole, err = service.Left(l.dir.Path(), passed, func(packets []byte) error {
		_, err := to.Write(bytes.Clone(packets)) // a conversion keeps them
		return err
	})
	return err
}
