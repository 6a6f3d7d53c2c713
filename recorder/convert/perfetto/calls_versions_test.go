package perfetto

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/recorder/internal/perfetto/calls"
)

// wrapped is the trace of a recorder that recorded the contents of a data file.
type wrapped struct {
	story   callsStory
	refs    [][]byte        // the first of each id, in order
	objects []format.Object // trace points and footers by thread, those of each in order
	known   *format.Survey
	version format.Version
}

// wrap makes small packets from a data file; if whole is set, each lists the
// containers that are open where it begins.
func wrap(t testing.TB, data []byte, recorder uint64) *wrapped {
	t.Helper()
	s := format.NewBytesScanner(data)
	w := &wrapped{}
	type thread struct {
		part  calls.Part
		count int
	}
	threads := map[int32]*thread{}
	var refs []byte
	for s.Next() {
		if w.known == nil {
			w.version = s.Version()
			w.known = format.NewSurvey(w.version)
		}
		o := s.Object()
		if o.Kind.Reference() || o.Kind == format.KindTracePoint {
			if err := w.known.Object(o.Bytes); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case o.Kind == format.KindThreadName:
		case o.Kind.Reference():
			refs = append(refs, o.Bytes...)
		case o.Kind == format.KindTracePoint || o.Kind == format.KindFooter:
			one := o
			one.Bytes = bytes.Clone(o.Bytes)
			w.objects = append(w.objects, one)
			of := threads[o.Thread]
			if of == nil {
				of = &thread{part: calls.Part{Recorder: recorder, HasThread: true, Thread: o.Thread, Format: int(w.version), Name: "t"}}
				threads[o.Thread] = of
			}
			of.part.Objects = append(of.part.Objects, o.Bytes...)
			if of.count++; of.count == 100 {
				w.story.packet(of.part.Append(nil), 1000)
				of.part.Objects, of.count = nil, 0
				of.part.Number++
			}
		}
	}
	if err := s.Err(); err != nil && !errors.Is(err, format.ErrTruncated) { // some of them are of crashed programs
		t.Fatal(err)
	}
	for _, id := range slices.Sorted(maps.Keys(threads)) {
		w.story.packet(threads[id].part.Append(nil), 1000)
	}
	w.refs = referencesIn(t, data)
	about := calls.Part{Recorder: recorder, Format: int(w.version), References: refs}
	w.story.packet(about.Append(nil), 1000)
	slices.SortStableFunc(w.objects, func(a, b format.Object) int { return int(a.Thread) - int(b.Thread) })
	return w
}

// referencesIn returns the reference objects of a data file except for the names of
// threads, the first of each id.
func referencesIn(t testing.TB, data []byte) (refs [][]byte) {
	t.Helper()
	known := map[reference]bool{}
	s := format.NewBytesScanner(data)
	for s.Next() {
		o := s.Object()
		if !o.Kind.Reference() || o.Kind == format.KindThreadName {
			continue
		}
		name := reference{o.Kind, s.Version().ReferenceID(o.Bytes)}
		if !known[name] {
			refs = append(refs, bytes.Clone(o.Bytes))
		}
		known[name] = true
	}
	return refs
}

