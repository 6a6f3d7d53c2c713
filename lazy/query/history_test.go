package query

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// plainPoint is a point of a tree in memory, with its values.
type plainPoint struct {
	*lazy.Node
	parent *plainPoint
	kids   []*plainPoint
}

// plainPoints loads the tree of a trace: the roots of its threads.
func plainPoints(t *testing.T, r *lazy.TraceReader, raw bool) (roots, all []*plainPoint) {
	tree := r.Tree(!raw)
	for _, th := range tree.Threads() {
		if _, complete, err := tree.ExpandAll(t.Context(), th, 0, 1<<40, nil); err != nil || !complete {
			t.Fatalf("expanded %v: %v", complete, err)
		}
	}
	nodes := make(map[*lazy.Node]*plainPoint)
	for row, ok := tree.First(); ok; row, ok = tree.Next(row) {
		n := row.Node
		if n.IsThread() {
			continue
		}
		x := &plainPoint{Node: n, parent: nodes[n.Parent()]}
		nodes[n] = x
		all = append(all, x)
		if x.parent != nil {
			x.parent.kids = append(x.parent.kids, x)
		} else {
			roots = append(roots, x)
		}
	}
	return roots, all
}

// call returns the call around a point.
func (x *plainPoint) call() *plainPoint {
	for p := x.parent; p != nil; p = p.parent {
		if p.Point().Class == format.ClassCall {
			return p
		}
	}
	return nil
}

// plainLocation is a location with a plain definition of what belongs to it.
type plainLocation struct {
	text string
	// values calls add for the values of a point, when it begins and when it ends.
	values func(x *plainPoint, end bool, add func(kind SightingKind, v *format.Value))
}

// eachValue calls f for the values of a point and those in them. direct values have depth 0.
func eachValue(x *plainPoint, end bool, f func(role SightingKind, depth int, v *format.Value)) {
	var deep func(role SightingKind, depth int, v *format.Value)
	deep = func(role SightingKind, depth int, v *format.Value) {
		f(role, depth, v)
		if v.Captured != nil {
			for i := range v.Captured.Fields {
				deep(role, depth+1, &v.Captured.Fields[i].Value)
			}
			for i := range v.Captured.Elements {
				deep(role, depth+1, &v.Captured.Elements[i])
			}
		}
	}
	p := x.Point()
	if end {
		if p.Class == format.ClassCall && x.State() == lazy.StateWhole && x.Footer().Result.Kind != format.ValueUnfinished {
			deep(Result, 0, &x.Footer().Result)
		}
		return
	}
	switch p.Class {
	case format.ClassLoop, format.ClassIteration:
	case format.ClassCall:
		deep(Receiver, 0, &p.Target)
		for i := range p.Args {
			deep(Argument, 0, &p.Args[i])
		}
	case format.ClassSnapshot:
		for _, list := range [][]format.Value{p.Snapshot.Locals, p.Snapshot.Watches} {
			for i := range list {
				deep(Seen, 0, &list[i])
			}
		}
	case format.ClassFieldRead, format.ClassFieldWrite, format.ClassArrayRead, format.ClassArrayWrite:
		deep(Seen, 0, &p.Target)
		deep(Seen, 0, &p.Value)
	default:
		deep(Seen, 0, &p.Value)
	}
}

// sameObject returns a test for values that are the same object.
func sameObject(c *format.Context, of *format.Value) func(*format.Value) bool {
	class := func(v *format.Value) string {
		if v.Kind == format.ValueBuilder {
			return builderClass
		}
		return c.ClassName(v.ClassID)
	}
	return func(v *format.Value) bool { return hasIdentity(v) && v.Hash() == of.Hash() && class(v) == class(of) }
}

func plainKind(class format.Class) SightingKind {
	switch class {
	case format.ClassFieldRead, format.ClassArrayRead, format.ClassVariableRead:
		return WasRead
	}
	return Written
}

