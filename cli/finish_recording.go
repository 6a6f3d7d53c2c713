package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"tracex/format"
	"tracex/recorder/convert/perfetto"
	"tracex/recorder/recording"
)

// finishRecording makes the trace of what tracex record left beside the trace's place
// when it was killed. Where that cannot be done it is said.
func (a *app) finishRecording(ctx context.Context, path string, wanted bool) {
	at := path + recording.Suffix
	if st, err := os.Lstat(at); err != nil || !st.IsDir() {
		return
	}
	if !wanted {
		a.remark(path, errors.New("there is a recording in "+at+", of which tracex info "+path+" makes the trace if it has ended"))
		return
	}
	folder, err := recording.Take(path)
	for n := 0; errors.Is(err, recording.ErrFinishing) && n < finishTries && ctx.Err() == nil; n++ {
		time.Sleep(finishPause)
		folder, err = recording.Take(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // another made the trace
	case errors.Is(err, recording.ErrRecording):
		a.remark(path, errors.New(err.Error()+", and its trace is made at the end"))
	case err != nil:
		a.remark("of what is in "+at+" no trace can be made", err)
	default:
		a.makeRecorded(ctx, folder, path)
	}
}

// makeRecorded makes the trace of what is in a folder, and removes that.
func (a *app) makeRecorded(ctx context.Context, folder *recording.Folder, path string) {
	at := path + recording.Suffix
	spool, _, err := folder.Trim()
	if err != nil {
		a.remark("of what is in "+at+" no trace can be made", errors.Join(err, folder.Close()))
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
		result, damage, err = a.converted(ctx, folder.Spool(), path, folder.About.Replace, false, format.Version(folder.About.FormatVersion))
	}
	switch {
	case errors.Is(err, errNoEvents):
		a.remark(path, errors.New("tracex record was killed before anything was recorded"))
	case err != nil:
		a.remark("of "+at+" no trace was made: tracex convert -o OTHER "+folder.Spool()+" makes one", errors.Join(err, folder.Close()))
		return
	default:
		a.remark(path, errors.New("tracex record was killed before it made the trace; made it of "+counted(result.Events, "event")+" in "+at+
			"; what programs recorded shortly before may be missing"))
		for _, line := range changeLines(result.Changes) {
			a.remark(path, errors.New(line))
		}
	}
	if damage != nil {
		a.remark("of "+at+" a part is missing", damage)
	}
	if err := folder.Remove(); err != nil {
		a.remark("left behind", err)
	}
}
