package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
)

// What the recorder keeps for whoever finishes a recording whose program ended
// without a word: see [Finish] and package live. The memory of a goroutine's
// buffer, of what waits to be written, and what is known of threads, names and the
// clock lie in a file beside the trace that is mapped into memory. An object is
// there when it is published; a block goes from a chunk to what waits to be
// written, and from there to the files, by one transaction each.
//
// A recorder that cannot have such a file, or has no more room in it, goes on in
// its own memory.

// LiveSuffix is what the name of the live file has behind that of the data.
const LiveSuffix = format.LiveSuffix

// startLive makes the live file, where that is wanted and possible. What is wrong
// with it is told.
func (r *Recorder) startLive(f *files) {
	c := &r.config
	if c.NoLive || f.dump {
		return
	}
	path := c.Path + LiveSuffix
	l, err := live.Create(path, c.liveLimit())
	if errors.Is(err, fs.ErrExist) {
		// The trace that it belonged to is gone, or was moved and goes on.
		if rest, failed := live.Open(path); failed == nil || errors.Is(failed, live.ErrDamaged) {
			if failed != nil {
				failed = os.Remove(path)
			} else {
				failed = rest.Remove()
			}
			if failed == nil {
				l, err = live.Create(path, c.liveLimit())
			}
		}
	}
	if err == nil {
		err = r.beginLive(f, l)
	}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
	case err != nil:
		r.problems.warn(fmt.Errorf("recorder: what is not written yet is lost if the program crashes: %w", err))
	}
}

func (r *Recorder) beginLive(f *files, l *live.File) error {
	if err := r.describeLive(l); err != nil {
		return err
	}
	f.live, r.live = l, l
	for _, o := range f.all() {
		if o.to != nil {
			o.live.file = l
			o.buf, o.spare = append(o.newBuffer(o.room), 0)[:0], nil // with its first page
		}
	}
	f.commit(nil, buffers.Part{}, nil)
	if f.live != nil {
		l.Word(live.AtState).Store(live.StateRecording)
	}
	return nil
}

// describeLive puts into a live file what is known of the recorder, or removes it.
func (r *Recorder) describeLive(l *live.File) error {
	c := &r.config
	flags := uint64(0)
	if !c.NoTimes {
		flags |= live.HasTimes
		if r.clock.Counts() {
			flags |= live.HasCounter
		}
		l.Word(live.AtBase).Store(uint64(r.clock.Start().UnixNano()))
		if err := r.clock.KeepIn(l); err != nil {
			return errors.Join(err, l.Remove())
		}
	}
	l.Word(live.AtFlags).Store(flags)
	l.Word(live.AtBlock).Store(uint64(c.BlockSize))
	l.Word(live.AtFormat).Store(uint64(r.layout.version))
	if err := r.registry.keepIn(l); err != nil {
		return errors.Join(err, l.Remove())
	}
	return nil
}

// liveLimit is how large the live file may become, in bytes: buffers that were taken
// away from goroutines wait there for the garbage collector, beside those in use.
func (c *Config) liveLimit() int64 { return 4*min(c.MaxMemory, 1<<40) + 64<<20 }

// liveFull tells, once, that the live file has no more room.
func (r *Recorder) liveFull() {
	r.problems.warn(errors.New("recorder: some of what is not written yet is lost if the program crashes: the live file has no room"))
	go r.problems.tell() // who is told may wait for what the caller does
}

// endLive removes the live file: all that is worth keeping is in the trace.
func (f *files) endLive() {
	l := f.live
	if l == nil {
		return
	}
	f.live = nil
	l.Word(live.AtState).Store(live.StateOver)
	// One that cannot be removed says that it is over.
	_ = l.Remove()
}

// loseLive goes on without the live file.
func (f *files) loseLive(err error) {
	f.endLive()
	f.r.problems.warn(fmt.Errorf("recorder: what is not written yet is lost if the program crashes: %w", err))
}