// plainAt returns the locations at a point.
func plainAt(c *format.Context, x *plainPoint) (list []plainLocation) {
	p := x.Point()
	switch p.Class {
	case format.ClassFieldRead, format.ClassFieldWrite:
		d := c.Field(p.Ref)
		if d == nil || !regexp.MustCompile(`^\w+$`).MatchString(d.Name) || c.Class(d.ClassID) == nil {
			return nil
		}
		if hasIdentity(&p.Target) {
			list = append(list, plainField(c, objectName(c, &p.Target)+"."+d.Name, sameObject(c, &p.Target), func(o *format.FieldDescriptor) bool {
				return o != nil && (o.Name == d.Name || c.FieldName(o.ID) == d.Name)
			}, func(v *format.Value, name string) bool { return sameObject(c, &p.Target)(v) && named(c, d.Name)[name] }))
		}
		class := c.Class(d.ClassID).Name
		list = append(list, plainField(c, class+"."+d.Name, func(*format.Value) bool { return true }, func(o *format.FieldDescriptor) bool {
			return o != nil && o.Name == d.Name && c.Class(o.ClassID) != nil && c.Class(o.ClassID).Name == class
		}, func(v *format.Value, name string) bool {
			of := c.Class(v.ClassID)
			return !d.Static && v.Kind == format.ValueObject && of != nil && of.Name == class && name == d.Name
		}))
	case format.ClassArrayRead, format.ClassArrayWrite:
		if !hasIdentity(&p.Target) {
			return nil
		}
		same, index := sameObject(c, &p.Target), p.Number
		list = append(list, plainLocation{fmt.Sprintf("%s[%d]", objectName(c, &p.Target), index), func(x *plainPoint, end bool, add func(SightingKind, *format.Value)) {
			q := x.Point()
			direct := !end && (q.Class == format.ClassArrayRead || q.Class == format.ClassArrayWrite) && same(&q.Target) && q.Number == index
			if direct {
				add(plainKind(q.Class), &q.Value)
			}
			eachValue(x, end, func(_ SightingKind, _ int, v *format.Value) {
				if v.Captured != nil && same(v) && index >= 0 && int(index) < len(v.Captured.Elements) && (!direct || v != &q.Target) {
					add(Seen, &v.Captured.Elements[index])
				}
			})
		}})
	case format.ClassVariableRead, format.ClassVariableWrite:
		d := c.Variable(p.Ref)
		if d == nil || !regexp.MustCompile(`^\w+$`).MatchString(d.Name) {
			return nil
		}
		in := x.call()
		variable := func(text string, within func(*plainPoint) bool) plainLocation {
			return plainLocation{text, func(x *plainPoint, end bool, add func(SightingKind, *format.Value)) {
				q := x.Point()
				if !end && (q.Class == format.ClassVariableRead || q.Class == format.ClassVariableWrite) && within(x.call()) {
					if o := c.Variable(q.Ref); o != nil && (o.Name == d.Name || c.VariableName(o.ID) == d.Name) {
						add(plainKind(q.Class), &q.Value)
					}
				}
				if !end && q.Class == format.ClassSnapshot && within(x.call()) {
					for i, name := range c.LocalNames(q) {
						if i < len(q.Snapshot.Locals) && variableNamed(c, d.Name, name) {
							add(Seen, &q.Snapshot.Locals[i])
						}
					}
				}
			}}
		}
		list = append(list, variable(":"+d.Name, func(*plainPoint) bool { return true }))
		if in != nil {
			list = append(list, variable(lazy.PositionHandle(in.Position()).String()+":"+d.Name, func(o *plainPoint) bool { return o == in }))
		}
	case format.ClassCall:
		if hasIdentity(&p.Target) {
			list = append(list, plainObject(c, &p.Target))
		}
	}
	return list
}

// variableNamed reports whether a variable that may be called name may be called other too.
func variableNamed(c *format.Context, name, other string) bool {
	for d := range c.Variables() {
		names := []string{d.Name, c.VariableName(d.ID)}
		if slices.Contains(names, name) && slices.Contains(names, other) {
			return true
		}
	}
	return false
}

// named returns the recorded names of fields that may be called name.
func named(c *format.Context, name string) map[string]bool {
	all := make(map[string]bool)
	for d := range c.Fields() {
		if d.Name == name || c.FieldName(d.ID) == name {
			all[d.Name] = true
		}
	}
	return all
}

func plainField(c *format.Context, text string, object func(*format.Value) bool, field func(*format.FieldDescriptor) bool, captured func(*format.Value, string) bool) plainLocation {
	return plainLocation{text, func(x *plainPoint, end bool, add func(SightingKind, *format.Value)) {
		p := x.Point()
		direct := !end && (p.Class == format.ClassFieldRead || p.Class == format.ClassFieldWrite) && field(c.Field(p.Ref)) && object(&p.Target)
		if direct {
			add(plainKind(p.Class), &p.Value)
		}
		eachValue(x, end, func(_ SightingKind, depth int, v *format.Value) {
			if v.Captured == nil || direct && depth == 0 && v == &p.Target {
				return
			}
			for i := range v.Captured.Fields {
				if f := &v.Captured.Fields[i]; captured(v, f.Name) {
					add(Seen, &f.Value)
				}
			}
		})
	}}
}

