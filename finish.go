package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"tracex/recorder"
)

// finished has a runner's trace finished first, if its program ended without doing
// that: what it had recorded last is in a file beside the trace. wanted is nil, or
// says whether anything may be written there.
func (a *app) finished(wanted func() bool, run runner) runner {
	return func(ctx context.Context, path string) error {
		a.finish(ctx, path, wanted == nil || wanted())
		return run(ctx, path)
	}
}

// How often it is looked whether another command is done with finishing a recording.
const (
	finishPause = 10 * time.Millisecond
	finishTries = 1000
)

// finish finishes a recording. Where that cannot be done the trace is read as it is,
// and that its last calls are missing is said.
func (a *app) finish(ctx context.Context, path string, wanted bool) {
	a.finishRecording(ctx, path, wanted)
	left := path + recorder.LiveSuffix
	if st, err := os.Lstat(left); err != nil || !st.Mode().IsRegular() {
		return
	}
	if !wanted {
		a.remark(path, errors.New("its program ended without closing it; the last calls are in "+left+", which is not used with --no-write"))
		return
	}
	done, err := recorder.Finish(path)
	for n := 0; errors.Is(err, recorder.ErrFinishing) && n < finishTries && ctx.Err() == nil; n++ {
		time.Sleep(finishPause)
		done, err = recorder.Finish(path)
	}
	switch {
	case errors.Is(err, recorder.ErrRecording):
	case errors.Is(err, fs.ErrPermission):
		a.remark("the last calls are missing, which only somebody who may write to the trace can recover", err)
	case err != nil:
		a.remark("the last calls are missing", err)
	case done.Done:
		text := fmt.Sprintf("its program ended without closing it; recovered %s from %s", counted(done.Bytes, "byte"), left)
		if done.Short > 0 {
			text += fmt.Sprintf(", but not the last calls of %s", counted(done.Short, "thread"))
		}
		a.remark(path, errors.New(text))
	}
}
