package format_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// other returns the version to translate v to.
func other(v format.Version) format.Version {
	if v == format.V27 {
		return format.V22
	}
	return format.V27
}

// surveyedClass surveys a trace, as required before translating it.
func surveyedClass(t testing.TB, data []byte) *format.Survey {
	t.Helper()
	scan := format.NewBytesScanner(data)
	var s *format.Survey
	for scan.Next() {
		if s == nil {
			s = format.NewSurvey(scan.Version())
		}
		o := scan.Object()
		if err := errors.Join(s.Object(o.Bytes), s.Uses(o.Bytes, o.Class)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func newTranslator(t testing.TB, from, to format.Version, s *format.Survey) *format.Translator {
	t.Helper()
	tr, err := format.NewTranslator(from, to, s)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// translated is a trace translated to the other version.
type translated struct {
	data   []byte   // the whole of it
	bytes  [][]byte // the translation of each object
	exact  []bool   // nothing in the object was guessed or lost
	counts map[format.Change]int64
}

func translateAll(t testing.TB, data []byte) translated {
	t.Helper()
	known := surveyedClass(t, data)
	scan := format.NewBytesScanner(data)
	var tr *format.Translator
	var out translated
	for scan.Next() {
		if tr == nil {
			tr = newTranslator(t, scan.Version(), other(scan.Version()), known)
			out.data = format.AppendDataHeader(nil, tr.To())
		}
		o, before := scan.Object(), tr.Changes()
		b, err := tr.Object(nil, o.Bytes, o.Class)
		if err != nil {
			t.Fatalf("%v at %d: %v", o.Kind, o.Offset, err)
		}
		if d := tr.Owed(); d != nil {
			if out.data, err = d.Append(out.data, tr.To()); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := tr.To().Size(b, o.Class); err != nil || n != len(b) {
			t.Fatalf("%v at %d: %d bytes of %d are an object: %v", o.Kind, o.Offset, n, len(b), err)
		}
		out.data = append(out.data, b...)
		out.bytes, out.exact = append(out.bytes, b), append(out.exact, maps.Equal(tr.Changes(), before))
	}
	out.counts = tr.Changes()
	return out
}

// lasting are the guesses that translating back undoes, with the same bytes. For marks that
// holds if they are strings, as Lincheck writes them.
var lasting = map[format.Change]bool{
	format.ChangeMark: true, format.ChangeLoops: true, format.ChangeBigNumber: true, format.ChangeShortClass: true, format.ChangeExceptionName: true,
}

// Translating each object of each trace to the other version and back yields the same bytes,
// unless something in it was guessed or lost.
func TestTranslateBack(t *testing.T) {
	traces := recordedTraces(t)
	for _, v := range versions {
		for seed := range uint64(3) {
			n := 4000
			if formattest.Race {
				n = 500
			}
			data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Random, N: n, Seed: seed, Options: formattest.Options{Version: v}})
			traces[fmt.Sprintf("random %d %d", v, seed)] = data
		}
		data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Calls, N: 2000, Options: formattest.Options{Version: v}})
		traces[fmt.Sprintf("calls %d", v)] = data
	}
	whole := 0
	for name, data := range traces {
		t.Run(name, func(t *testing.T) {
			there := translateAll(t, data)
			back := translateAll(t, there.data)
			scan, added := format.NewBytesScanner(data), len(back.bytes)-len(there.bytes)
			exact := 0
			for i, j := 0, 0; scan.Next(); i, j = i+1, j+1 {
				o := scan.Object()
				if added > 0 && o.Kind != format.KindClassDescriptor && format.Kind(back.bytes[j][0]) == format.KindClassDescriptor {
					j, added = j+1, added-1 // the one of string builders
				}
				if !there.exact[i] {
					continue
				}
				if exact++; !bytes.Equal(back.bytes[j], o.Bytes) {
					t.Fatalf("%v at %d came back as\n%x, was\n%x", o.Kind, o.Offset, back.bytes[j], o.Bytes)
				}
			}
			lossless := len(back.bytes) == len(there.bytes)
			for c := range there.counts {
				// All of Lincheck's own classes have the suffix.
				lossless = lossless && (lasting[c] || c == format.ChangeBuilder || c == format.ChangeUnquoted && !strings.HasPrefix(name, "random"))
			}
			if lossless {
				whole++
				if end := scan.Offset(); !bytes.Equal(back.data, data[:end]) {
					t.Error("nothing was lost, but what came back is another file")
				}
			}
			if exact == 0 {
				t.Error("no object is exact")
			}
			t.Log(exact, "of", len(there.exact), there.counts)
		})
	}
	if whole < 15 && !formattest.Race || whole < 8 {
		t.Errorf("only %d traces were turned without a loss", whole)
	}
}

func text(s string) *string { return &s }

// surveyOf returns a Survey of classes, whose ids count from 0.
func surveyOf(t testing.TB, v format.Version, names ...string) (*format.Survey, *format.Context) {
	t.Helper()
	s, c := format.NewSurvey(v), format.NewContext(v)
	for id, name := range names {
		b, err := (&format.ClassDescriptor{ID: int32(id), Name: name}).Append(nil, v)
		if err == nil {
			_, _, err = c.Add(b)
		}
		if err = errors.Join(err, s.Object(b)); err != nil {
			t.Fatal(err)
		}
	}
	return s, c
}

func TestTranslateValues(t *testing.T) {
	const none = format.Change(255)
	names := []string{"a.Outer$Color", "java.lang.StringBuilder", "java.nio.HeapCharBuffer", "a.FooException", "a.Plain", "a.Thrown", "java.lang.StringBuilder"}
	object := func(id int32) format.Value { return format.Value{ClassID: id, Bits: 7} }
	kind := func(k format.ValueKind, s string) format.Value { return format.Value{Kind: k, Text: s} }
	with := func(v format.Value, change func(*format.Value)) format.Value { change(&v); return v }
	exception := func(id int32) format.Value {
		return with(object(id), func(v *format.Value) { v.Kind = format.ValueException })
	}
	for _, c := range []struct {
		to           format.Version
		from, want   format.Value
		print, again string // text before and after; again "" means the same
		change       format.Change
	}{
		{27, kind(format.ValueRawString, "12345678901234567890"), kind(format.ValueBigInteger, "12345678901234567890"), "12345678901234567890", "", format.ChangeBigNumber},
		{27, kind(format.ValueRawString, "-1.50"), kind(format.ValueBigDecimal, "-1.50"), "-1.50", "", format.ChangeBigNumber},
		{27, kind(format.ValueRawString, "1E+3"), kind(format.ValueBigDecimal, "1E+3"), "1E+3", "", format.ChangeBigNumber},
		{27, kind(format.ValueRawString, "007"), kind(format.ValueBigDecimal, "007"), "007", "", format.ChangeUnquoted},
		{27, kind(format.ValueRawString, "1."), kind(format.ValueBigDecimal, "1."), "1.", "", format.ChangeUnquoted},
		{27, kind(format.ValueRawString, "1E"), kind(format.ValueBigDecimal, "1E"), "1E", "", format.ChangeUnquoted},
		{27, kind(format.ValueRawString, ""), kind(format.ValueBigDecimal, ""), "", "", format.ChangeUnquoted},
		{27, kind(format.ValueRawString, "Color.RED"), kind(format.ValueBigDecimal, "Color.RED"), "Color.RED", "", format.ChangeUnquoted},
		{27, kind(format.ValueJavaClass, "String.class"), kind(format.ValueJavaClass, "String"), "String.class", "", format.ChangeShortClass},
		{27, kind(format.ValueJavaClass, "String[].class"), kind(format.ValueJavaClass, "String[]"), "String[].class", "", format.ChangeShortClass},
		{27, kind(format.ValueJavaClass, "int.class"), kind(format.ValueJavaClass, "int"), "int.class", "", none},
		{27, kind(format.ValueJavaClass, "[I.class"), kind(format.ValueJavaClass, "[I"), "[I.class", "", none},
		{27, kind(format.ValueKotlinClass, "kotlin.String.kclass"), kind(format.ValueKotlinClass, "kotlin.String"), "kotlin.String.kclass", "", none},
		{27, kind(format.ValueJavaClass, "odd"), kind(format.ValueBigDecimal, "odd"), "odd", "", format.ChangeUnquoted},
		{27, with(kind(format.ValueBuilder, "ab\n"), func(v *format.Value) { v.Bits = 5 }),
			with(kind(format.ValueSequence, "ab\n"), func(v *format.Value) { v.Bits, v.ClassID = 5, 1 }), `StringBuilder@5("ab\n")`, "", format.ChangeBuilder},
		{27, object(4), object(4), "Plain@7", "", none},
		{27, object(3), exception(3), "FooException@7", "", format.ChangeExceptionName},
		{27, object(5), exception(5), "Thrown@7", "", none},
		{27, kind(format.ValueString, format.UnfinishedMethod), kind(format.ValueString, format.UnfinishedMethod), `"<unfinished method>"`, "", none},

		{22, format.Value{Kind: format.ValueEnum, Text: "RED"}, kind(format.ValueRawString, "Outer$Color.RED"), "Outer$Color.RED", "", format.ChangeEnum},
		{22, format.Value{Kind: format.ValueEnum, Absent: true}, kind(format.ValueRawString, "Outer$Color.null"), "Outer$Color.null", "", format.ChangeEnum},
		{22, format.Value{Kind: format.ValueEnum, ClassID: 99, Text: "RED"}, kind(format.ValueRawString, "<class 99>.RED"), "<class 99>.RED", "", format.ChangeEnum},
		{22, kind(format.ValueBigInteger, "5"), kind(format.ValueRawString, "5"), "5", "", format.ChangeBig},
		{22, kind(format.ValueBigDecimal, "5"), kind(format.ValueRawString, "5"), "5", "", format.ChangeBig},
		{22, format.Value{Kind: format.ValueSequence, ClassID: 1, Bits: 5, Text: "ab"}, format.Value{Kind: format.ValueBuilder, Bits: 5, Text: "ab"}, `StringBuilder@5("ab")`, "", none},
		{22, format.Value{Kind: format.ValueSequence, ClassID: 6, Bits: 5, Text: "ab"}, format.Value{Kind: format.ValueBuilder, Bits: 5, Text: "ab"}, `StringBuilder@5("ab")`, "", format.ChangeBuilderID},
		{22, format.Value{Kind: format.ValueSequence, ClassID: 2, Bits: 5, Text: "ab"}, kind(format.ValueString, "ab"), `HeapCharBuffer@5("ab")`, `"ab"`, format.ChangeSequence},
		{22, format.Value{Kind: format.ValueSequence, ClassID: 4, Bits: 7, Text: "<char sequence content is unavailable>"}, object(4),
			`Plain@7("<char sequence content is unavailable>")`, "Plain@7", format.ChangeNoContent},
		{22, kind(format.ValueJavaClass, "java.util.Map$Entry"), kind(format.ValueJavaClass, "java.util.Map$Entry.class"), "java.util.Map$Entry.class", "", none},
		{22, kind(format.ValueKotlinClass, "a.B"), kind(format.ValueKotlinClass, "a.B.kclass"), "a.B.kclass", "", none},
		{22, exception(3), object(3), "FooException@7", "", none},
		{22, exception(5), object(5), "Thrown@7", "", none},
		{22, exception(4), object(4), "Plain@7", "", format.ChangeException},
		{22, object(3), object(3), "FooException@7", "", format.ChangeObject},
		{22, with(exception(3), func(v *format.Value) { v.Captured = &format.Captured{Message: text("no"), Frames: []string{"f"}} }), object(3),
			`FooException@7("no")`, "FooException@7", format.ChangeExceptionState},
		{22, with(object(4), func(v *format.Value) { v.Captured = new(format.Captured) }), object(4), "Plain@7", "", format.ChangeNothingCaptured},
		{22, object(-5), kind(format.ValueRawString, "<class -5>@7"), "<class -5>@7", "", format.ChangeNoClass},
		{22, format.Value{Kind: format.ValueUnfinished}, kind(format.ValueString, format.UnfinishedMethod), "<unfinished method>", `"<unfinished method>"`, format.ChangeMarkText},
		{22, format.Value{Kind: format.ValueUntracked}, kind(format.ValueString, format.UntrackedResult), "<untracked result>", `"<untracked result>"`, format.ChangeMarkText},
		{22, kind(format.ValueJavaClass, strings.Repeat("é", 0xffff/2)), kind(format.ValueJavaClass, strings.Repeat("é", 0xffff/2)+"."),
			strings.Repeat("é", 0xffff/2) + ".class", strings.Repeat("é", 0xffff/2) + ".", format.ChangeCut},
	} {
		known, before := surveyOf(t, other(c.to), names...)
		_, after := surveyOf(t, c.to, names...)
		throw := format.Point{Class: format.ClassThrow, Diff: format.DiffNone, Value: object(5)}
		if b, err := throw.Append(nil, other(c.to)); err != nil || known.Object(b) != nil {
			t.Fatal(err)
		}
		tr := newTranslator(t, other(c.to), c.to, known)
		p := format.Point{Class: format.ClassVariableRead, Value: c.from}
		was := string(before.AppendValueText(nil, &p.Value))
		if err := tr.Point(&p); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(p.Value) != fmt.Sprint(c.want) {
			t.Errorf("to %d: %.200v became %.200v, want %.200v", c.to, c.from, p.Value, c.want)
		}
		if c.again == "" {
			c.again = c.print
		}
		if is := string(after.AppendValueText(nil, &p.Value)); was != c.print || is != c.again {
			t.Errorf("to %d: %.200v printed %.200s, then %.200s; want %.200s, then %.200s", c.to, c.from, was, is, c.print, c.again)
		}
		want := map[format.Change]int64{c.change: 1}
		if c.change == none {
			want = map[format.Change]int64{}
		}
		if made := tr.Changes(); fmt.Sprint(made) != fmt.Sprint(want) {
			t.Errorf("to %d: %.200v counted %v, want %v", c.to, c.from, made, want)
		}
	}
}

func TestTranslateCalls(t *testing.T) {
	unfinished, untracked := format.Value{Kind: format.ValueUnfinished}, format.Value{Kind: format.ValueUntracked}
	str := func(s string) format.Value { return format.Value{Kind: format.ValueString, Text: s} }
	for _, c := range []struct {
		to         format.Version
		from, want format.Footer
		change     format.Change // 0xff for none
	}{
		{27, format.Footer{Result: format.Null(), Threw: true, Exception: "E"}, format.Footer{Result: unfinished, Threw: true, Exception: "E"}, 0xff},
		{27, format.Footer{Result: format.Null()}, format.Footer{Result: format.Null()}, 0xff},
		{27, format.Footer{Result: untracked}, format.Footer{Result: untracked}, format.ChangeMark},
		{27, format.Footer{Result: unfinished}, format.Footer{Result: unfinished}, format.ChangeMark},
		{22, format.Footer{Result: unfinished, Threw: true, Exception: "E"}, format.Footer{Result: format.Null(), Threw: true, Exception: "E"}, 0xff},
		{22, format.Footer{Result: untracked, Threw: true, Exception: "E"}, format.Footer{Result: untracked, Threw: true, Exception: "E"}, 0xff},
		{22, format.Footer{Result: format.Null(), Threw: true, Exception: "E"}, format.Footer{Result: format.Null(), Threw: true, Exception: "E"}, format.ChangeThrownResult},
		{22, format.Footer{Result: unfinished, Threw: true}, format.Footer{Result: unfinished}, format.ChangeNoName},
		{22, format.Footer{Result: unfinished}, format.Footer{Result: unfinished}, 0xff},
		{22, format.Footer{Result: str(format.UntrackedResult)}, format.Footer{Result: str(format.UntrackedResult)}, format.ChangeLikeMark},
	} {
		tr := newTranslator(t, other(c.to), c.to, nil)
		f := c.from
		if err := tr.Footer(&f, format.ClassCall); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(f) != fmt.Sprint(c.want) {
			t.Errorf("to %d: %v became %v, want %v", c.to, c.from, f, c.want)
		}
		want := map[format.Change]int64{c.change: 1}
		if c.change == 0xff {
			want = map[format.Change]int64{}
		}
		if made := tr.Changes(); fmt.Sprint(made) != fmt.Sprint(want) {
			t.Errorf("to %d: %v counted %v, want %v", c.to, c.from, made, want)
		}
	}
}

// Everything other than values: flags, statuses, watches, loops of locations.
func TestTranslateRest(t *testing.T) {
	many := make([]format.DiffStatus, 200)
	for i := range many {
		many[i] = format.DiffStatus(4 - i%5)
	}
	all := []format.DiffStatus{0, 1, 2, 3, 4}
	for _, c := range []struct {
		name       string
		to         format.Version
		from, want format.Point
		changes    map[format.Change]int64
	}{
		{"super", 22, format.Point{Flags: 7}, format.Point{Flags: 7}, nil},
		{"flags", 27, format.Point{Flags: -3}, format.Point{Flags: -3}, nil},
		{"empty set", 22, format.Point{Class: format.ClassLoop, Marked: true}, format.Point{Class: format.ClassLoop}, map[format.Change]int64{format.ChangeStatuses: 1}},
		{"set", 22, format.Point{Class: format.ClassLoop, Marked: true, Subtree: all}, format.Point{Class: format.ClassLoop, Marked: true, Subtree: all}, nil},
		{"long set", 27, format.Point{Marked: true, Subtree: many}, format.Point{Marked: true, Subtree: all}, map[format.Change]int64{format.ChangeStatuses: 1}},
		{"watches", 22, format.Point{Class: format.ClassSnapshot, Snapshot: &format.Snapshot{Watches: make([]format.Value, 3)}},
			format.Point{Class: format.ClassSnapshot, Snapshot: &format.Snapshot{}}, map[format.Change]int64{format.ChangeWatch: 3}},
		{"thrown", 27, format.Point{Class: format.ClassThrow}, format.Point{Class: format.ClassThrow, Value: format.Value{Kind: format.ValueException}}, nil},
		{"caught", 22, format.Point{Class: format.ClassCatch, Value: format.Value{Kind: format.ValueException}}, format.Point{Class: format.ClassCatch}, nil},
		{"caught object", 22, format.Point{Class: format.ClassCatch}, format.Point{Class: format.ClassCatch}, map[format.Change]int64{format.ChangeThrownObject: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.from.Class == format.ClassCall {
				c.from.Target, c.want.Target = format.Null(), format.Null()
			}
			tr := newTranslator(t, other(c.to), c.to, nil)
			p := c.from
			p.Subtree = append([]format.DiffStatus(nil), p.Subtree...)
			err := tr.Point(&p)
			got, err1 := p.Append(nil, c.to)
			want, err2 := c.want.Append(nil, c.to)
			if err := errors.Join(err, err1, err2); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) || p.Marked != c.want.Marked {
				t.Errorf("wrote\n%x, want\n%x", got, want)
			}
			if made := tr.Changes(); fmt.Sprint(made) != fmt.Sprint(c.changes) {
				t.Errorf("counted %v, want %v", made, c.changes)
			}
		})
	}
}

