package query

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// plainState computes the state before a point from a tree in memory: all points before it in the
// thread, one after the other.
func plainState(c *format.Context, roots []*plainPoint, at *plainPoint) (lines []string) {
	call := at.call()
	if call == nil {
		return nil
	}
	values := make(map[string]string)
	for i := range call.Point().Args {
		values[fmt.Sprintf("argument %d", i+1)] = held(c, &call.Point().Args[i]).Text + " #" + fmt.Sprint(call.Point().Event)
	}
	isBox := func(v *format.Value) bool {
		d := c.Class(v.ClassID)
		return v.Kind == format.ValueObject && d != nil && strings.HasPrefix(d.Name, "kotlin.jvm.internal.Ref$")
	}
	boxes := make(map[string]format.Value) // of the variables and arguments
	for i, v := range call.Point().Args {
		boxes[fmt.Sprint(i+1)] = v
	}
	inBoxes := make(map[string]string) // by object
	of := &call.Point().Target
	same := sameObject(c, of)
	around := make(map[*plainPoint]bool)
	for p := at.parent; p != nil; p = p.parent {
		around[p] = true
	}
	done := false
	var walk func(x *plainPoint)
	walk = func(x *plainPoint) {
		if done = done || x == at; done {
			return
		}
		p := x.Point()
		text := held(c, &p.Value).Text + " #" + fmt.Sprint(p.Event)
		switch p.Class {
		case format.ClassVariableRead, format.ClassVariableWrite:
			if x.call() == call {
				values["variable "+c.VariableName(p.Ref)] = text
				boxes[c.VariableName(p.Ref)] = p.Value
			}
		case format.ClassFieldRead, format.ClassFieldWrite:
			if isBox(&p.Target) && c.FieldName(p.Ref) == "element" {
				inBoxes[objectName(c, &p.Target)] = text
			}
			if filter.HasIdentity(of) && same(&p.Target) {
				values["field "+c.FieldName(p.Ref)] = text
			}
		case format.ClassArrayRead, format.ClassArrayWrite:
			if filter.HasIdentity(of) && same(&p.Target) {
				values[fmt.Sprintf("field [%d]", p.Number)] = text
			}
		case format.ClassCall:
			d := c.Method(p.Ref)
			made := d != nil && d.Name == "<init>" && c.ClassName(d.ClassID) == c.ClassName(of.ClassID) && filter.HasIdentity(of)
			ended := !around[x] && x.State() == lazy.StateWhole
			if d != nil && d.Name == "<init>" && ended && filter.HasIdentity(&x.Footer().Result) {
				delete(inBoxes, objectName(c, &x.Footer().Result)) // one with the number of an older one
			}
			if made && (same(&p.Target) && !c.SuperCall(p) || ended && same(&x.Footer().Result)) {
				for key := range values {
					if key[0] == 'f' {
						delete(values, key)
					}
				}
			}
		}
		for _, k := range x.kids {
			walk(k)
		}
	}
	for _, x := range roots {
		if x.Thread() == at.Thread() {
			walk(x)
		}
	}
	for name, v := range boxes {
		if !isBox(&v) {
			continue
		}
		if text, ok := inBoxes[objectName(c, &v)]; ok {
			values["boxed "+name+".element"] = text
		}
	}
	for key, value := range values {
		lines = append(lines, key+" = "+value)
	}
	slices.Sort(lines)
	return lines
}

// TestState: the state before a point is that of a plain walk over everything before it, however the pass
// is cut.
func TestState(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		data, _ := r.Size()
		if data > 300<<10 {
			return
		}
		random := rand.New(rand.NewPCG(3, 4))
		for _, raw := range []bool{false, true} {
			roots, all := plainPoints(t, r, raw)
			var c *format.Context
			r.WithContext(func(x *format.Context) { c = x })
			for i := range min(10, len(all)) {
				share := shares[i%len(shares)]
				if share > 0 {
					share = max(share, data/60)
				}
				compareState(t, r, raw, share, c, roots, all[random.IntN(len(all))])
			}
		}
	})
}

// TestStateBoxed is TestState for calls with variables that Kotlin keeps in objects: what is in these is told.
func TestStateBoxed(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "kotlin.stream.bin"))
	var c *format.Context
	r.WithContext(func(x *format.Context) { c = x })
	roots, all := plainPoints(t, r, true)
	told := 0
	with := make(map[*plainPoint]int) // calls, and how many points were compared
	for _, at := range all {
		call := at.call()
		if call == nil {
			continue
		}
		if _, has := with[call]; !has {
			if p := at.Point(); p.Class != format.ClassVariableWrite || boxOf(c, &p.Value) == "" {
				continue
			}
		}
		if with[call]++; with[call]%8 == 2 {
			compareState(t, r, true, 0, c, roots, at)
			told += strings.Count(strings.Join(plainState(c, roots, at), "\n"), "boxed s.element = ")
		}
	}
	if told < 3 {
		t.Errorf("%d values in boxes", told)
	}
	at, err := r.FindEvent(t.Context(), 2720)
	if err != nil {
		t.Fatal(err)
	}
	s := NewState(r, true, HistoryPoint{at, 2720})
	runs(t, s)
	if notes := strings.Join(s.Table(View{Done: 1, G: &display.Unicode}).Notes, "\n"); !strings.Contains(notes, "boxed: Kotlin keeps a variable") {
		t.Errorf("the notes are %q", notes)
	}
	for i, v := range s.Values() {
		if v.Part == BoxedPart && (v.Name != "s.element" || v.Value.Text != "1" || v.Event != 2719 || s.Values()[i-1].Name != "s") {
			t.Errorf("%+v after %+v", v, s.Values()[i-1])
		}
	}
}

// compareState compares the state before a point with a plain walk.
func compareState(t *testing.T, r *lazy.LazyTraceReader, raw bool, share int64, c *format.Context, roots []*plainPoint, at *plainPoint) {
	t.Helper()
	s := NewState(r, raw, HistoryPoint{at.Position(), at.Point().Event})
	s.share = share
	if err := s.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range s.Values() {
		if v.Known {
			got = append(got, fmt.Sprintf("%s %s = %s #%d", v.Part, v.Name, v.Value.Text, v.Event))
		}
	}
	slices.Sort(got)
	if want := plainState(c, roots, at); !slices.Equal(got, want) {
		t.Errorf("raw %v, before #%d:\n got %q\nwant %q", raw, at.Point().Event, got, want)
	}
}

// TestStateTexts: the state in a real trace, as printed.
func TestStateTexts(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "gson.stream.bin"))
	at, err := r.FindEvent(t.Context(), 6900)
	if err != nil {
		t.Fatal(err)
	}
	s := NewState(r, false, HistoryPoint{at, 6900})
	if err := s.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{60, 100, 160} {
		var out bytes.Buffer
		if err := table.WriteText(&out, s.Table(View{Done: 1, G: &display.Unicode}), table.Options{Width: width, Glyphs: &display.Unicode}); err != nil {
			t.Fatal(err)
		}
		golden(t, fmt.Sprintf("state-gson-%d.txt", width), out.Bytes())
	}
}
