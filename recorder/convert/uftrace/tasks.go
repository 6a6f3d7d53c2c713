package uftrace

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sort"
	"strconv"
	"strings"

	"tracex/format"
	"tracex/recorder/convert/fit"
)

// Limits of what task.txt can list.
const (
	maxSessions  = 1 << 14
	maxTasks     = 1 << 17
	maxLibraries = 1 << 16 // loaded by dlopen, in all sessions
)

// Why something of the input is not in the trace, or was changed.
var (
	tooManySessions  = fit.Why(fmt.Sprintf("program beyond the first %d", maxSessions), fmt.Sprintf("programs beyond the first %d", maxSessions))
	tooManyTasks     = fit.Why(fmt.Sprintf("thread beyond the first %d", maxTasks), fmt.Sprintf("threads beyond the first %d", maxTasks))
	tooManyLibraries = fit.Why(fmt.Sprintf("loaded library beyond the first %d", maxLibraries), fmt.Sprintf("loaded libraries beyond the first %d", maxLibraries))
)

// maxAncestors bounds how many parents of a task are followed: in a damaged file they may be a circle.
const maxAncestors = 100

// task is a thread.
type task struct {
	tid, pid int
	parent   int // tid of the process that forked it; 0 if it is a thread
	programs []program
	forks    []fork // in order of time
}

// program is which session a task runs from a time on. It changes by exec.
type program struct {
	from    uint64
	session *session
}

// fork is the beginning of a process.
type fork struct {
	at    uint64
	child int
}

// tasks is what task.txt says.
type tasks struct {
	byTID     map[int]*task
	sessions  []*session
	byPID     map[int][]*session // in order of time
	byID      map[string]*session
	libraries int
	left      *fit.Tally
}

// readTasks reads task.txt.
func (d *folder) readTasks(left *fit.Tally) (*tasks, error) {
	ts := &tasks{byTID: make(map[int]*task), byPID: make(map[int][]*session), byID: make(map[string]*session), left: left}
	err := d.lines(tasksFile, ts.take)
	switch {
	case errors.Is(err, fs.ErrNotExist) && d.has("task"):
		return nil, d.fault(tasksFile, -1, format.ErrVersion, "a list of tasks, which uftrace writes since version 0.6", "only the file task of older versions", "")
	case errors.Is(err, fs.ErrNotExist):
		return nil, d.fault(tasksFile, -1, format.ErrNotTrace, "a list of tasks", "none", "")
	case err != nil:
		return nil, err
	}
	for _, t := range ts.byTID {
		slices.SortStableFunc(t.forks, func(a, b fork) int { return cmp.Compare(a.at, b.at) })
		slices.SortStableFunc(t.programs, func(a, b program) int { return cmp.Compare(a.from, b.from) })
	}
	for _, s := range ts.sessions {
		slices.SortStableFunc(s.libraries, func(a, b library) int { return cmp.Compare(a.from, b.from) })
	}
	return ts, nil
}

// take takes a line: a word, and fields such as tid=12. The last value of a line may be quoted.
func (ts *tasks) take(line []byte) bool {
	word, rest, _ := bytes.Cut(line, []byte{' '})
	f, ok := parseFields(rest)
	if len(line) == 0 {
		return true
	}
	switch string(word) {
	case "SESS":
		ok = ok && f.id != "" && ts.begin(f)
	case "TASK":
		ok = ok && f.tid > 0 && ts.add(f.tid, f.pid, false, f.time)
	case "FORK":
		ok = ok && f.pid > 0 && ts.add(f.pid, f.parent, true, f.time)
	case "DLOP":
		ok = ok && ts.load(f)
	default:
		ok = false
	}
	if !ok {
		ts.left.Count(badLines, 1, -1)
	}
	return true
}

// fields are those of a line of task.txt.
type fields struct {
	time             uint64
	tid, pid, parent int
	id               string // of a session
	base             uint64
	name             string // of an executable or a library
}

