package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tracex/format"
	"tracex/recorder"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/recording"
	"tracex/recorder/shared"
)

// finishRecording makes the trace from the data that tracex record left when it was killed, or
// remarks why it cannot. Unless write is set, it only remarks that there is some.
func (a *app) finishRecording(ctx context.Context, path string, write bool) {
	at := path + recording.Suffix
	if st, err := os.Lstat(at); err != nil || !st.IsDir() {
		return
	}
	if !write {
		a.remark(path, errors.New(at+" holds a recording; if that has ended, tracex info "+path+" makes its trace"))
		return
	}
	folder, err := recording.Take(path)
	for n := 0; errors.Is(err, recording.ErrFinishing) && n < finishTries && ctx.Err() == nil; n++ {
		time.Sleep(finishPause)
		folder, err = recording.Take(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // another command made the trace
	case errors.Is(err, recording.ErrRecording):
		a.remark(path, errors.New(err.Error()+"; its trace is made at the end"))
	case err != nil:
		a.remark("cannot make a trace from "+at, err)
	default:
		a.makeRecorded(ctx, folder, path)
	}
}

// makeRecorded makes the trace from a recording's directory, and removes the directory.
func (a *app) makeRecorded(ctx context.Context, folder *recording.Folder, path string) {
	at := path + recording.Suffix
	spool, _, err := folder.Trim()
	if err != nil {
		a.remark("cannot make a trace from "+at, errors.Join(err, folder.Close()))
		return
	}
	a.finishRecorders(folder.Path(), spool)
	st, err := spool.Stat()
	if err = errors.Join(err, spool.Close()); err == nil && st.Size() == 0 {
		err = errNoEvents
	}
	var result *perfetto.Result
	var damage error
	if err == nil {
		made := conversion{app: a, output: path, force: folder.About.Replace, version: format.Version(folder.About.FormatVersion), notEmpty: true}
		result, damage, err = made.convert(ctx, folder.Spool())
	}
	switch {
	case errors.Is(err, errNoEvents):
		a.remark(path, errors.New("tracex record was killed before anything was recorded"))
	case err != nil:
		a.remark("cannot make a trace from "+at+" (try tracex convert -o OTHER "+folder.Spool()+")", errors.Join(err, folder.Close()))
		return
	default:
		a.remark(path, errors.New("tracex record was killed before it made the trace; made it now from "+counted(result.Events, "event")+" in "+at+
			"; what programs recorded just before may be missing"))
		for _, line := range changeLines(result.Changes) {
			a.remark(path, errors.New(line))
		}
	}
	if damage != nil {
		a.remark("part of "+at+" is missing", damage)
	}
	if err := folder.Remove(); err != nil {
		a.remark("not removed", err)
	}
}

// finishRecorders adds to a recording the data that killed programs had recorded but not sent,
// and reports whether there was any.
func (a *app) finishRecorders(dir string, raw *os.File) (recorded bool) {
	left, err := os.ReadDir(dir)
	if err != nil {
		a.remark("the last calls of programs may be missing", err)
	}
	for _, entry := range left {
		if !strings.HasSuffix(entry.Name(), recorder.LiveSuffix) {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		done, err := shared.Finished{}, error(nil)
		if _, err = raw.Seek(0, io.SeekEnd); err == nil {
			done, err = shared.Finish(path, raw)
		}
		switch {
		case errors.Is(err, shared.ErrRecording): // that program still runs
		case err != nil:
			a.remark("the last calls of a program are missing", err)
		default:
			recorded = recorded || done.Bytes > 0
		}
		if done.Short > 0 {
			a.remark(counted(done.Short, "thread"), errors.New("the last calls could not be recovered"))
		}
	}
	return recorded
}
