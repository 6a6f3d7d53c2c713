package service

import (
	"cmp"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"tracex/recorder/perfetto/messages"
)

// flush is one that is waited for.
type flush struct {
	waiting map[*producer]bool
	behind  int           // producers of which something had come that is not handled
	done    func(ok bool) // called once, with the lock held
}

// Why a flush is made and by whom, as producers get to know it. On the wire, do
// not change.
const (
	flushPeriodic  = 0x11
	flushStop      = 0x12
	flushClone     = 0x13
	flushBugreport = 0x100 // and for what a clone is
)

// flushesMost is how many flushes of a session may be under way.
const flushesMost = 1000

// flush asks the producers to commit what they have, and calls done when they
// have, or the time is up: timeoutMs, or 0 for what the config says. What they had
// committed before is there then, of those too that are not asked. What is not
// committed is scraped.
func (n *session) flush(timeoutMs uint32, flags uint64, done func(ok bool)) {
	asked := n.flushable(nil)
	for _, i := range n.instances {
		// Nobody else can look into memory that is not shared.
		if p := i.producer; p.scraped && p.emulated && asked[p] == nil {
			asked[p] = []uint64{}
		}
	}
	n.flushSources(timeoutMs, flags, asked, done)
}

// flushable returns the instances that are to be asked for a flush: those that
// write into some buffers, nil: all.
func (n *session) flushable(buffers map[uint32]bool) map[*producer][]uint64 {
	asked := make(map[*producer][]uint64)
	for _, i := range n.instances {
		if !i.source.GetNoFlush() && (buffers == nil || buffers[i.config.GetTargetBuffer()]) {
			asked[i.producer] = append(asked[i.producer], i.id)
		}
	}
	return asked
}

func (n *session) flushSources(timeoutMs uint32, flags uint64, asked map[*producer][]uint64, done func(ok bool)) {
	if n.state != sessionStarted || len(n.flushes) >= flushesMost {
		done(false)
		return
	}
	n.requested++
	n.s.lastFlush++
	id := n.s.lastFlush
	f := &flush{waiting: make(map[*producer]bool), done: done}
	n.flushes[id] = f
	for _, p := range n.s.producersInOrder() {
		ids, ok := asked[p]
		if !ok {
			continue
		}
		f.waiting[p] = true
		p.command(&messages.GetAsyncCommandResponse{Cmd: &messages.GetAsyncCommandResponse_Flush_{
			Flush: &messages.GetAsyncCommandResponse_Flush{
				DataSourceIds: ids, RequestId: proto.Uint64(id), Flags: proto.Uint64(flags),
			},
		}})
	}
	f.behind = n.catchUp(func() {
		f.behind--
		n.maybeFlushed(id)
	})
	if n.maybeFlushed(id) {
		return
	}
	timeout := millis(cmp.Or(timeoutMs, n.config.GetFlushTimeoutMs()))
	n.after(cmp.Or(timeout, defaultFlushTimeout), func() {
		if n.flushes[id] == f {
			n.flushed(id, false)
		}
	})
}

// flushedBy notes that a producer has done a flush, and so all before it.
func (n *session) flushedBy(p *producer, last uint64) {
	for _, id := range slices.Sorted(maps.Keys(n.flushes)) {
		f := n.flushes[id]
		if id > last || f == nil || !f.waiting[p] {
			continue
		}
		delete(f.waiting, p)
		n.maybeFlushed(id)
	}
}

// maybeFlushed ends a flush, and reports that, when nobody is waited for.
func (n *session) maybeFlushed(id uint64) bool {
	f := n.flushes[id]
	if f == nil || len(f.waiting) > 0 || f.behind > 0 {
		return false
	}
	n.flushed(id, true)
	return true
}

// catchUp is for what producers sent before a flush, or before the end, and what
// was not handled, as each connection is read in its own time: nobody who waits
// for the one may miss the other. then is called, with the lock held, once for
// each producer of which there is such, when it is handled, as long as the session
// is there. It returns how many these are.
func (n *session) catchUp(then func()) (behind int) {
	for _, p := range n.s.connected {
		if p.writesFor(n) && p.conn.Pending(n.s.locked(func() {
			if n.s.sessions[n.id] == n {
				then()
			}
		})) {
			behind++
		}
	}
	return behind
}

// flushed ends a flush.
func (n *session) flushed(id uint64, ok bool) {
	f := n.flushes[id]
	delete(n.flushes, id)
	for _, p := range n.s.producersInOrder() {
		n.s.scrape(n, p)
	}
	n.packets.snapshotClocks(n)
	if ok {
		n.succeeded++
	} else {
		n.failed++
	}
	f.done(ok)
}

// flushAndDisable ends a session as it should end.
func (n *session) flushAndDisable() {
	n.flush(0, flushStop, func(ok bool) {
		if n.s.sessions[n.id] != n {
			return
		}
		n.finalFlush = outcome(ok)
		if n.consumer == nil {
			// Nobody is there to read it; what went into a file is there.
			n.s.free(n)
			return
		}
		n.stop("")
	})
}

func outcome(ok bool) messages.TraceStats_FinalFlushOutcome {
	if ok {
		return messages.TraceStats_FINAL_FLUSH_SUCCEEDED
	}
	return messages.TraceStats_FINAL_FLUSH_FAILED
}
