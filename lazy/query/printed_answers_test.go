package query

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// printedTrace is a real trace, as recorded, and what the text tells that the reference printed of it.
type printedTrace struct {
	r     *lazy.LazyTraceReader
	text  []byte
	roots []*node
	names []string // of calls, by their ref
}

// eachPrinted calls f for the real traces whose texts are not too long, and checks that it found something in
// enough of them.
func eachPrinted(t *testing.T, f func(t *testing.T, p *printedTrace) (found int)) {
	checked, found := 0, 0
	for name, file := range printedTexts(t) {
		text := formattest.RecordedData(t, file)
		if checked++; formattest.Race && checked%3 != 0 || len(text) > 1<<20 && !formattest.Exhaustive() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := &printedTrace{r: opened(t, formattest.Unpack(t, formattest.RecordedFor(t, name))), text: text}
			p.roots, p.names = printedForest(text)
			counted := append([]*node(nil), p.roots...)
			for i := 0; i < len(counted); i++ { // children come later
				counted = append(counted, counted[i].kids...)
			}
			for i := len(counted) - 1; i >= 0; i-- {
				n := counted[i]
				if n.points++; n.parent != nil {
					n.parent.points += n.points
				}
			}
			found += f(t, p)
		})
	}
	if checked < 10 || found < 20 {
		t.Errorf("%d found in %d traces", found, checked)
	}
}

// common returns the names of calls in the text, those of most calls first.
func (p *printedTrace) common() []string {
	count := make(map[string]int)
	for _, name := range p.names {
		count[name]++
	}
	return slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
}

// shown returns the name of a method as the text has it.
func (p *printedTrace) shown(method int32) (name string) {
	p.r.WithContext(func(c *format.Context) {
		if name = c.MethodName(method); name == "<init>" {
			name, _ = c.CallName(method, 0)
		}
	})
	return name
}

// plainName reports whether a name is good in a filter for all methods that the text names so.
var plainName = regexp.MustCompile(`^[a-zA-Z_]\w*$`).MatchString

// own is how many points of a call are in no call in it.
func (n *node) own() int64 {
	own := n.points
	for _, k := range calls(n.kids) {
		own -= k.points
	}
	return own
}

// TestCallersOfPrinted: in real traces who called a method how often, and the own points of these calls, is
// what the text tells that the reference printed.
func TestCallersOfPrinted(t *testing.T) {
	const depth = 3
	eachPrinted(t, func(t *testing.T, p *printedTrace) (found int) {
		names := slices.DeleteFunc(p.common(), func(name string) bool { return !plainName(name) })
		for _, name := range names[:min(4, len(names))] {
			want, got := make(map[string][2]int64), make(map[string][2]int64)
			add := func(to map[string][2]int64, path []string, n, own int64) {
				key := strings.Join(path, " < ")
				to[key] = [2]int64{to[key][0] + n, to[key][1] + own}
			}
			var walk func(list []*node, around []string)
			walk = func(list []*node, around []string) {
				for _, n := range list {
					if p.names[n.ref] == name {
						for k := range min(depth, len(around)) + 1 {
							add(want, around[:k], 1, n.own())
						}
					}
					walk(calls(n.kids), slices.Insert(slices.Clone(around), 0, p.names[n.ref]))
				}
			}
			walk(calls(p.roots), nil)
			c, err := NewCallers(p.r, Scope{Raw: true}, CallersOptions{Method: name, Depth: depth, Self: true})
			if err != nil {
				t.Fatal(err)
			}
			collects(t, p.r, Scope{Raw: true}, 20_000, c)
			groups, nodes := c.groups.list(), c.focus.paths.nodes
			for i := range nodes {
				var path []string
				for at := int32(i); at > 0; at = nodes[at].parent {
					path = append(path, p.shown(groups[nodes[at].group].ID))
				}
				slices.Reverse(path)
				if n := &nodes[i]; n.Calls > 0 {
					add(got, path, n.Calls, n.Points)
				}
			}
			if !maps.Equal(got, want) {
				t.Errorf("callers of %s:\n got %v\nwant %v", name, got, want)
			}
			found += len(want)
		}
		return found
	})
}

