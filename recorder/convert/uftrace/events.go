package uftrace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// Why something of the input is not in the trace, or was changed.
var (
	unknownEvents = fit.Why("event of an unknown kind", "events of unknown kinds")
	callSites     = fit.Why("address of a call's place", "addresses of calls' places")
)

// Events of uftrace's own, by their ids. On disk, do not change.
const (
	eventReadStatm  = 100_001
	eventReadFaults = 100_002
	eventDiffStatm  = 100_003
	eventDiffFaults = 100_004
	eventReadCycle  = 100_005
	eventDiffCycle  = 100_006
	eventReadCache  = 100_007
	eventDiffCache  = 100_008
	eventReadBranch = 100_009
	eventDiffBranch = 100_010
	eventWatchCPU   = 100_011
	eventWatchVar   = 100_012
	eventCallSite   = 100_013
	// Those of users begin at 1,000,000.
)

// numbersOf are the names of the numbers, eight bytes each, that an event has.
var numbersOf = map[uint64]struct {
	name  string
	names []string
}{
	eventReadStatm:  {"read:proc/statm", []string{"vmsize (KB)", "vmrss (KB)", "shared (KB)"}},
	eventDiffStatm:  {"diff:proc/statm", []string{"vmsize (KB)", "vmrss (KB)", "shared (KB)"}},
	eventReadFaults: {"read:page-fault", []string{"major", "minor"}},
	eventDiffFaults: {"diff:page-fault", []string{"major", "minor"}},
	eventReadCycle:  {"read:pmu-cycle", []string{"cycles", "instructions"}},
	eventDiffCycle:  {"diff:pmu-cycle", []string{"cycles", "instructions"}},
	eventReadCache:  {"read:pmu-cache", []string{"refers", "misses"}},
	eventDiffCache:  {"diff:pmu-cache", []string{"refers", "misses"}},
	eventReadBranch: {"read:pmu-branch", []string{"branch", "misses"}},
	eventDiffBranch: {"diff:pmu-branch", []string{"branch", "misses"}},
}

// maxEvents bounds the kinds of events that are distinguished.
const maxEvents = 1 << 12

// readEvents reads events.txt. It is there only if users' events were recorded.
func (d *folder) readEvents(to *calltrace.Writer, left *fit.Tally) *eventKinds {
	k := &eventKinds{to: to, names: make(map[uint64]string), known: make(map[uint64]*event)}
	if !d.has(eventsFile) {
		return k
	}
	err := d.lines(eventsFile, func(line []byte) bool {
		rest, ok := bytes.CutPrefix(line, []byte("EVENT: "))
		number, name, cut := bytes.Cut(rest, []byte{' '})
		id, err := strconv.ParseUint(string(number), 10, 32)
		if ok = ok && cut && err == nil && len(name) > 0 && len(k.names) < maxEvents; ok {
			k.names[id] = string(name)
		} else if len(line) > 0 {
			left.Count(badLines, 1, -1)
		}
		return true
	})
	if err != nil {
		left.Count(unreadable, 1, -1)
	}
	return k
}

// of returns the kind of an event, or nil if it has no name.
func (k *eventKinds) of(id uint64) *event {
	if e := k.known[id]; e != nil {
		return e
	}
	e := &event{}
	if builtin, ok := numbersOf[id]; ok {
		e.method, e.count = k.to.Method("", builtin.name), len(builtin.names)
		e.place = k.to.Place("", "", 0, builtin.names)
	} else if name := k.names[id]; name != "" {
		e.method = k.to.Method("", name)
	} else {
		return nil
	}
	k.known[id] = e
	return e
}

// event reads the data of an event and adds the event to the thread. It reports whether the file had
// all of it.
func (r *reader) event(rec *record) (ok bool, err error) {
	var data []byte
	size := 0
	if rec.more {
		if !r.cursor.need(lengthSize) {
			return false, nil
		}
		size = lengthSize + int(binary.LittleEndian.Uint16(r.cursor.rest()))
		size += align(size, dataAlign)
		if !r.cursor.need(size) {
			return false, nil
		}
		data = r.cursor.rest()[lengthSize : lengthSize+int(binary.LittleEndian.Uint16(r.cursor.rest()))]
	}
	err = r.addEvent(rec, data)
	r.cursor.skip(size)
	return true, err
}

func (r *reader) addEvent(rec *record, data []byte) error {
	switch rec.address {
	case eventWatchCPU:
		if len(data) == 4 {
			return r.set("cpu", calltrace.Int(int64(int32(binary.LittleEndian.Uint32(data)))))
		}
	case eventWatchVar:
		if word := r.resolver.machine.wordSize; len(data) > word && len(data) <= word+8 {
			return r.watched(data[:word], data[word:])
		}
	case eventCallSite:
		r.left.Count(callSites, 1, -1)
		return nil
	default:
		if e := r.events.of(rec.address); e != nil && len(data) >= 8*e.count {
			return r.instant(rec, e, data)
		}
	}
	r.left.Count(unknownEvents, 1, -1)
	return nil
}

// watched adds the value of a variable that changed: its address, then its bytes.
func (r *reader) watched(address, value []byte) error {
	var a, u [8]byte
	copy(a[:], address)
	copy(u[:], value)
	at := binary.LittleEndian.Uint64(a[:])
	name := r.symbol(at)
	if name == "" {
		name = fmt.Sprintf("[%#x]", at)
	}
	number := binary.LittleEndian.Uint64(u[:])
	if kindsBySize[len(value)] != 0 {
		return r.set(name, signed(number, len(value)))
	}
	return r.set(name, prefixed("0x", number, 16))
}

func (r *reader) set(name string, v format.Value) error { return r.thread.Set(name, &v) }

// instant adds an event as a call that takes no time.
func (r *reader) instant(rec *record, e *event, data []byte) error {
	r.call.Method, r.call.Place, r.call.Args = e.method, e.place, r.numbers[:0]
	for i := range e.count {
		r.call.Args = append(r.call.Args, calltrace.Int(int64(binary.LittleEndian.Uint64(data[8*i:]))))
	}
	r.numbers = r.call.Args
	ns := r.at(rec.time)
	if err := r.thread.Begin(ns, &r.call); err != nil {
		return err
	}
	return r.thread.End(ns, &calltrace.End{})
}