// A location with only loops is a header of these loops in version 27.
func TestTranslateLocations(t *testing.T) {
	point := func(c format.Class, at, ref int32) format.Point {
		return format.Point{Class: c, Location: at, Ref: ref, Diff: format.DiffNone, Target: format.Null()}
	}
	points := []format.Point{
		point(format.ClassLoop, 1, 8), point(format.ClassIteration, 1, 8), point(format.ClassLoop, 1, 3), point(format.ClassIteration, 1, 8),
		point(format.ClassLoop, 2, 5), point(format.ClassVariableRead, 2, 0),
		point(format.ClassLoop, 3, 5), point(format.ClassLoop, -1, 5), point(format.ClassCall, 4, 5),
	}
	line := func(id int32) format.CodeLocation { return format.CodeLocation{ID: id, Path: -1} }
	header := func(id int32, loops ...int32) format.CodeLocation {
		l := line(id)
		l.Kind, l.Loops = format.LocationLoop, loops
		return l
	}
	call := func(id int32) format.CodeLocation {
		l := line(id)
		l.Kind = format.LocationCall
		return l
	}
	for _, c := range []struct {
		to         format.Version
		from, want format.CodeLocation
		change     format.Change // 0xff for none
	}{
		{27, line(1), header(1, 3, 8), format.ChangeLoops},
		{27, line(2), line(2), 0xff}, // a read is there too
		{27, line(4), line(4), 0xff},
		{27, call(3), call(3), 0xff},
		{27, line(9), line(9), 0xff},
		{22, header(1, 3, 8), line(1), 0xff},
		{22, header(1, 8, 3), line(1), format.ChangeLoopLocation},
		{22, header(1), line(1), format.ChangeLoopLocation},
		{22, header(2, 5), line(2), format.ChangeLoopLocation},
		{22, line(3), line(3), format.ChangeLoopLocation}, // translated back as a header
		{22, line(4), line(4), 0xff},
		{22, call(3), call(3), 0xff},
	} {
		known := format.NewSurvey(other(c.to))
		for _, p := range points {
			b, err := p.Append(nil, other(c.to))
			if err = errors.Join(err, known.Object(b)); err != nil {
				t.Fatal(err)
			}
		}
		tr := newTranslator(t, other(c.to), c.to, known)
		l := c.from
		tr.Location(&l)
		if fmt.Sprint(l) != fmt.Sprint(c.want) {
			t.Errorf("to %d: %v became %v, want %v", c.to, c.from, l, c.want)
		}
		want := map[format.Change]int64{c.change: 1}
		if c.change == 0xff {
			want = map[format.Change]int64{}
		}
		if made := tr.Changes(); fmt.Sprint(made) != fmt.Sprint(want) {
			t.Errorf("to %d: %v counted %v, want %v", c.to, c.from, made, want)
		}
	}
}