// TestIterationsOfPrinted: the iterations of loops in real traces, how many points and calls are in each and how
// many threw, are those of the text that the reference printed.
func TestIterationsOfPrinted(t *testing.T) {
	eachPrinted(t, func(t *testing.T, p *printedTrace) (found int) {
		inOrder := func(roots []*node) (list []*node) { // as in the text
			var walk func(n *node)
			walk = func(n *node) {
				if n.class == format.ClassLoop {
					list = append(list, n)
				}
				for _, k := range n.kids {
					walk(k)
				}
			}
			for _, n := range roots {
				walk(n)
			}
			slices.SortStableFunc(list, func(a, b *node) int { return int(a.thread - b.thread) })
			return list
		}
		printed, loops := inOrder(p.roots), inOrder(forest(t, p.r, true))
		if len(printed) != len(loops) {
			t.Fatalf("%d loops, the text has %d", len(loops), len(printed))
		}
		for i := 0; i < len(loops); i += 1 + len(loops)/5 {
			x := compareIterations(t, p.r, true, loops[i], 5000)
			var got, want []string
			for i := range x.rows {
				row := &x.rows[i]
				got = append(got, fmt.Sprintf("iteration %d: %d points, %d calls, %d threw", row.number+1, row.events, row.calls, row.threw))
			}
			for k, n := range printed[i].kids {
				var calls, threw int
				var walk func(list []*node)
				walk = func(list []*node) {
					for _, n := range list {
						if walk(n.kids); n.class == format.ClassCall {
							calls, threw = calls+1, threw+b2i(n.threw)
						}
					}
				}
				walk(n.kids)
				want = append(want, fmt.Sprintf("iteration %d: %d points, %d calls, %d threw", k+1, n.points, calls, threw))
			}
			if !slices.Equal(got, want) {
				t.Errorf("loop %d:\n got %q\nwant %q", i, got, want)
			}
			found += len(want)
		}
		return found
	})
}

// TestFlameOfPrinted: without times, what is drawn of a thread is every call, loop and iteration of the text
// that has so many of its lines.
func TestFlameOfPrinted(t *testing.T) {
	eachPrinted(t, func(t *testing.T, p *printedTrace) (found int) {
		if _, timed := p.r.Times(); timed || len(p.roots) == 0 || p.r.ThreadList().Len() != 1 {
			return 0 // the numbers of lines are not those of events
		}
		all := int64(0)
		for _, n := range p.roots {
			all += n.points
		}
		for _, columns := range []int{7, 60} {
			o := lazy.FlameOptions{Thread: p.roots[0].thread, Raw: true, Columns: columns, Depth: 9}
			f, err := lazy.FlameOf(t.Context(), p.r, o)
			if err != nil || f.To-f.From != all {
				t.Fatalf("%d points, the text has %d: %v", f.To-f.From, all, err)
			}
			var got, want []string
			for _, s := range f.Spans {
				name := s.Class.String()
				if s.Class == format.ClassCall {
					call, _ := parsePrinted(s.Text)
					name = call.name
				}
				got = append(got, fmt.Sprintf("%s, depth %d, from %d to %d", name, s.Depth, s.From-f.From, s.To-f.From))
			}
			line := int64(0)
			var walk func(list []*node, depth int)
			walk = func(list []*node, depth int) {
				for _, n := range list {
					from := line
					at := len(want)
					line++
					walk(n.kids, depth+1)
					if !n.class.Container() || depth >= o.Depth || (line-from)*int64(columns) < all {
						continue
					}
					name := n.class.String()
					if n.class == format.ClassCall {
						name = p.names[n.ref]
					}
					want = slices.Insert(want, at, fmt.Sprintf("%s, depth %d, from %d to %d", name, depth, from, line))
				}
			}
			walk(p.roots, 0)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%d columns:\n got %s\nwant %s", columns, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			}
			found += len(want)
		}
		return found
	})
}