func plainObject(c *format.Context, of *format.Value) plainLocation {
	same := sameObject(c, of)
	return plainLocation{objectName(c, of), func(x *plainPoint, end bool, add func(SightingKind, *format.Value)) {
		p := x.Point()
		made := false
		if p.Class == format.ClassCall {
			d := c.Method(p.Ref)
			made = d != nil && d.Name == "<init>" && c.ClassName(d.ClassID) == c.ClassName(of.ClassID)
		}
		switch {
		case end:
			eachValue(x, true, func(role SightingKind, depth int, v *format.Value) {
				if depth == 0 && same(v) && !made {
					add(Result, v)
				}
			})
		case p.Class == format.ClassCall:
			if made && x.State() == lazy.StateWhole && same(&x.Footer().Result) {
				add(Made, &x.Footer().Result)
			}
			if same(&p.Target) {
				kind := Receiver
				if made && !c.SuperCall(p) {
					kind = Made
				}
				add(kind, &p.Target)
			}
			for i := range p.Args {
				if same(&p.Args[i]) {
					add(Argument, &p.Args[i])
					break
				}
			}
		case p.Class == format.ClassFieldRead || p.Class == format.ClassFieldWrite || p.Class == format.ClassArrayRead || p.Class == format.ClassArrayWrite:
			if same(&p.Target) {
				add(plainKind(p.Class), &p.Value)
			}
		}
	}}
}

// history computes a location's values from the tree, by thread.
func (l *plainLocation) history(c *format.Context, roots []*plainPoint) map[int32][]string {
	out := make(map[int32][]string)
	var walk func(x *plainPoint)
	walk = func(x *plainPoint) {
		add := func(kind SightingKind, v *format.Value) {
			line := fmt.Sprintf("#%d %s %s", x.Point().Event, kind, held(c, v).Text)
			out[x.Thread()] = append(out[x.Thread()], line)
		}
		l.values(x, false, add)
		for _, k := range x.kids {
			walk(k)
		}
		l.values(x, true, add)
	}
	for _, x := range roots {
		walk(x)
	}
	return out
}

// lines writes a history like plainLocation.history.
func lines(list []Sighting) map[int32][]string {
	out := make(map[int32][]string)
	for i := range list {
		s := &list[i]
		out[s.Thread] = append(out[s.Thread], fmt.Sprintf("#%d %s %s", s.Event, s.Kind, s.Value.Text))
	}
	return out
}

// historyOf finds a history.
func historyOf(t *testing.T, r *lazy.TraceReader, scope Scope, o HistoryOptions, text string, share int64) *History {
	t.Helper()
	l, err := ParseLocation(t.Context(), r, text, "")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	o.Location = l
	if o.Keep == 0 {
		o.Keep = 1 << 20
	}
	h := NewHistory(r, scope, o)
	h.share = share
	if err := h.Run(t.Context(), nil); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return h
}

// TestHistory: histories are those of a plain walk over the tree, however the trace is cut.
func TestHistory(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.TraceReader) {
		data, _ := r.Size()
		if data > 300<<10 {
			return // TestHistoryOfText has those
		}
		random := rand.New(rand.NewPCG(1, 2))
		for _, raw := range []bool{false, true} {
			roots, all := plainPoints(t, r, raw)
			var c *format.Context
			r.WithContext(func(x *format.Context) { c = x })
			checked := 0
			for try := 0; try < 400 && checked < 3 && len(all) > 0; try++ {
				for _, l := range plainAt(c, all[random.IntN(len(all))]) {
					checked++
					compareHistory(t, r, raw, &l, l.history(c, roots))
				}
			}
		}
	})
}

// compareHistory compares the history of a location with a plain one, however the trace is cut.
func compareHistory(t *testing.T, r *lazy.TraceReader, raw bool, l *plainLocation, want map[int32][]string) {
	t.Helper()
	data, _ := r.Size()
	serial := ""
	for _, share := range shares {
		if share > 0 && data/share > 300 {
			continue
		}
		h := historyOf(t, r, Scope{Raw: raw}, HistoryOptions{}, l.text, share)
		got := lines(h.List())
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("raw %v, share %d: %s\n got %q\nwant %q", raw, share, l.text, got, want)
			return
		}
		if text := fmt.Sprintf("%+v", h.List()); share == 0 {
			serial = text
		} else if text != serial {
			t.Errorf("raw %v, share %d: %s differs from one part:\n%s\n%s", raw, share, l.text, text, serial)
		}
		inOrder(t, h)
	}
}

