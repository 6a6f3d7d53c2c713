package recorder

import (
	"encoding/binary"
	"fmt"

	"tracex/format"
	"tracex/recorder/internal/buffers"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/remains"
)

// thread restores a thread from its remains.
func (z *finisher) thread(left *remains.Thread) (*Thread, error) {
	word := func(off int64) uint64 { return z.rest.Uint(left.At + off) }
	t := &Thread{id: left.ID, name: left.Name, clocked: byTime}
	t.r, t.terms.Layout = z.r, z.r.layout
	t.over.Store(left.Over)
	t.file.putChunk, t.file.chunks = left.PutChunk, left.Begun
	blocks, depth := buffers.Unpack(word(live.ThreadDepth))
	s := &t.file
	s.logical, s.latest, s.reading, s.blocks = int64(word(live.ThreadLogical)), int64(word(live.ThreadLatest)), word(live.ThreadReading), blocks
	stack, err := z.rest.Bytes(int64(word(live.ThreadStack)), int64(depth)*live.StackEntry)
	if err != nil {
		return nil, err
	}
	for ; len(stack) > 0; stack = stack[live.StackEntry:] {
		c := container{
			start:      int64(binary.NativeEndian.Uint64(stack)),
			ns:         int64(binary.NativeEndian.Uint64(stack[8:])),
			class:      format.Class(binary.NativeEndian.Uint64(stack[16:])),
			iterations: int32(binary.NativeEndian.Uint32(stack[24:])),
			event:      int32(binary.NativeEndian.Uint32(stack[28:])),
		}
		if !c.class.Container() || c.start < 0 || c.start > s.logical {
			return nil, fmt.Errorf("%w: thread %d has open what is no call, loop or iteration", live.ErrDamaged, t.id)
		}
		s.open = append(s.open, c)
	}
	t.dropped.Store(int64(word(live.ThreadDropped)))
	t.noteID = int32(word(live.ThreadNote))
	return t, nil
}

// chain gives a thread what it had published and what is in no block yet, as far as it makes
// sense. It reports whether something is missing.
func (z *finisher) chain(t *Thread, left *remains.Thread) (short bool) {
	open := t.classes()
	short = left.Chain(func(p buffers.Part) (good buffers.Part) {
		good, open = p.Sound(t.r.layout.Version, t.id, open)
		return good
	})
	t.full = left.List
	return short
}

// classes returns the classes of the thread's open containers.
func (t *Thread) classes() []format.Class {
	open := make([]format.Class, len(t.file.open))
	for i := range open {
		open[i] = t.file.open[i].class
	}
	return open
}