// TestStepsOfPrinted: calls and own points of methods after steps in real traces are those of the text from
// which the lines were taken.
func TestStepsOfPrinted(t *testing.T) {
	eachPrinted(t, func(t *testing.T, p *printedTrace) (found int) {
		names := slices.DeleteFunc(p.common(), func(name string) bool { return !plainName(name) })
		if len(names) < 3 {
			return 0
		}
		a, b := names[0], names[len(names)/2]
		is := func(name string) func(n *node) bool {
			return func(n *node) bool { return n.class == format.ClassCall && p.names[n.ref] == name }
		}
		for _, c := range []struct {
			kinds [2]StepKind
			names [2]string
		}{{[2]StepKind{Merge, Drop}, [2]string{a, b}}, {[2]StepKind{Focus, Merge}, [2]string{b, a}}, {[2]StepKind{Drop, Merge}, [2]string{a, b}}} {
			var steps Steps
			var plain []plainStep
			for i, kind := range c.kinds {
				s, err := ParseStep(kind, c.names[i])
				if err != nil {
					t.Fatal(err)
				}
				steps, plain = append(steps, s), append(plain, plainStep{kind, is(c.names[i])})
			}
			scope := Scope{Raw: true}
			if err := scope.Edit(t.Context(), p.r, steps); err != nil {
				t.Fatal(err)
			}
			want, got := make(map[string]printedSums), make(map[string]printedSums)
			add := func(to map[string]printedSums, name string, calls, threw, own int64) {
				s := to[name]
				to[name] = printedSums{s.calls + calls, s.threw + threw, s.own + own}
			}
			var walk func(list []*node)
			walk = func(list []*node) {
				for _, n := range list {
					add(want, p.names[n.ref], 1, int64(b2i(n.threw)), n.own())
					walk(calls(n.kids))
				}
			}
			walk(calls(edited(p.roots, plain, new(StackSums))))
			top := editedTop(t, p.r, scope, 20_000)
			for i, g := range top.groups.list() {
				if row := &top.rows[i]; row.Calls > 0 {
					add(got, p.shown(g.ID), row.Calls, row.Threw, row.Own)
				}
			}
			if !maps.Equal(got, want) {
				t.Errorf("%v:\n got %v\nwant %v", steps, got, want)
			}
			found += len(want)
		}
		return found
	})
}

// printedWrite is a line that writes a variable, or a field of this.
var printedWrite = regexp.MustCompile(`^ *([a-z]\w*) = (.*?)(?: at \S+:\d+)?$`)

// TestStateOfPrinted: before the last point of a call in a real trace, its variables have the values that the lines
// of the text in the call, and in its loops, wrote last.
func TestStateOfPrinted(t *testing.T) {
	eachPrinted(t, func(t *testing.T, p *printedTrace) (found int) {
		_, all := plainPoints(t, p.r, true)
		var lines []string
		for line := range joined(p.text) {
			if !strings.HasPrefix(line, "# Thread ") {
				lines = append(lines, line)
			}
		}
		if len(all) != len(lines) || strings.HasPrefix(lines[0], "  ") {
			return 0 // the text of a diff
		}
		line := make(map[*plainPoint]string)
		for i, x := range all {
			line[x] = lines[i]
		}
		checked := 0
		for i := 0; i < len(all) && checked < 25; i += 1 + len(all)/1500 {
			call := all[i]
			if call.Point().Class != format.ClassCall || len(call.kids) < 3 {
				continue
			}
			checked++
			last := call.kids[len(call.kids)-1]
			want := make(map[string]string)
			var walk func(list []*plainPoint)
			walk = func(list []*plainPoint) {
				for _, x := range list {
					if m := printedWrite.FindStringSubmatch(line[x]); m != nil && x != last {
						want[m[1]] = m[2]
					}
					if class := x.Point().Class; x != last && (class == format.ClassLoop || class == format.ClassIteration) {
						walk(x.kids)
					}
				}
			}
			walk(call.kids)
			s := NewState(p.r, true, HistoryPoint{last.Position(), last.Point().Event})
			runs(t, s)
			for _, v := range s.Values() {
				box := strings.Contains(v.Value.Text, "Ref@") // of a captured variable: the text has what is in it
				if value, ok := want[v.Name]; ok && v.Part == VariablePart && !box {
					if found++; v.Value.Text != value {
						t.Errorf("before #%d: %s is %q, the text writes %q", last.Point().Event, v.Name, v.Value.Text, value)
					}
				}
			}
		}
		return found
	})
}