// pointsOf returns trace points and footers, by thread.
func pointsOf(t testing.TB, data []byte) (points []format.Object) {
	t.Helper()
	s := format.NewBytesScanner(data)
	for s.Next() {
		if o := s.Object(); o.Kind == format.KindTracePoint || o.Kind == format.KindFooter {
			one := o
			one.Bytes = bytes.Clone(o.Bytes)
			points = append(points, one)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(points, func(a, b format.Object) int { return int(a.Thread) - int(b.Thread) })
	return points
}

// TestCallsVersions has the data of Lincheck's recorders, and random data, in
// packets: in its own version each object is unchanged; in the other it is
// translated, and what was guessed and lost is counted.
func TestCallsVersions(t *testing.T) {
	traces := map[string][]byte{}
	for _, v := range versions {
		traces["random "+v.String()], _ = formattest.Bytes(t, formattest.Spec{Shape: formattest.Random, N: 4000, Seed: 5, Options: formattest.Options{Version: v}})
	}
	for _, name := range formattest.RecordedNames(t, ".bin") {
		if data := formattest.Recorded(t, name); len(data) < 1<<20 {
			traces[name] = data
		}
	}
	if len(traces) < 6 {
		t.Fatalf("%d traces", len(traces))
	}
	for name, data := range traces {
		t.Run(name, func(t *testing.T) {
			in := wrap(t, data, 1)
			for _, to := range versions {
				out, err := convertBytes(t, in.story.trace, Options{FormatVersion: to, BlockSize: 4 << 10})
				if err != nil {
					t.Fatal(err)
				}
				in.sameAs(t, out, to)
			}
		})
	}
}

// ofBlock returns an object with the thread of its block: the object of a live
// breakpoint may name another one.
func (in *wrapped) ofBlock(t *testing.T, o *format.Object) []byte {
	var p format.Point
	if o.Kind != format.KindTracePoint || o.Class != format.ClassSnapshot {
		return o.Bytes
	}
	if _, err := in.version.DecodePoint(o.Bytes, &p); err != nil {
		t.Fatal(err)
	}
	p.Thread = o.Thread
	b, err := p.Append(nil, in.version)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sameAs compares the written trace with the result of a translator for the wrapped
// data.
func (in *wrapped) sameAs(t *testing.T, out *written, to format.Version) {
	t.Helper()
	tr, err := format.NewTranslator(in.version, to, in.known)
	if err != nil {
		t.Fatal(err)
	}
	ctx := contextOf(t, out.data)
	own := int32(-1) // the added class
	tr.NewClass = func() (int32, error) {
		for m := range ctx.Counts()[format.KindClassDescriptor] + 1 {
			if c := ctx.Class(int32(m)); c != nil && c.Name == "java.lang.StringBuilder" {
				own = c.ID
			}
		}
		return own, nil
	}
	got := pointsOf(t, out.data)
	if len(got) != len(in.objects) {
		t.Fatalf("version %d: %d points and footers, want %d", to, len(got), len(in.objects))
	}
	for i, o := range in.objects {
		want, err := tr.Object(nil, in.ofBlock(t, &o), o.Class)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got[i].Bytes, want) {
			t.Fatalf("version %d: object %d, %x, became\n%x, want\n%x", to, i, o.Bytes, got[i].Bytes, want)
		}
	}
	var refs [][]byte
	for _, b := range in.refs {
		if b, err = tr.Object(nil, b, 0); err != nil {
			t.Fatal(err)
		}
		refs = append(refs, b)
	}
	owed := tr.Owed() != nil
	written := slices.DeleteFunc(referencesIn(t, out.data), func(b []byte) bool {
		return owed && format.Kind(b[0]) == format.KindClassDescriptor && to.ReferenceID(b) == own
	})
	if !slices.EqualFunc(written, refs, bytes.Equal) {
		t.Errorf("version %d: %d descriptors, want %d, or others", to, len(written), len(refs))
	}
	changes := tr.Changes()
	if !maps.Equal(changes, out.result.Changes) || len(out.result.LeftOut) > 0 {
		t.Errorf("version %d: changes are %v, want %v; left out: %v", to, out.result.Changes, changes, out.result.LeftOut)
	}
	if owed && own < 0 {
		t.Errorf("version %d: there is no class of string builders", to)
	}
	whole(t, out)
}

// TestCallsMixed has recorders of both versions in one trace, with the same ids, and
// without the description of a class: each object has the class of its own recorder,
// or none.
func TestCallsMixed(t *testing.T) {
	text := func(k format.ValueKind, s string) format.Value { return format.Value{Kind: k, Text: s} }
	message := "no"
	object := format.Value{ClassID: 1, Bits: 5}
	lost := format.Value{ClassID: 2, Bits: 6}
	recorders := []struct {
		version format.Version
		class   string
		values  []format.Value
		want    map[format.Version]string
		changes map[format.Version]map[format.Change]int64
	}{
		{22, "a.Old", []format.Value{object, lost, text(format.ValueRawString, "12"), text(format.ValueRawString, "Color.RED"),
			{Kind: format.ValueBuilder, Bits: 7, Text: "b"}, text(format.ValueJavaClass, "int.class")},
			map[format.Version]string{
				22: `Old@5, ?@6, 12, Color.RED, StringBuilder@7("b"), int.class`, 27: `Old@5, ?@6, 12, Color.RED, StringBuilder@7("b"), int.class`,
			}, map[format.Version]map[format.Change]int64{27: {format.ChangeBigNumber: 1, format.ChangeUnquoted: 1, format.ChangeBuilder: 1}}},
		{27, "b.New", []format.Value{object, lost, {Kind: format.ValueEnum, ClassID: 1, Text: "RED"}, text(format.ValueBigInteger, "13"),
			{Kind: format.ValueSequence, ClassID: 1, Bits: 8, Text: "s"},
			{Kind: format.ValueException, ClassID: 1, Bits: 9, Captured: &format.Captured{Message: &message, Frames: []string{"f"}}}},
			map[format.Version]string{
				22: `New@5, ?@6, New.RED, 13, "s", New@9`, 27: `New@5, ?@6, New.RED, 13, New@8("s"), New@9("no")`,
			}, map[format.Version]map[format.Change]int64{22: {format.ChangeEnum: 1, format.ChangeBig: 1, format.ChangeSequence: 1, format.ChangeExceptionState: 1}}},
	}
	for _, order := range [][]int{{0, 1}, {1, 0}, {0, 1, 0}, {0}, {1}} {
		s := &callsStory{}
		var want []string
		changes := map[format.Version]map[format.Change]int64{22: {}, 27: {}}
		for id, n := range order {
			r := recorders[n]
			values := []byte{}
			for i := range r.values {
				var err error
				if values, err = r.version.AppendValue(values, &r.values[i]); err != nil {
					t.Fatal(err)
				}
			}
			s.version = r.version
			s.refer(t, uint64(id+1), 2)
			class, err := (&format.ClassDescriptor{ID: 1, Name: r.class}).Append(nil, r.version)
			if err != nil {
				t.Fatal(err)
			}
			p := calls.Part{Recorder: uint64(id + 1), HasThread: true, Thread: 2, Name: r.class, Format: int(r.version), References: class,
				Objects: append(r.version.AppendCall(nil, -1, 2, 10, 1, len(r.values), values), voidFooter(r.version)...), Times: each(2, 1)}
			s.packet(p.Append(nil), 1000)
			want = append(want, r.class)
			for to, made := range r.changes {
				for c, count := range made {
					changes[to][c] += count
				}
			}
		}
		for _, to := range versions {
			w, err := convertBytes(t, s.trace, Options{FormatVersion: to})
			if err != nil {
				t.Fatal(err)
			}
			whole(t, w)
			if !maps.Equal(w.result.Changes, changes[to]) || len(w.result.LeftOut) > 0 {
				t.Errorf("%v to %d: changes %v, want %v; left out: %v", order, to, w.result.Changes, changes[to], w.result.LeftOut)
			}
			got := argumentTexts(t, w)
			for i, n := range order {
				if got[i] != recorders[n].want[to] {
					t.Errorf("%v to %d: %q has %s, want %s", order, to, want[i], got[i], recorders[n].want[to])
				}
			}
		}
		// The newest version, or that of all recorders.
		w, err := convertBytes(t, s.trace, Options{})
		if want := map[bool]format.Version{true: recorders[order[0]].version, false: format.Newest}[len(order) == 1]; err != nil || w.result.Version != want {
			t.Errorf("%v: version %d is written, %v, want %d", order, w.result.Version, err, want)
		}
	}
}

// argumentTexts returns the arguments of each call, with "?" as the name of a class
// without a description.
func argumentTexts(t *testing.T, w *written) (texts []string) {
	t.Helper()
	ctx := contextOf(t, w.data)
	var p format.Point
	for _, o := range pointsOf(t, w.data) {
		if o.Kind != format.KindTracePoint {
			continue
		}
		if _, err := ctx.Version().DecodePoint(o.Bytes, &p); err != nil {
			t.Fatal(err)
		}
		var all []string
		for i := range p.Args {
			text := string(ctx.AppendValueText(nil, &p.Args[i]))
			if _, rest, ok := strings.Cut(text, ">@"); ok && strings.HasPrefix(text, "<class ") {
				text = "?@" + rest
			}
			all = append(all, text)
		}
		texts = append(texts, strings.Join(all, ", "))
	}
	return texts
}

// TestCallsVersionDamaged has parts of unknown versions, and of another version than
// earlier parts.
func TestCallsVersionDamaged(t *testing.T) {
	for _, c := range []struct {
		formats []int
		left    string
		events  int64
	}{
		{[]int{0, 22}, "", 1}, {[]int{22, 0}, "", 1}, {[]int{0, 27}, "1 damaged packet", 0}, {[]int{27, 22}, "1 damaged packet", 0},
		{[]int{22, 19}, "1 packet of recorded calls in an unknown format version", 0}, {[]int{28, 22}, "1 packet of recorded calls in an unknown format version", 1},
	} {
		s := &callsStory{}
		s.refer(t, 9, 2)
		class, err := (&format.ClassDescriptor{Name: "Class"}).Append(nil, format.V22)
		if err != nil {
			t.Fatal(err)
		}
		first := calls.Part{Recorder: 1, Format: c.formats[0], References: class}
		s.packet(first.Append(nil), 1000)
		second := calls.Part{Recorder: 1, Format: c.formats[1], HasThread: true, Thread: 2, Objects: slices.Concat(enterIn(format.V22)(1), voidFooter(format.V22))}
		s.packet(second.Append(nil), 1000)
		w, err := convertBytes(t, s.trace, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if left := strings.Join(leftOf(w), "; "); left != c.left || w.result.Events != c.events {
			t.Errorf("%v: %d events, left out %q, want %d and %q", c.formats, w.result.Events, left, c.events, c.left)
		}
	}
}

// TestVersionNotWritten requests versions that cannot be written.
func TestVersionNotWritten(t *testing.T) {
	for _, v := range []format.Version{format.V19, 23, 28} {
		c := New(Options{FormatVersion: v})
		defer c.Close()
		if err := c.Packet(small(t)[:20]); err == nil {
			_, err = c.Write(t.Context(), tracefile.Files{Data: new(bytes.Buffer), Index: new(bytes.Buffer), Times: new(bytes.Buffer)})
			if err == nil || !strings.Contains(err.Error(), "27, 22") {
				t.Errorf("version %d: %v", v, err)
			}
		}
	}
}
