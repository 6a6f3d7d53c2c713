package recorder

import (
	"errors"
	"fmt"

	"tracex/format"
	"tracex/recorder/internal/files"
	"tracex/recorder/internal/live"
)

// The live file is for finishing a recording whose program ended without Stop: see [Finish] and
// package live. It is next to the trace, is mapped into memory, and holds goroutines' buffers,
// what waits to be written, and what is known of threads, names and the clock. An object is in
// it once it is published. A block moves from a chunk to the bytes that wait to be written, and
// from there to the files, by one transaction each.
//
// A recorder that cannot have such a file, or runs out of room in it, continues in its own
// memory.

// LiveSuffix is appended to the data file's name to make that of the live file.
const LiveSuffix = format.LiveSuffix

// startLive creates the live file, if that is possible. Problems are reported.
func (r *Recorder) startLive(f *files.Files) {
	l, err := live.CreateFor(r.config.Path, r.config.liveLimit())
	if err == nil {
		if err = r.describeLive(l); err == nil {
			r.live = l
			f.KeepIn(l)
		}
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		r.problems.warn(fmt.Errorf("recorder: what is not written yet is lost if the program crashes: %w", err))
	}
}

// describeLive writes what is known of the recorder into a live file, or removes the file.
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
	l.Word(live.AtFormat).Store(uint64(r.layout.Version))
	if err := r.registry.KeepIn(l); err != nil {
		return errors.Join(err, l.Remove())
	}
	return nil
}

// liveLimit returns how large the live file may become, in bytes: besides the buffers in use,
// those taken away from goroutines wait there for the garbage collector.
func (c *Config) liveLimit() int64 { return 4*min(c.MaxMemory, 1<<40) + 64<<20 }

// liveFull reports, once, that the live file has no more room.
func (r *Recorder) liveFull() {
	r.problems.warn(errors.New("recorder: some of what is not written yet is lost if the program crashes: the live file has no room"))
	go r.problems.tell() // OnError may wait for what the caller does
}
