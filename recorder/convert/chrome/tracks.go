package chrome

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// tracks are the processes of an input with their threads. Their names may come after their events:
// so tracks are named at the end.
type tracks struct {
	to        *calltrace.Writer
	prefix    string
	processes map[string]*process // by number
	order     []*process
	asyncs    map[asyncKey]*operation
	shared    map[asyncKey][]*operation // those begun and not ended, by their keys without a process
	ended     []*operation              // some of asyncs, in the order of their ends
	instants  *calltrace.Track          // that are of no process
	made      int                       // tracks, processes and threads
	bytes     int                       // of their names
	pid, tid  string                    // of the last thread
	last      *thread
}

// process is a process, by the number that the input gives it.
type process struct {
	number, name, labels string
	track                *calltrace.Track // of itself; nil if it has none
	threads              map[string]*thread
	order                []*thread
	asyncs               *calltrace.Group // its asynchronous operations; nil if it has none
}

type thread struct {
	number, name string
	track        *calltrace.Track // nil until it has an event
}

// asyncKey identifies an asynchronous operation. name is set only for the older kind. Of an id that is neither
// global nor local it is not known whether other processes mean the same by it.
type asyncKey struct {
	pid, scope, id, name string
	global, local        bool
}

// fit returns a key whose parts are as long as names may be.
func (k asyncKey) fit() asyncKey {
	return asyncKey{fit.Name(k.pid), fit.Name(k.scope), fit.Name(k.id), fit.Name(k.name), k.global, k.local}
}

// operation is an asynchronous operation.
type operation struct {
	key    asyncKey
	track  *calltrace.Track
	open   int  // begins without an end so far
	queued bool // it is in tracks.ended
}

func (o *operation) bytes() int {
	return len(o.key.pid) + len(o.key.scope) + len(o.key.id) + len(o.key.name)
}

const (
	// maxTracks bounds the tracks, processes and threads of an input that are known at once, maxBytes their names.
	maxTracks = 1 << 17
	maxBytes  = 32 << 20
	// keptOperations is how many operations are known that have ended: their ids may be used again.
	keptOperations = 1 << 16
)

// between separates the names of a process and its threads.
const between = " › "

func newTracks(to *calltrace.Writer, prefix string) tracks {
	return tracks{to: to, prefix: prefix, processes: map[string]*process{}, asyncs: map[asyncKey]*operation{}, shared: map[asyncKey][]*operation{}}
}

// room reports whether there may be another track, process or thread, with so many bytes of names, and
// counts it.
func (ts *tracks) room(bytes int) bool {
	if ts.made >= maxTracks || ts.bytes+bytes > maxBytes {
		return false
	}
	ts.made++
	ts.bytes += bytes
	return true
}

// named returns a name to be kept, "" if there is no room.
func (ts *tracks) named(name string) string {
	name = fit.Name(strings.TrimSpace(name))
	if ts.bytes += len(name); ts.bytes > maxBytes {
		return ""
	}
	return strings.Clone(name)
}

// of returns a process; nil if there are too many.
func (ts *tracks) of(pid string) *process {
	pid = fit.Name(pid)
	p := ts.processes[pid]
	if p == nil && ts.room(len(pid)) {
		pid = strings.Clone(pid)
		p = &process{number: pid, threads: map[string]*thread{}}
		ts.processes[pid] = p
		ts.order = append(ts.order, p)
	}
	return p
}

// find returns a thread; nil if there are too many.
func (ts *tracks) find(pid, tid string) *thread {
	if ts.last != nil && ts.pid == pid && ts.tid == tid {
		return ts.last
	}
	p := ts.of(pid)
	if p == nil {
		return nil
	}
	tid = fit.Name(tid)
	t := p.threads[tid]
	if t == nil {
		if !ts.room(len(tid)) {
			return nil
		}
		tid = strings.Clone(tid)
		t = &thread{number: tid}
		p.threads[tid] = t
		p.order = append(p.order, t)
	}
	ts.pid, ts.tid, ts.last = p.number, t.number, t
	return t
}

// thread returns the track of a thread; nil if there are too many.
func (ts *tracks) thread(pid, tid string) *calltrace.Track {
	t := ts.find(pid, tid)
	if t == nil {
		return nil
	}
	if t.track == nil {
		t.track = ts.to.Track("")
	}
	return t.track
}

// process returns the track of a process itself; nil if there are too many.
func (ts *tracks) process(pid string) *calltrace.Track {
	p := ts.of(pid)
	if p == nil {
		return nil
	}
	if p.track == nil {
		p.track = ts.to.Track("")
	}
	return p.track
}

