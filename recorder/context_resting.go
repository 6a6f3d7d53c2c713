package recorder

import (
	"container/list"
	"strconv"
	"sync"
	"sync/atomic"

	"tracex/recorder/internal/buffers"
)

// Threads from contexts. When the outermost call in one has ended it rests: its goroutine may
// continue in it. Whether it will is unknown, so some are evicted meanwhile.
//
//	       rests: owner            evict: any goroutine
//	busy ───────────────► resting ──────────────────────► evicted
//	  ▲                      │
//	  └──────────────────────┘
//	       resumes: owner
//
// A resting thread is lagging, so its owner takes the slow path before it records anything. The
// goroutine that evicts it takes over the owner's role.

// States of an origin.
const (
	busy int32 = iota
	resting
	evicted
)

// origin says where a thread from a context came from. When the thread has ended, calls on it
// go to the goroutine's current thread. A thread returned before the goroutine has one has
// ended from the beginning: all goroutines share it, and nothing in it changes.
type origin struct {
	goroutine uint64 // that owns the thread
	state     atomic.Int32
	recent    atomic.Bool   // it has rested since idlest last looked at it
	element   *list.Element // of kept, guarded by its lock

	// The fields from here on are the owner's.
	came *carried // the context it came from
	next *carried // the context it continues with; nil for the same
}

// kept are the threads from contexts that have not ended.
type kept struct {
	resting atomic.Int64
	most    int64 // that rest

	mu   sync.Mutex
	list list.List // of *Thread
}

// Resting threads may take an eighth of the memory that can be reserved, and there may be at
// most mostResting.
const (
	shareOfResting = 8
	mostResting    = 1000
)

func (k *kept) begin(p *buffers.Pool) {
	k.most = min(max(p.Reservable()/shareOfResting/threadSize, 1), mostResting)
}

func (k *kept) add(t *Thread) {
	k.mu.Lock()
	t.from.element = k.list.PushBack(t)
	k.mu.Unlock()
}

func (k *kept) remove(t *Thread) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e := t.from.element; e != nil {
		t.from.element = nil
		k.list.Remove(e)
	}
}

// forget forgets all threads: they have ended.
func (k *kept) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for e := k.list.Front(); e != nil; e = e.Next() {
		e.Value.(*Thread).from.element = nil
	}
	k.list.Init()
}

// idlest evicts a resting thread and returns it, or nil if there is none. It takes the first in
// the list that has not rested since idlest last looked at it.
func (k *kept) idlest() *Thread {
	k.mu.Lock()
	defer k.mu.Unlock()
	for n := 2 * k.list.Len(); n > 0 && k.resting.Load() > 0; n-- {
		e := k.list.Front()
		t := e.Value.(*Thread)
		if f := t.from; !f.recent.Swap(false) && f.state.CompareAndSwap(resting, evicted) {
			k.resting.Add(-1)
			f.element = nil
			k.list.Remove(e)
			return t
		}
		k.list.MoveToBack(e)
	}
	return nil
}

// evict ends one of the resting threads, and reports whether there was one.
func (r *Recorder) evict() bool {
	if r.kept.resting.Load() == 0 {
		return false
	}
	t := r.kept.idlest()
	if t == nil {
		return false
	}
	r.goroutines.CompareAndDelete(t.from.goroutine, t)
	r.ends(&t.buffer)
	return true
}

// handsOn reports whether calls on the thread go to another one, or to itself after it has
// resumed.
func (t *Thread) handsOn() bool { return t.from != nil && (t.ended || t.resting) }

// hands returns the thread to which calls on t go; nil if none. If begin is set, it begins one
// if there is none, and resumes one that rests.
func (t *Thread) hands(begin bool) *Thread {
	if !t.handsOn() {
		return nil
	}
	r, f, g := t.r, t.from, goroutine()
	if t.resting && f.goroutine == g && begin && t.resumes() {
		return t
	}
	own := f.came.own(g)
	switch {
	case own == t:
		own = nil
	case own != nil && begin && own.handsOn():
		return own.hands(true)
	}
	if own != nil || !begin || !r.on() {
		return own
	}
	return r.given(f.came, g)
}

// given begins a thread for a goroutine that got a context of another.
func (r *Recorder) given(by *carried, g uint64) *Thread {
	t := r.Thread(by.thread.file.Name + ", goroutine " + strconv.FormatUint(g, 10))
	if t == nil {
		return nil
	}
	t.from = &origin{came: by, goroutine: g}
	r.goroutines.Store(g, t)
	r.kept.add(t)
	t.says(by)
	return t
}

// says records where the thread came from.
func (t *Thread) says(by *carried) {
	text := by.thread.file.Name
	if by.event >= 0 {
		text += ", event " + strconv.Itoa(int(by.event))
	}
	t.WriteVariable(t.r.Variable(OriginVariable, Type{}), 0, number(text))
}

// returned lets a thread from a context rest, if nothing is open in it.
func (t *Thread) returned() {
	f := t.from
	if f == nil || t.open.depth > 0 || t.lost.on || t.handsOn() {
		return
	}
	r := t.r
	if t.nonsense.Load() || !r.on() {
		t.End()
		return
	}
	t.over.Store(t.now())
	t.resting, t.lagging = true, true
	f.recent.Store(true)
	rest := r.kept.resting.Add(1)
	f.state.Store(resting) // from here on it may be evicted
	if rest > r.kept.most {
		r.evict()
	}
}

// resumes makes a resting thread its owner's again. If it was evicted meanwhile, it has ended,
// and hands on.
func (t *Thread) resumes() bool {
	f := t.from
	t.resting = false
	if !f.state.CompareAndSwap(resting, busy) {
		t.ended = true
		t.r.goroutines.CompareAndDelete(f.goroutine, t)
		return false
	}
	t.r.kept.resting.Add(-1)
	t.over.Store(0)
	t.lags()
	if by := f.next; by != nil {
		f.next = nil
		if by.thread != f.came.thread || by.event != f.came.event {
			t.says(by)
		}
		f.came = by
	}
	return true
}

// has notes that a thread is the calling goroutine's, and returns a function that forgets it.
func (r *Recorder) has(t *Thread) (forget func()) {
	if t == nil {
		return func() {}
	}
	g := goroutine()
	before, had := r.goroutines.Swap(g, t)
	return func() {
		if !had {
			r.goroutines.Delete(g)
			return
		}
		r.goroutines.Store(g, before)
		if own := before.(*Thread); own.from != nil && own.from.state.Load() == evicted {
			r.goroutines.CompareAndDelete(g, own)
		}
	}
}