// A trace with string builders and without a descriptor of their class gets one, with an id
// that nothing in the trace refers to.
func TestTranslateBuilderClass(t *testing.T) {
	known, _ := surveyOf(t, format.V22, "a.A", "a.B")
	p := format.Point{Class: format.ClassFieldRead, Diff: format.DiffNone, Target: format.Value{Captured: &format.Captured{Fields: []format.CapturedField{
		{Name: "f", Value: format.Value{ClassID: 40}}}}}, Value: format.Value{Kind: format.ValueBuilder}}
	b, err := p.Append(nil, format.V22)
	if err = errors.Join(err, known.Uses(b, 0)); err != nil {
		t.Fatal(err)
	}
	tr := newTranslator(t, format.V22, format.V27, known)
	for i := range 2 {
		if b, err := tr.Object(nil, b, 0); err != nil {
			t.Fatal(err)
		} else if _, err = format.V27.DecodePoint(b, &p); err != nil || p.Value.ClassID != 41 {
			t.Fatalf("%v, %v", p.Value, err)
		}
		if d := tr.Owed(); (d != nil) != (i == 0) || d != nil && *d != (format.ClassDescriptor{ID: 41, Name: "java.lang.StringBuilder"}) {
			t.Fatalf("%d: owed %v", i, d)
		}
	}
	p = format.Point{Class: format.ClassVariableRead, Value: format.Value{Kind: format.ValueBuilder}}
	known, _ = surveyOf(t, format.V22)
	b, err = (&format.ClassDescriptor{ID: math.MaxInt32}).Append(nil, format.V22)
	if err = errors.Join(err, known.Object(b)); err != nil {
		t.Fatal(err)
	}
	if err := newTranslator(t, format.V22, format.V27, known).Point(&p); err == nil {
		t.Error("there is no id left, but one was given")
	}
}