// inOrder checks that values are in the order that the history promises.
func inOrder(t *testing.T, h *History) {
	list := h.List()
	last := make(map[int32]int64)
	for i := range list {
		s := &list[i]
		if s.pos < last[s.Thread] {
			t.Errorf("%s: #%d is out of order in its thread", h.o.Location.Text, s.Event)
		}
		last[s.Thread] = s.pos
		if i > 0 && s.key < list[i-1].key {
			t.Errorf("%s: #%d is out of order", h.o.Location.Text, s.Event)
		}
	}
}

// position is a field of the trace that TestHistoryParts reads.
const position = "com.google.gson.stream.JsonReader.pos"

// TestHistoryParts: a filter, an event to stop at and a bound of what is kept leave out the others.
func TestHistoryParts(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "gson.stream.bin"))
	all := historyOf(t, r, Scope{}, HistoryOptions{}, position, 0)
	list := all.List()
	if len(list) < 4 {
		t.Fatalf("%d values", len(list))
	}
	middle := &list[len(list)/2]
	until := historyOf(t, r, Scope{}, HistoryOptions{Until: &middle.HistoryPoint}, position, 300).List()
	last := len(list)/2 + 1
	for last < len(list) && list[last].key == middle.key && list[last].Thread == middle.Thread && list[last].pos == middle.pos {
		last++
	}
	if got, want := fmt.Sprint(lines(until)), fmt.Sprint(lines(list[:last])); got != want {
		t.Errorf("until #%d: %s\nwant %s", middle.Event, got, want)
	}
	where, err := filter.Parse("value>20")
	if err != nil {
		t.Fatal(err)
	}
	var want []Sighting
	for _, s := range list {
		if s.Value.Int > 20 {
			want = append(want, s)
		}
	}
	for _, share := range shares {
		got := historyOf(t, r, Scope{}, HistoryOptions{Where: where}, position, share).List()
		if fmt.Sprint(lines(got)) != fmt.Sprint(lines(want)) {
			t.Errorf("with a filter: %v\nwant %v", lines(got), lines(want))
		}
	}
	few := historyOf(t, r, Scope{}, HistoryOptions{Keep: 2}, position, 0)
	if all, kept := few.Count(); int(all) != len(list) || kept != 2 || len(few.Table(HistoryView{Done: 1, G: &display.Unicode}).Notes) == 0 {
		t.Errorf("%d kept of %d", kept, all)
	}
}

// TestHistoryOfText: in every real trace, the writes of each name that the text has, which the reference
// printed, are those of the fields and variables of the name: thread by thread, in the same order.
func TestHistoryOfText(t *testing.T) {
	checked, names := 0, 0
	for _, file := range formattest.RecordedNames(t, ".raw.txt") {
		name := strings.TrimSuffix(file, ".raw.txt")
		if strings.HasPrefix(name, "allkinds") || strings.HasPrefix(name, "roots") || formattest.Race && checked > 3 {
			continue // not of programs: names with parentheses, dots and blanks
		}
		checked++
		text := formattest.RecordedData(t, file)
		r := opened(t, formattest.Unpack(t, formattest.RecordedFor(t, name)))
		boxes := false // whose field has no name in the text
		r.WithContext(func(c *format.Context) {
			for d := range c.Classes() {
				boxes = boxes || strings.HasPrefix(d.Name, "kotlin.jvm.internal.Ref$")
			}
		})
		fields, objects := printedWrites(text)
		for _, key := range some(fields) {
			want := fields[key]
			if boxes && key == "element" {
				continue
			}
			names++
			if got := namedWrites(t, r, key); !boxes && fmt.Sprint(got) != fmt.Sprint(want) || boxes && !eachIn(got, want) {
				t.Errorf("%s: %s: %d threads\n got %v\nwant %v", name, key, len(want), got, want)
			}
		}
		for _, key := range some(objects) {
			want := objects[key]
			names++
			h := historyOf(t, r, Scope{Raw: true}, HistoryOptions{}, key, 0)
			got := make(map[int][]string)
			for _, s := range h.List() {
				if s.Kind == Written {
					got[int(s.Thread)] = append(got[int(s.Thread)], s.Value.Text)
				}
			}
			if !eachIn(want, got) { // the text names the object by its path elsewhere
				t.Errorf("%s: %s:\n got %v\nwant %v", name, key, got, want)
			}
		}
	}
	least := 100
	if formattest.Race {
		least = 20 // of four traces
	}
	if checked < 4 || names < least {
		t.Errorf("only %d traces, %d names", checked, names)
	}
}

