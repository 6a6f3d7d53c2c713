package instrumented

import "tracex/recorder/convert/calltrace"

// blocks writes the blocks of threads. One with a go statement waits until it is known which goroutine
// that made, but not too long.
type blocks struct {
	calltrace.Blocks // To is nil until the first program is known
	dict             dictionary
	tick             int // number of the step
}

const (
	patience      = 3 // steps that a go statement's block waits for its goroutine
	waitingBlocks = 8 // the same as a size, in blocks
)

// wrote counts what was added to a thread's block, and writes the block if it is large.
func (b *blocks) wrote(t *thread) {
	if !t.Dirty() {
		t.tick = b.tick
	}
	_ = b.Wrote(&t.Block) // To has the failure
}

// Ready makes a thread the [calltrace.Owner] of its block.
func (t *thread) Ready(last bool) bool {
	b := &t.p.to.blocks
	switch size := t.Size(); {
	case last:
	case len(t.leaves) > 0 && size < t.retry:
		return false
	case !t.match(false) && size < waitingBlocks*b.Size:
		t.retry = 2 * size
		return false
	default:
		return true
	}
	if len(t.leaves) > 0 {
		t.match(true)
		t.p.settle(t)
	}
	t.Name, t.retry, t.tick = t.p.prefixed(t.name()), 0, b.tick
	b.dict.Write(&t.Block.Block)
	if t.Ended {
		t.p.sites.forget(t.sites)
	}
	return true
}

// ending writes the rest of an ended thread, unless it waits for a goroutine.
func (b *blocks) ending(t *thread) {
	switch {
	case !t.Dirty():
		t.p.sites.forget(t.sites)
	case t.match(false):
		_ = b.End(&t.Block)
	}
}

// sweep writes the blocks that are older than this step.
func (b *blocks) sweep() {
	_ = b.Sweep(func(k *calltrace.Block) bool {
		t := k.Owner.(*thread)
		age := b.tick - t.tick
		return age >= patience || age >= 1 && t.match(false)
	})
}

// flushOf writes the blocks of a process that is gone.
func (b *blocks) flushOf(p *process) {
	_ = b.Sweep(func(k *calltrace.Block) bool { return k.Owner.(*thread).p == p })
}
