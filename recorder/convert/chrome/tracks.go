package chrome

import (
	"cmp"
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
	asyncs    map[asyncKey]*calltrace.Track
	instants  *calltrace.Track // that are of no process
	made      int              // tracks, processes and threads
	bytes     int              // of their names
	pid, tid  string           // of the last thread
	last      *thread
}

// process is a process, by the number that the input gives it.
type process struct {
	number, name, labels string
	track                *calltrace.Track // of itself; nil if it has none
	threads              map[string]*thread
	order                []*thread
	asyncs               []asyncTrack
}

type thread struct {
	number, name string
	track        *calltrace.Track // nil until it has an event
}

// asyncKey identifies an asynchronous operation. name is set only for the older kind.
type asyncKey struct {
	pid, scope, id, name string
	global               bool
}

type asyncTrack struct {
	key   asyncKey
	track *calltrace.Track
}

const (
	// maxTracks bounds the tracks, processes and threads of an input, maxBytes their names.
	maxTracks = 1 << 17
	maxBytes  = 32 << 20
)

// between separates the names of a process and its threads.
const between = " › "

func newTracks(to *calltrace.Writer, prefix string) tracks {
	return tracks{to: to, prefix: prefix, processes: map[string]*process{}, asyncs: map[asyncKey]*calltrace.Track{}}
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

// async returns the track of an asynchronous operation; nil if there are too many. An id is of its
// process, unless it is global.
func (ts *tracks) async(key asyncKey) *calltrace.Track {
	pid := key.pid
	key = asyncKey{fit.Name(key.pid), fit.Name(key.scope), fit.Name(key.id), fit.Name(key.name), key.global}
	if key.global {
		key.pid = ""
	}
	k := ts.asyncs[key]
	if k != nil {
		return k
	}
	p := ts.of(pid)
	if p == nil || !ts.room(len(key.pid)+len(key.scope)+len(key.id)+len(key.name)) {
		return nil
	}
	key = asyncKey{strings.Clone(key.pid), strings.Clone(key.scope), strings.Clone(key.id), strings.Clone(key.name), key.global}
	k = ts.to.Track("")
	ts.asyncs[key] = k
	p.asyncs = append(p.asyncs, asyncTrack{key, k})
	return k
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
		for _, a := range p.asyncs {
			a.track.SetName(before + strings.Join(nonempty(cmp.Or(a.key.scope, "async"), a.key.name, a.key.id), " "))
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