// Version 19 has the values of 22: they do not change.
func TestTranslateOld(t *testing.T) {
	exception, null := format.Value{ClassID: 3}, format.Null()
	known, _ := surveyOf(t, format.V19, "a.A", "a.B", "a.C", "a.FooException")
	tr := newTranslator(t, format.V19, format.V22, known)
	for _, v := range someValues(format.V19) {
		for _, class := range []format.Class{format.ClassVariableRead, format.ClassThrow} {
			p := format.Point{Class: class, Diff: format.DiffNone, Value: v}
			want, err := p.Append(nil, format.V22)
			b, err2 := p.Append(nil, format.V19)
			got, err3 := tr.Object(nil, b, 0)
			if err := errors.Join(err, err2, err3); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%.200v became %.200x, want %.200x, %v", v, got, want, err)
			}
		}
	}
	for _, f := range []format.Footer{{Result: exception}, {Result: null, Threw: true, Exception: "E"}, {Result: format.Value{Kind: format.ValueUntracked}}} {
		want, err := f.Append(nil, format.V22, format.ClassCall)
		b, err2 := f.Append(nil, format.V19, format.ClassCall)
		got, err3 := tr.Object(nil, b, format.ClassCall)
		if err := errors.Join(err, err2, err3); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v became %x, want %x, %v", f, got, want, err)
		}
	}
	if made := tr.Changes(); len(made) > 0 {
		t.Errorf("counted %v", made)
	}
	loop := format.Point{Class: format.ClassLoop, Diff: format.DiffNone, Location: 1}
	b, err := loop.Append(nil, format.V19)
	if err = errors.Join(err, known.Object(b)); err != nil {
		t.Fatal(err)
	}
	tr.Location(&format.CodeLocation{ID: 1, Path: -1})
	if made := tr.Changes(); len(made) != 1 || made[format.ChangeOld] != 1 {
		t.Errorf("counted %v of a location", made)
	}
	field := format.FieldDescriptor{Type: format.Type{Kind: format.TypeInt}}
	b, err = field.Append(nil, format.V19)
	got, err2 := tr.Object(nil, b, 0)
	want, err3 := field.Append(nil, format.V22)
	if err := errors.Join(err, err2, err3); err != nil || !bytes.Equal(got, want) || tr.Changes()[format.ChangeOld] != 2 {
		t.Errorf("a field became %x, want %x, %v, counted %v", got, want, err, tr.Changes())
	}
}

func TestTranslatorVersions(t *testing.T) {
	for _, c := range []struct {
		from, to format.Version
		ok       bool
	}{{22, 27, true}, {27, 22, true}, {19, 22, true}, {19, 27, true}, {27, 27, true}, {22, 19, false}, {23, 27, false}, {27, 28, false}} {
		if _, err := format.NewTranslator(c.from, c.to, nil); (err == nil) != c.ok {
			t.Errorf("%d to %d: %v", c.from, c.to, err)
		}
	}
}
