package filter

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// sample is a point of a trace with its encoding.
type sample struct {
	point   format.Point
	footer  *format.Footer
	parent  format.Parent
	thread  int32
	encoded []byte
	ending  []byte // encoding of the footer
}

func (s *sample) facts() *Facts {
	return &Facts{Point: &s.point, Footer: s.footer, Parent: s.parent, Thread: s.thread}
}

// samples returns the points of a data file, and its names.
func samples(t testing.TB, data []byte) (*format.Context, []*sample) {
	t.Helper()
	s := format.NewBytesScanner(data)
	var c *format.Context
	var list []*sample
	open := make(map[int32][]*sample)
	for s.Next() {
		if c == nil {
			c = format.NewContext(s.Version())
		}
		o := s.Object()
		switch {
		case o.Kind.Reference():
			if _, _, err := c.Add(o.Bytes); err != nil {
				t.Fatal(err)
			}
		case o.Kind == format.KindTracePoint:
			x := &sample{thread: o.Thread, encoded: o.Bytes}
			if _, err := s.Version().DecodePoint(o.Bytes, &x.point); err != nil {
				t.Fatal(err)
			}
			if around := open[o.Thread]; len(around) > 0 {
				x.parent = format.ParentOf(&around[len(around)-1].point)
			}
			if list = append(list, x); o.Class.Container() {
				open[o.Thread] = append(open[o.Thread], x)
			}
		case o.Kind == format.KindFooter:
			around := open[o.Thread]
			x := around[len(around)-1]
			open[o.Thread] = around[:len(around)-1]
			x.footer, x.ending = new(format.Footer), o.Bytes
			if _, err := s.Version().DecodeFooter(o.Bytes, o.Class, x.footer); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.Err() != nil || len(list) == 0 {
		t.Fatalf("%d points, %v", len(list), s.Err())
	}
	return c, list
}

// eachTrace calls f with recorded and with generated traces of both versions.
func eachTrace(t *testing.T, f func(t *testing.T, c *format.Context, list []*sample, r *rand.Rand)) {
	for _, name := range []string{"gson.dump.bin", "kotlin.v27.stream.bin", "threads.stream.bin", "allkinds.dump.bin", "allkinds.v27.dump.bin"} {
		t.Run(name, func(t *testing.T) {
			c, list := samples(t, formattest.Recorded(t, name))
			f(t, c, list, rand.New(rand.NewPCG(1, 2)))
		})
	}
	for seed := range uint64(6) {
		v := []format.Version{format.V22, format.V27}[seed%2]
		t.Run(fmt.Sprintf("random %d version %d", seed, v), func(t *testing.T) {
			data, _ := formattest.Bytes(t, formattest.Spec{Shape: formattest.Random, N: 400, Seed: seed, Plain: seed < 2, Options: formattest.Options{Version: v}})
			c, list := samples(t, data)
			f(t, c, list, rand.New(rand.NewPCG(seed, 3)))
		})
	}
}

// aTerm makes up a term that probably matches a point.
func aTerm(r *rand.Rand, c *format.Context, s *sample) string {
	p := &s.point
	op := []string{"=", "=", "=", "!=", ":", "~"}[r.IntN(6)]
	eq := []string{"=", "!="}[r.IntN(2)]
	text := func(o, s string) string {
		if o == "~" {
			s = "." // any
		} else if o == ":" && s == "" {
			s = "x"
		}
		return o + Quote(s)
	}
	values := func(field string, v *format.Value) string { return field + valueTerm(r, c, v) }
	switch r.IntN(14) {
	case 0:
		return "kind" + eq + kindWords[r.IntN(len(kindWords))].word
	case 1:
		return fmt.Sprintf("thread%s%d", eq, s.thread+1)
	case 2:
		return fmt.Sprintf("event%s%d", []string{"=", "<", ">=", "!="}[r.IntN(4)], p.Event)
	case 3:
		return "class" + text(op, "Account")
	case 4:
		if file, _, ok := c.FileLine(p.Location); ok && !strings.ContainsRune(file, '\\') {
			return "file" + text(op, file)
		}
	case 5:
		return []string{"threw", "exc", "threw=false", "status=unfinished", "status!=edited"}[r.IntN(5)]
	case 6:
		word := strings.Fields(string(c.AppendText(nil, p, s.footer, s.parent, false)) + " x")
		return Quote(word[r.IntN(len(word))])
	}
	switch p.Class {
	case format.ClassCall:
		if parts := partsOf(c, s); len(parts) > 0 && r.IntN(3) == 0 {
			part := parts[r.IntN(len(parts))]
			return values(part.name, part.value)
		}
		switch n := r.IntN(6); {
		case n == 0 && c.Method(p.Ref) != nil:
			name, _ := c.CallName(p.Ref, 0)
			return "method" + text(op, name)
		case n == 1 && c.Method(p.Ref) != nil && c.Class(c.Method(p.Ref).ClassID) != nil:
			return "class" + text(op, c.Class(c.Method(p.Ref).ClassID).Name)
		case n == 2 && len(p.Args) > 0:
			i := r.IntN(len(p.Args))
			return values([]string{"arg", "obj", fmt.Sprintf("arg.%d", i+1)}[r.IntN(3)], &p.Args[i])
		case n == 3:
			return values([]string{"recv", "obj"}[r.IntN(2)], &p.Target)
		case s.footer != nil && s.footer.Exception != "":
			return "exc" + text(op, s.footer.Exception)
		case s.footer != nil:
			return values([]string{"ret", "obj"}[r.IntN(2)], &s.footer.Result)
		}
	case format.ClassFieldRead, format.ClassFieldWrite:
		if d := c.Field(p.Ref); d != nil && r.IntN(3) == 0 {
			return "field" + text(op, d.Name)
		}
	case format.ClassVariableRead, format.ClassVariableWrite:
		if d := c.Variable(p.Ref); d != nil && r.IntN(3) == 0 {
			return "var" + text(op, d.Name)
		}
	}
	if !p.Class.Container() && p.Class != format.ClassSnapshot {
		if r.IntN(4) == 0 {
			return values("obj", &p.Target)
		}
		return values([]string{"value", "obj"}[r.IntN(2)], &p.Value)
	}
	return "method" + text(op, "x")
}

// namedPart is a value of a call, or what was captured in one, and the field of the language that is it.
type namedPart struct {
	name  string
	value *format.Value
}

// partsOf returns all fields that the values of a call have, by plain recursion.
func partsOf(c *format.Context, s *sample) (list []namedPart) {
	seen := make(map[string]bool)
	var in func(name string, v *format.Value)
	in = func(name string, v *format.Value) {
		if seen[name] {
			return // of two fields of a name the first counts
		}
		seen[name] = true
		if list = append(list, namedPart{name, v}); v.Captured == nil {
			return
		}
		for i := range v.Captured.Fields {
			if f := &v.Captured.Fields[i]; f.Name != "" && !strings.Contains(f.Name, ".") {
				in(name+"."+f.Name, &f.Value)
			}
		}
		for i := range v.Captured.Elements {
			in(fmt.Sprintf("%s.%d", name, i), &v.Captured.Elements[i])
		}
	}
	p := &s.point
	for i := range p.Args {
		in(fmt.Sprintf("arg.%d", i+1), &p.Args[i])
		if name := format.ArgumentName(c, p, i); name != "" {
			in("arg."+name, &p.Args[i])
		}
	}
	in("recv", &p.Target)
	if s.footer != nil && !threw(s.footer) && s.footer.Result.Results(c) == nil {
		in("ret.1", &s.footer.Result)
		// The elements of the only result are ret.1.0 and so on: ret.1 is the result.
		if of := &s.footer.Result; of.Captured == nil || len(of.Captured.Elements) == 0 {
			in("ret", of)
		} else {
			list = append(list, namedPart{"ret", of})
		}
	}
	return list
}

// TestParts: what the fields of values are, against plain recursion over the values of each call.
func TestParts(t *testing.T) {
	captured, named, matched := 0, 0, 0
	eachTrace(t, func(t *testing.T, c *format.Context, list []*sample, r *rand.Rand) {
		var calls []*sample
		all := make(map[*sample][]namedPart)
		for _, s := range list {
			if s.point.Class == format.ClassCall {
				calls, all[s] = append(calls, s), partsOf(c, s)
			}
		}
		for range 400 {
			s := calls[r.IntN(len(calls))]
			part := all[s][r.IntN(len(all[s]))]
			e, err := Parse(part.name + valueTerm(r, c, part.value))
			if err != nil {
				continue // the name of the field cannot be typed
			}
			test := e.root.test
			if test == nil || test.field.Name+test.operand.String() != part.name {
				continue
			}
			// The same comparison with an argument that is the value.
			plain := *test
			plain.field, plain.operand = &fields[idArg], Operand{}
			f, alone := bound(t, e, c), bound(t, &Expr{root: &node{op: opTest, test: &plain}}, c)
			for _, s := range calls[:min(len(calls), 400)] {
				want := false
				for _, x := range all[s] {
					if x.name == part.name && !want {
						want = alone.Match(&Facts{Point: &format.Point{Class: format.ClassCall, Args: []format.Value{*x.value}}})
						break
					}
				}
				if got := f.Match(s.facts()); got != want {
					t.Fatalf("%s: %v, not %v, of %+v %+v", e, got, want, s.point, s.footer)
				}
				if want {
					matched++
				}
			}
			if strings.Count(part.name, ".") > 1 {
				captured++
			}
			if test.operand.Number == 0 && test.field.id == idArg {
				named++
			}
		}
	})
	if captured < 50 || named < 50 || matched < 1000 {
		t.Errorf("%d of captured fields, %d of names, %d matches: the test tests little", captured, named, matched)
	}
}

// valueTerm makes up an operator and a value that probably match a recorded value.
func valueTerm(r *rand.Rand, c *format.Context, v *format.Value) string {
	shown := string(c.AppendValueText(nil, v))
	switch {
	case r.IntN(8) == 0 && shown != "":
		return ":" + Quote(shown)
	case r.IntN(8) == 0:
		return []string{"<5", ">5", "=0..100000", "!=null", ">=-70000"}[r.IntN(5)]
	case isText(v) && r.IntN(4) > 0:
		return "=" + Quote(v.Text)
	case HasIdentity(v):
		return fmt.Sprintf("=@%d", v.Hash())
	}
	return "=" + Word(shown)
}

// anExpr makes up a filter of terms for some points.
func anExpr(r *rand.Rand, c *format.Context, list []*sample, depth int) *Expr {
	if depth == 0 || r.IntN(3) == 0 {
		for {
			if e, err := Parse(aTerm(r, c, list[r.IntN(len(list))])); err == nil {
				return e
			} // a value that obj does not take, or the like
		}
	}
	a, b := anExpr(r, c, list, depth-1).String(), anExpr(r, c, list, depth-1).String()
	e, err := Parse([]string{a + " " + b, a + " or " + b, "(" + a + " or " + b + ")", "-(" + a + ")", "in(" + a + ")", "has(" + b + ") or " + a}[r.IntN(6)])
	if err != nil {
		panic(fmt.Sprintf("%q or %q: %v", a, b, err))
	}
	return e
}

func bound(t testing.TB, e *Expr, c *format.Context) *Filter {
	t.Helper()
	f, err := e.Bind(About{Context: c, Growing: true, Timed: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestQuickAgrees: what Quick says of a point, Match says too; and the text of a filter, written
// canonically, is the same filter; and its opposite matches the other points.
func TestQuickAgrees(t *testing.T) {
	decided, matched := 0, 0
	eachTrace(t, func(t *testing.T, c *format.Context, list []*sample, r *rand.Rand) {
		for range 150 {
			e := anExpr(r, c, list, 3)
			f, again, opposite := bound(t, e, c), bound(t, parse(t, e.String()), c), bound(t, e.Not(), c)
			ins, has := f.Subs()
			for range 60 {
				s := list[r.IntN(len(list))]
				x := s.facts()
				for range ins {
					x.In = append(x.In, r.IntN(2) == 0)
				}
				for range has {
					x.Has = append(x.Has, r.IntN(2) == 0)
				}
				got, quick := f.Match(x), f.Quick(s.point.Class, s.point.Ref, s.thread)
				if quick == Yes && !got || quick == No && got {
					t.Fatalf("%s: quick says %v of %+v, match %v", e, quick, s.point, got)
				}
				if again.Match(x) != got || opposite.Match(x) == got {
					t.Fatalf("%s: %v on %+v, again %v, opposite %v", e, got, s.point, again.Match(x), opposite.Match(x))
				}
				if got && !f.MayBe(s.point.Class) {
					t.Fatalf("%s: matches %+v, whose class it excludes", e, s.point)
				}
				for _, i := range f.MustBeIn() {
					if got && !x.In[i] {
						t.Fatalf("%s: matches %+v, though in(…) does not hold", e, s.point)
					}
				}
				if got && f.Longer() > max(x.Duration, x.Self) {
					t.Fatalf("%s: matches %+v, which takes %d, not %d", e, s.point, x.Duration, f.Longer())
				}
				if quick != Maybe {
					decided++
				}
				if got {
					matched++
				}
			}
		}
	})
	if decided < 1000 || matched < 1000 {
		t.Errorf("%d decided, %d matched: the test tests little", decided, matched)
	}
}

// TestLiteralsKeepPromise: a match has one of the literals in its encoding.
func TestLiteralsKeepPromise(t *testing.T) {
	promised := 0
	eachTrace(t, func(t *testing.T, c *format.Context, list []*sample, r *rand.Rand) {
		for range 1500 {
			e := anExpr(r, c, list, r.IntN(3))
			f := bound(t, e, c)
			all := literalsOf(f, c)
			if all == nil {
				continue
			}
			for _, s := range list[:min(len(list), 2000)] {
				x := s.facts()
				x.In, x.Has = []bool{true, true, true, true}, []bool{true, true, true, true}
				if !f.Match(x) {
					continue
				}
				promised++
				if !hasLiteral(all, s) {
					t.Fatalf("%s matches %+v %+v\n% x\n% x\nwithout any of %v", e, s.point, s.footer, s.encoded, s.ending, all)
				}
			}
		}
	})
	if promised < 500 {
		t.Errorf("%d matches with literals: the test tests little", promised)
	}
}

func hasLiteral(list []Literal, s *sample) bool {
	for _, l := range list {
		if l.Footer && l.In(s.ending) || l.In(s.encoded) {
			return true
		}
	}
	return false
}

// TestQuietKeepsPromise: points that are passed do not match, nor do calls whose footers are.
func TestQuietKeepsPromise(t *testing.T) {
	var passed, passedLate int
	eachTrace(t, func(t *testing.T, c *format.Context, list []*sample, r *rand.Rand) {
		for range 1500 {
			e := anExpr(r, c, list, r.IntN(3))
			f := bound(t, e, c)
			q := f.Clone().Prefilter()
			if q == nil {
				continue
			}
			for _, s := range list[:min(len(list), 1000)] {
				n, class, ref, _ := q.Point(append(slices.Clip(s.encoded), make([]byte, 64)...))
				if n > 0 && (n != len(s.encoded) || class != s.point.Class || ref != s.point.Ref) {
					t.Fatalf("%s: passes %d bytes of %+v, which has %d", e, n, s.point, len(s.encoded))
				}
				matches := f.Match(s.facts())
				switch {
				case n == 0:
				case !f.Late() || !class.Container():
					if passed++; matches {
						t.Fatalf("%s passes %+v, which matches", e, s.point)
					}
				case s.ending != nil:
					n = q.Footer(append(slices.Clip(s.ending), make([]byte, 64)...), class)
					if n == 0 {
						break
					}
					if passedLate++; n != len(s.ending) || matches {
						t.Fatalf("%s passes %d bytes of the footer of %+v, which has %d: %+v", e, n, s.point, len(s.ending), s.footer)
					}
				}
			}
		}
	})
	if passed < 1000 || passedLate < 1000 {
		t.Errorf("%d points passed, %d footers: the test tests little", passed, passedLate)
	}
}

// TestNumberLiterals: the literals of numbers in values of every kind that can equal them.
func TestNumberLiterals(t *testing.T) {
	for _, v := range []format.Version{format.V22, format.V27} {
		c := shopOf(t, v)
		for _, n := range []int64{65537, -70001, 1204332, 16777216, 2147483647, -2147483648, 2147483648, 4294967297, 1 << 40, 9223372036854775807, -9223372036854775808} {
			values := []format.Value{{Kind: format.ValueInt, Bits: n}, {Kind: format.ValueLong, Bits: n}, floatOf(float32(n)), doubleOf(float64(n)),
				{Kind: format.ValueBigInteger, Text: fmt.Sprint(n)}, {Kind: format.ValueBigDecimal, Text: fmt.Sprint(n)},
				{Kind: format.ValueBigDecimal, Text: fmt.Sprintf("%d.00", n)}, {Kind: format.ValueRawString, Text: fmt.Sprint(n)}}
			f := bound(t, parse(t, fmt.Sprintf("arg=%d", n)), c)
			if literalsOf(f, c) == nil {
				t.Errorf("no literals for %d", n)
			}
			for _, value := range values {
				p := format.Point{Class: format.ClassCall, Location: -1, Target: format.Null(), Args: []format.Value{value}, Diff: format.DiffNone}
				b, err := p.Append(nil, v)
				if err != nil {
					continue // a kind that the version lacks
				}
				if _, err := v.DecodePoint(b, &p); err != nil {
					t.Fatal(err)
				}
				if s := (&sample{point: p, encoded: b}); f.Match(s.facts()) && !hasLiteral(literalsOf(f, c), s) {
					t.Errorf("%d in %v of version %v: % x", n, value.Kind, v, b)
				}
			}
		}
	}
	for _, text := range []string{"arg=5", "arg=70000", "arg=1.5", "arg=null", "arg=word", `arg="x"`, "arg!=123456", "arg>123456", "-arg=123456", "arg=123456 or threw", "in(arg=123456)", "123456"} {
		if l := literalsOf(bound(t, parse(t, text), shop(t)), shop(t)); l != nil {
			t.Errorf("%s promises %v", text, l)
		}
	}
}
