package files

import (
	"encoding/binary"
	"fmt"

	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
)

// liveBuffers is where the buffers of a file are in the live file.
type liveBuffers struct {
	file    *live.File // nil if nowhere
	regions []*live.Region
}

// newBuffer returns an empty buffer with room for size bytes.
func (f *fileWriter) newBuffer(size int) []byte {
	if l := f.live.file; l != nil {
		if p, err := l.Alloc(int64(size)); err == nil {
			f.live.regions = append(f.live.regions, p)
			return p.Mem[:0:size]
		}
	}
	return make([]byte, 0, size)
}

// region returns where a buffer is in the live file; nil if it is not in it.
func (b *liveBuffers) region(buf []byte) *live.Region {
	if cap(buf) == 0 {
		return nil
	}
	for _, p := range b.regions {
		if &p.Mem[0] == &buf[:1][0] {
			return p
		}
	}
	return nil
}

// grown moves a buffer that has outgrown its region into a larger one.
func (f *fileWriter) grown(buf []byte) ([]byte, error) {
	if len(buf) == 0 || f.live.region(buf) != nil {
		return buf, nil
	}
	next := f.newBuffer(max(2*len(buf), f.room))
	if f.live.region(next) == nil {
		return buf, live.ErrFull
	}
	return append(next, buf...), nil
}

// commit puts the positions and lengths of the file's buffers into a transaction.
func (f *fileWriter) commit(tx *live.Tx, i int) (err error) {
	if f.buf, err = f.grown(f.buf); err != nil {
		return err
	}
	if f.writing, err = f.grown(f.writing); err != nil {
		return err
	}
	var b [live.AtWritePos + 8]byte
	put := func(at int, v uint64) { binary.NativeEndian.PutUint64(b[at:], v) }
	if p := f.live.region(f.buf); p != nil {
		put(live.AtFill, uint64(p.Off))
	}
	put(live.AtFillLen, uint64(len(f.buf)))
	put(live.AtFillPos, uint64(f.end))
	if p := f.live.region(f.writing); p != nil {
		put(live.AtWrite, uint64(p.Off))
	}
	put(live.AtWriteLen, uint64(len(f.writing)))
	put(live.AtWritePos, uint64(f.end-int64(len(f.writing))))
	tx.Bytes(live.AtFiles+int64(i)*live.FileSize, b[:])
	return nil
}

// free frees the regions of buffers that are no longer in use.
func (f *fileWriter) free() {
	b := &f.live
	kept := b.regions[:0]
	for _, p := range b.regions {
		used := false
		for _, buf := range [][]byte{f.buf, f.spare, f.writing} {
			used = used || cap(buf) > 0 && &p.Mem[0] == &buf[:1][0]
		}
		if used {
			kept = append(kept, p)
		} else {
			b.file.Free(p)
		}
	}
	clear(b.regions[len(kept):])
	b.regions = kept
}

// commit makes what was added to the files' buffers, and everything that changed with it, part
// of what Finish finds if the program ends now. t is the thread whose part a draft added, or
// nil. mu is held.
func (f *Files) commit(s *Stream, p buffers.Part, d *draft) { f.commitAs(s, p, d, live.StateRecording) }

func (f *Files) commitAs(s *Stream, p buffers.Part, d *draft, state uint64) {
	l := f.live
	if l == nil || f.Dump {
		return
	}
	tx := l.Tx()
	old, err := f.transact(l, tx, s, p, d)
	if state == live.StateEnding {
		tx.Put(live.AtState, state)
	}
	if err == nil && !tx.Commit() {
		err = fmt.Errorf("%w: for a transaction", live.ErrFull)
	}
	if err != nil {
		f.loseLive(err)
		return
	}
	for _, o := range f.all() {
		o.free()
	}
	l.Free(old)
	f.Registry.Trim()
}

func (f *Files) transact(l *live.File, tx *live.Tx, s *Stream, p buffers.Part, d *draft) (old *live.Region, err error) {
	for i, o := range f.all() {
		if o.to == nil {
			continue
		}
		if err = o.commit(tx, i); err != nil {
			return nil, err
		}
	}
	if s != nil {
		f.latest = max(f.latest, s.latest)
		tx.Put(live.AtLatest, uint64(f.latest))
		if old, err = s.commit(l, tx, p, d.low); err != nil {
			return nil, err
		}
	}
	f.Registry.Commit(tx)
	return old, nil
}

// KeepIn keeps what is not written yet in a live file, from now on.
func (f *Files) KeepIn(l *live.File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.live = l
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
}

// endLive removes the live file: everything worth keeping is in the trace.
func (f *Files) endLive() {
	l := f.live
	if l == nil {
		return
	}
	f.live = nil
	l.Word(live.AtState).Store(live.StateOver)
	// If it cannot be removed, its state is StateOver.
	_ = l.Remove()
}

// loseLive continues without the live file.
func (f *Files) loseLive(err error) {
	f.endLive()
	f.Host.Warn(fmt.Errorf("what is not written yet is lost if the program crashes: %w", err))
}