func parseFields(line []byte) (f fields, ok bool) {
	text := string(line)
	// Names come last, in quotes, and may contain spaces.
	for _, key := range []string{`exename="`, `libname="`} {
		if before, name, found := strings.Cut(text, key); found {
			if end := strings.LastIndexByte(name, '"'); end >= 0 {
				name = name[:end]
			}
			text, f.name = before, name
			break
		}
	}
	for word := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(word, "=")
		var err error
		switch key {
		case "timestamp":
			f.time, err = parseTime(value)
		case "tid":
			f.tid, err = parseID(value)
		case "pid":
			f.pid, err = parseID(value)
		case "ppid":
			f.parent, err = parseID(value)
		case "sid":
			f.id = value
		case "base":
			f.base, err = strconv.ParseUint(value, 16, 64)
		}
		if err != nil {
			return f, false
		}
	}
	return f, f.time > 0
}

func parseID(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err
}

// parseTime parses seconds with nine digits of nanoseconds.
func parseTime(s string) (ns uint64, err error) {
	seconds, fraction, _ := strings.Cut(s, ".")
	n, err := strconv.ParseUint(seconds, 10, 34)
	if err != nil {
		return 0, err
	}
	ns, err = strconv.ParseUint(fraction, 10, 30)
	return n*1e9 + ns, err
}

// begin takes the beginning of a session: a process begins to run a program.
func (ts *tasks) begin(f fields) bool {
	if len(ts.sessions) >= maxSessions {
		ts.left.Count(tooManySessions, 1, -1)
		return true
	}
	s := &session{id: f.id, pid: f.pid, from: f.time, program: f.name}
	ts.sessions = append(ts.sessions, s)
	of := ts.byPID[f.pid]
	ts.byPID[f.pid] = slices.Insert(of, after(of, f.time), s)
	if ts.byID[s.id] == nil {
		ts.byID[s.id] = s
	}
	return true
}

// add takes a task, or a further program of one. of is its process or, if forked, that of its parent.
func (ts *tasks) add(tid, of int, forked bool, time uint64) bool {
	t := ts.byTID[tid]
	if t == nil {
		if len(ts.byTID) >= maxTasks {
			ts.left.Count(tooManyTasks, 1, -1)
			return true
		}
		t = &task{tid: tid, pid: of}
		if forked {
			t.pid, t.parent = tid, of
			// A parent that is not known has no records either.
			if p := ts.byTID[of]; p != nil {
				p.forks = append(p.forks, fork{time, tid})
			}
		}
		ts.byTID[tid] = t
	}
	if s := ts.sessionOf(of, time); s != nil && len(t.programs) < maxSessions {
		t.programs = append(t.programs, program{time, s})
	}
	return true
}

// sessionOf returns the session of a process at a time.
func (ts *tasks) sessionOf(pid int, time uint64) *session {
	of := ts.byPID[pid]
	if n := after(of, time); n > 0 {
		return of[n-1]
	}
	return nil
}

// after returns how many of some sessions, in order, began by a time.
func after(of []*session, time uint64) int {
	return sort.Search(len(of), func(i int) bool { return of[i].from > time })
}

// load takes a library that dlopen loaded.
func (ts *tasks) load(f fields) bool {
	s := ts.byID[f.id]
	if s == nil || f.name == "" {
		return false
	}
	if ts.libraries >= maxLibraries {
		ts.left.Count(tooManyLibraries, 1, -1)
		return true
	}
	ts.libraries++
	s.libraries = append(s.libraries, library{from: f.time, base: f.base, path: f.name})
	return true
}

// programAt returns the session of a task at a time, and until when it lasts. A task without one has
// that of its parent or process. If nothing is known, it is the first session of all.
func (ts *tasks) programAt(t *task, time uint64) (s *session, until uint64) {
	until = ^uint64(0)
	for n := 0; t != nil && n < maxAncestors; n++ {
		i := sort.Search(len(t.programs), func(i int) bool { return t.programs[i].from > time })
		if i < len(t.programs) {
			until = min(until, t.programs[i].from)
		}
		if i > 0 {
			return t.programs[i-1].session, until
		}
		// A fork runs the program of its parent, a thread that of its process.
		up := cmp.Or(t.parent, t.pid)
		if up == t.tid {
			break
		}
		t = ts.byTID[up]
	}
	if len(ts.sessions) > 0 {
		return ts.sessions[0], until
	}
	return nil, until
}
