package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"tracex/lazy"
)

// toldLine is a line of JSON of a command.
type toldLine struct {
	Kind, Name, Class, Method, What string
	Event, Parent                   *int64
	Start, Duration, Self, Total    *int64
	Result, Exception               json.RawMessage
	Calls                           int64
	Phase                           string `json:"ph"`
	TS, Dur                         json.Number
	TID                             int64
}

// outcome returns how a call ended.
func (l *toldLine) outcome() string {
	if l.Kind == "call" && l.Exception != nil {
		return string(l.Exception)
	}
	return string(l.Result)
}

func (x *telling) lines(text []byte) (list []toldLine) {
	x.Helper()
	for line := range bytes.Lines(text) {
		var l toldLine
		if err := json.Unmarshal(line, &l); err != nil {
			x.Fatalf("%v: %s", err, line)
		}
		list = append(list, l)
	}
	return list
}

// tracex runs a command in this process, which must succeed.
func (x *telling) tracex(args ...string) (stdout []byte) {
	x.Helper()
	var files [2]*os.File
	for i := range files {
		f, err := os.CreateTemp(x.TempDir(), "")
		if err != nil {
			x.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	root := newRoot(&app{stdin: os.Stdin, stdout: files[0], stderr: files[1]}, allCommands)
	root.SetArgs(args)
	err := root.ExecuteContext(x.Context())
	if err != nil {
		x.Fatalf("tracex %s: %v\n%s", strings.Join(args, " "), err, readFile(x.T, files[1].Name()))
	}
	return readFile(x.T, files[0].Name())
}

// told is what lines tell. A line without a kind of an event is of one of the kind that it has.
func (x *telling) told(into map[int64]toldEvent, lines []toldLine) map[int64]toldEvent {
	number := func(n *int64, without int64) int64 {
		if n == nil {
			return without
		}
		return *n
	}
	for _, l := range lines {
		if l.Event == nil {
			continue
		}
		if l.Kind == "event" || l.Kind == "moment" || l.Kind == "line" {
			l.Kind = x.events[*l.Event].kind
		}
		into[*l.Event] = toldEvent{l.Kind, number(l.Parent, untold), number(l.Start, untold), number(l.Duration, untold), number(l.Self, untold), l.outcome()}
	}
	return into
}

// full is told of lines that have everything but the self time: what they lack is none.
func (x *telling) full(into map[int64]toldEvent, lines []toldLine) map[int64]toldEvent {
	for event, e := range x.told(map[int64]toldEvent{}, lines) {
		for _, n := range []*int64{&e.parent, &e.start, &e.duration} {
			if *n == untold {
				*n = none
			}
		}
		into[event] = e
	}
	return into
}

// folded is told of lines about a folded trace, which has other parents, and other results in the answers.
func (x *telling) unlike(lines []toldLine) map[int64]toldEvent {
	list := x.told(map[int64]toldEvent{}, lines)
	for event, e := range list {
		e.result = ""
		list[event] = e
	}
	return list
}

// some yields some of the events that have a time, in any order: the first of each thread among them.
func (x *telling) some() iter.Seq2[int64, toldEvent] {
	return func(yield func(int64, toldEvent) bool) {
		n := map[int32]int{}
		for _, event := range slices.Sorted(maps.Keys(x.events)) {
			e := x.events[event]
			if of := x.thread[event]; e.duration >= 0 {
				if n[of]++; n[of] < 4 && !yield(event, e) {
					return
				}
			}
		}
	}
}

// waysToTell are the ways to read a trace. Each opens it anew: what one has found out helps no other.
var waysToTell = []struct {
	name  string
	all   bool // it tells of all events
	tells func(x *telling) map[int64]toldEvent
}{
	{"tree", true, func(x *telling) map[int64]toldEvent { return x.tree(false) }},
	{"tree, folded", true, func(x *telling) map[int64]toldEvent { return x.tree(true) }},
	{"print", true, func(x *telling) map[int64]toldEvent {
		return x.full(map[int64]toldEvent{}, x.lines(x.tracex("print", "--json", "--raw", x.path)))
	}},
	{"print, folded", true, func(x *telling) map[int64]toldEvent {
		return x.full(map[int64]toldEvent{}, x.lines(x.tracex("print", "--json", x.path)))
	}},
	{"print --event", false, func(x *telling) map[int64]toldEvent {
		list := map[int64]toldEvent{}
		for event := range x.some() {
			x.full(list, x.lines(x.tracex("print", "--json", "--raw", "--event", strconv.FormatInt(event, 10), x.path)))
		}
		return list
	}},
	{"export jsonl", true, func(x *telling) map[int64]toldEvent {
		return x.full(map[int64]toldEvent{}, x.lines(x.tracex("export", "jsonl", "--raw", "-o", "-", x.path)))
	}},
	{"find", true, func(x *telling) map[int64]toldEvent {
		return x.told(map[int64]toldEvent{}, x.lines(x.tracex("find", "--json", "--raw", "-n", "0", x.path, "event>=0")))
	}},
	{"find by times", false, func(x *telling) map[int64]toldEvent {
		list := map[int64]toldEvent{}
		for event, e := range x.some() {
			filter := fmt.Sprintf("#%d dur=%dns self=%dns at=%dns", event, e.duration, e.self, e.start)
			x.told(list, x.lines(x.tracex("find", "--json", "--raw", x.path, filter)))
			if _, ok := list[event]; !ok {
				x.Errorf("find %q finds nothing", filter)
			}
		}
		return list
	}},
	{"calls", false, func(x *telling) map[int64]toldEvent {
		return x.unlike(x.lines(x.tracex("calls", "--json", "--raw", "-n", "0", x.path, "kind=call")))
	}},
	{"calls, folded", false, func(x *telling) map[int64]toldEvent {
		return x.unlike(x.lines(x.tracex("calls", "--json", "-n", "0", x.path, "kind=call")))
	}},
	{"find, folded", true, func(x *telling) map[int64]toldEvent {
		return x.told(map[int64]toldEvent{}, x.lines(x.tracex("find", "--json", "-n", "0", x.path, "event>=0")))
	}},
	{"log", false, func(x *telling) map[int64]toldEvent {
		return x.told(map[int64]toldEvent{}, x.lines(x.tracex("log", "--json", "--raw", "-n", "0", x.path, "dur>=0ns")))
	}},
	{"around", false, func(x *telling) map[int64]toldEvent {
		lines := x.lines(x.tracex("around", "--json", "--raw", "-n", "10000", x.path, "#0"))
		return x.told(map[int64]toldEvent{}, slices.DeleteFunc(lines, func(l toldLine) bool { return l.What != "begin" && l.What != "call" }))
	}},
	{"flame", false, func(x *telling) map[int64]toldEvent {
		list := map[int64]toldEvent{}
		for _, thread := range slices.Compact(slices.Sorted(maps.Values(x.thread))) {
			x.full(list, x.lines(x.tracex("flame", "--json", "--raw", "--width", "300", "--depth", "99", "--thread", strconv.Itoa(int(thread)+1), x.path))[1:])
		}
		return list
	}},
	{"top", false, (*telling).top},
	{"export chrome", false, (*telling).chrome},
}

// tree reads what the explorer shows of each node.
func (x *telling) tree(folded bool) map[int64]toldEvent {
	x.Helper()
	r, err := lazy.Open(x.path, lazy.Options{NoWrite: true})
	if err != nil {
		x.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(x.Context()); err != nil {
		x.Fatal(err)
	}
	tree, list := r.Tree(folded), map[int64]toldEvent{}
	todo := tree.Threads()
	for len(todo) > 0 {
		n := todo[0]
		kids, err := tree.Children(x.Context(), n)
		if err != nil {
			x.Fatal(err)
		}
		todo = append(todo[1:], kids...)
		if n.IsThread() {
			continue
		}
		e := toldEvent{kind: n.Point().Class.String(), parent: none, start: none, duration: none, self: none}
		if in := n.Parent(); !in.IsThread() {
			e.parent = int64(in.Point().Event)
		}
		if t, ok := n.Time(); ok {
			e.start, e.duration = t.Start, t.Duration
			if _, _, err := tree.CountChildren(x.Context(), n, 0); err != nil {
				x.Fatal(err)
			}
			if self, exact, known := n.Self(); exact && known {
				e.self = self
			}
		}
		list[int64(n.Point().Event)] = e
	}
	return list
}

// top compares the sums of methods.
func (x *telling) top() map[int64]toldEvent {
	type sums struct{ calls, self, total int64 }
	got, want := map[string]sums{}, map[string]sums{}
	for _, l := range x.lines(x.tracex("top", "--json", "--raw", "-n", "0", x.path)) {
		got[l.Class+"."+l.Method] = sums{l.Calls, *l.Self, *l.Total}
	}
	for event, method := range x.method {
		e, s := x.events[event], want[method]
		s.calls, s.self = s.calls+1, s.self+e.self
		outer := true
		for in := e.parent; in != none; in = x.events[in].parent {
			outer = outer && x.method[in] != method
		}
		if outer {
			s.total += e.duration
		}
		want[method] = s
	}
	if !maps.Equal(got, want) {
		x.Errorf("%v, want %v", got, want)
	}
	return x.events
}

// chrome compares the complete events, which have no number: as a set.
func (x *telling) chrome() map[int64]toldEvent {
	var doc struct{ TraceEvents []toldLine }
	if err := json.Unmarshal(x.tracex("export", "chrome", "--raw", "-o", "-", x.path), &doc); err != nil {
		x.Fatal(err)
	}
	var got, want []string
	for _, l := range doc.TraceEvents {
		if l.Phase == "X" {
			got = append(got, fmt.Sprint(l.TID, " ", l.TS, " ", l.Dur))
		}
	}
	micros := func(ns int64) string { return fmt.Sprintf("%d.%03d", ns/1000, ns%1000) }
	for event, e := range x.events {
		if e.duration >= 0 {
			want = append(want, fmt.Sprint(x.thread[event]+1, " ", micros(e.start), " ", micros(e.duration)))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		x.Errorf("%d events, want %d, or at other times", len(got), len(want))
	}
	return x.events
}