func (ts *tracks) global() *calltrace.Track {
	if ts.instants == nil {
		ts.instants = ts.to.Track(ts.prefix + "global")
	}
	return ts.instants
}

// elsewhere returns the operation of a key that is open, but not by this key: of a global id, if it is open for one of all
// processes; or the last that another process began, unless the event begins one of its own. nil if there is none.
func (ts *tracks) elsewhere(key asyncKey, begins bool) *operation {
	if key.local {
		return nil
	}
	key = key.fit()
	global := key
	global.pid, global.global = "", true
	if key.global {
		key = global
	}
	if own := ts.asyncs[key]; own != nil && own.open > 0 {
		return nil
	}
	if o := ts.asyncs[global]; o != nil && o.open > 0 {
		return o
	}
	if begins && !key.global {
		return nil
	}
	key.pid, key.global = "", false
	if open := ts.shared[key]; len(open) > 0 {
		return open[len(open)-1]
	}
	return nil
}

// share makes an operation that began known to other processes.
func (ts *tracks) share(o *operation) {
	key := o.key
	key.pid = ""
	ts.shared[key] = append(ts.shared[key], o)
}

// unshare is the opposite of share, if it was shared.
func (ts *tracks) unshare(o *operation) {
	key := o.key
	key.pid = ""
	open := ts.shared[key]
	if i := slices.Index(open, o); i >= 0 {
		open = slices.Delete(open, i, i+1)
		ts.shared[key] = open
	}
	if len(open) == 0 {
		delete(ts.shared, key)
	}
}

// async returns an asynchronous operation of a process; nil if there are too many. All processes have those
// of a global id.
func (ts *tracks) async(key asyncKey) *operation {
	pid := key.pid
	key = key.fit()
	if key.global {
		key.pid = ""
	}
	o := ts.asyncs[key]
	if o != nil {
		return o
	}
	p := ts.of(pid)
	if p == nil || !ts.room((&operation{key: key}).bytes()) {
		return nil
	}
	if p.asyncs == nil {
		p.asyncs = ts.to.Group()
	}
	key = asyncKey{strings.Clone(key.pid), strings.Clone(key.scope), strings.Clone(key.id), strings.Clone(key.name), key.global, key.local}
	o = &operation{key: key, track: p.asyncs.Track(strings.Join(nonempty(cmp.Or(key.scope, "async"), key.name, key.id), " "))}
	ts.asyncs[key] = o
	return o
}

// rest notes that an operation may have ended, and forgets the one that ended first if there are many.
func (ts *tracks) rest(o *operation) error {
	if o.open != 0 || o.queued {
		return nil
	}
	o.queued = true
	ts.ended = append(ts.ended, o)
	if len(ts.ended) <= keptOperations {
		return nil
	}
	first := ts.ended[0]
	ts.ended[0] = nil
	ts.ended = ts.ended[1:]
	if first.queued = false; first.open != 0 {
		return nil // it was used again
	}
	delete(ts.asyncs, first.key)
	ts.made--
	ts.bytes -= first.bytes()
	return first.track.Close()
}

// name names all tracks.
func (ts *tracks) name() {
	counts := map[string]int{}
	for _, p := range ts.order {
		counts[p.title()]++
	}
	for _, p := range ts.order {
		title := numbered(p.title(), "process", p.number, counts)
		before := ts.prefix
		if len(ts.order) > 1 {
			before += title + between
		}
		if p.track != nil {
			p.track.SetName(ts.prefix + title)
		}
		p.nameThreads(before)
		if p.asyncs != nil {
			p.asyncs.SetName(before)
		}
	}
}

func (p *process) nameThreads(before string) {
	counts := map[string]int{}
	for _, t := range p.order {
		counts[t.name]++
	}
	for _, t := range p.order {
		if t.track != nil {
			t.track.SetName(before + numbered(t.name, "thread", t.number, counts))
		}
	}
}

// title returns the name of a process with its labels, such as "python CPU".
func (p *process) title() string { return strings.Join(nonempty(p.name, p.labels), " ") }

func nonempty(parts ...string) (list []string) {
	for _, part := range parts {
		if part != "" {
			list = append(list, part)
		}
	}
	return list
}

// numbered returns a name, with its number if it has no name, or others have the same.
func numbered(name, otherwise, number string, counts map[string]int) string {
	_, err := strconv.Atoi(number)
	switch {
	case name == "" && err != nil:
		return cmp.Or(number, otherwise) // the input has a name as the number
	case name == "":
		name = otherwise
	case counts[name] == 1:
		return name
	}
	return strings.Join(nonempty(name, number), " ")
}