var (
	printedThread = regexp.MustCompile(`^# Thread (\d+)`)
	printedField  = regexp.MustCompile(`^(?:.*\.)?([A-Za-z_][\w$]*)$`)
	printedObject = regexp.MustCompile(`^([\w.$;\[]+@-?\d+)(\.\w+|\[-?\d+\])$`)
)

// some returns at most 40 keys of a map, from all of it.
func some(of map[string]map[int][]string) (keys []string) {
	all := slices.Sorted(maps.Keys(of))
	for i := 0; i < len(all); i += len(all)/40 + 1 {
		keys = append(keys, all[i])
	}
	return keys
}

// printedWrites reads the writes of a printed trace: by the name of the field or variable, and by
// object or array with its field or index where the text has those; each by thread.
func printedWrites(text []byte) (fields, objects map[string]map[int][]string) {
	fields, objects = make(map[string]map[int][]string), make(map[string]map[int][]string)
	add := func(to map[string]map[int][]string, key string, thread int, value string) {
		if to[key] == nil {
			to[key] = make(map[int][]string)
		}
		to[key][thread] = append(to[key][thread], value)
	}
	thread := 0
	for line := range joined(text) {
		if m := printedThread.FindStringSubmatch(line); m != nil {
			thread, _ = strconv.Atoi(m[1])
			thread--
			continue
		}
		line = strings.TrimLeft(line, " ")
		for _, mark := range []string{"+ ", "- ", "! "} {
			line = strings.TrimPrefix(line, mark)
		}
		if _, call := parsePrinted(line); call {
			continue
		}
		left, value, ok := strings.Cut(line, " = ")
		if !ok || strings.ContainsAny(left, " ()➜\"'") {
			continue
		}
		if m := printedField.FindStringSubmatch(left); m != nil {
			add(fields, m[1], thread, value)
		}
		if printedObject.MatchString(left) {
			add(objects, left, thread, value)
		}
	}
	return fields, objects
}

// namedWrites returns the values written to all fields and variables of a name, by thread.
func namedWrites(t *testing.T, r *lazy.TraceReader, name string) map[int][]string {
	t.Helper()
	texts := []string{name}
	_, err := ParseLocation(t.Context(), r, name, "")
	var many *ManyLocationsError
	if errors.As(err, &many) {
		texts = many.Choices
	} else if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil
	}
	var all []Sighting
	for _, text := range texts {
		all = append(all, historyOf(t, r, Scope{Raw: true}, HistoryOptions{}, text, 0).List()...)
	}
	slices.SortStableFunc(all, func(a, b Sighting) int { return int(a.pos - b.pos) })
	out := make(map[int][]string)
	for _, s := range all {
		if s.Kind == Written {
			out[int(s.Thread)] = append(out[int(s.Thread)], s.Value.Text)
		}
	}
	return out
}

// eachIn reports whether the lists of a are in those of b, in this order, perhaps among others.
func eachIn(a, b map[int][]string) bool {
	for thread, list := range a {
		in := b[thread]
		for _, v := range list {
			i := slices.Index(in, v)
			if i < 0 {
				return false
			}
			in = in[i+1:]
		}
	}
	return true
}

// TestHistoryTexts: tables of a real trace without times, and of one with times, as printed.
func TestHistoryTexts(t *testing.T) {
	gson := opened(t, formattest.Unpack(t, "gson.stream.bin"))
	shop := opened(t, shop(t))
	for name, x := range map[string]struct {
		r    *lazy.TraceReader
		text string
	}{
		"field": {gson, "JsonReader.stackSize"}, "object": {gson, "JsonReader@428089645.stackSize"}, "all": {gson, "JsonReader@235532726"},
		"variable": {shop, ":item"},
	} {
		list := historyOf(t, x.r, Scope{}, HistoryOptions{}, x.text, 0).List()
		h := historyOf(t, x.r, Scope{}, HistoryOptions{Here: &list[min(3, len(list)-1)].HistoryPoint}, x.text, 0)
		for _, width := range []int{60, 100, 160} {
			var out bytes.Buffer
			if err := table.WriteText(&out, h.Table(HistoryView{Done: 1, G: &display.Unicode}), table.Options{Width: width, Limit: 9, Glyphs: &display.Unicode}); err != nil {
				t.Fatal(err)
			}
			golden(t, fmt.Sprintf("history-%s-%d.txt", name, width), out.Bytes())
		}
	}
}
