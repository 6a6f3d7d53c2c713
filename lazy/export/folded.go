package export

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"tracex/lazy/query"
)

// Weights are what the numbers of folded stacks can count: the own time of calls in nanoseconds, calls, and
// the points of calls that are in no call in them.
var Weights = []string{"self", "calls", "points"}

// foldedFormat writes a line for each stack: its thread, its methods from the outermost, and a number, as
// Brendan Gregg's flamegraph.pl takes it. Their sum is that of the column of "tracex top". The lines are in
// order if there are no more than a million stacks; of more, a stack may have several lines, which readers add up.
// A stack has at most 2,048 calls: of a deeper one, those before the last that are too many are left out.
var foldedFormat = Format{
	Name: "folded", Suffix: ".folded", What: "folded stacks, for flame graphs", Text: true,
	make: func(j *Job, out *output) target { return newFolded(j, out, 0) },
}

type folded struct {
	stacks
	j       *Job
	out     *output
	err     error // of the options
	sum     func(*query.StackSums) int64
	methods *methods
	names   []string // by group
	threads map[int32]string
	line    []byte
}

// newFolded returns a target that keeps so many stacks in memory; 0 for the usual number.
func newFolded(j *Job, out *output, most int) *folded {
	f := &folded{j: j, out: out, methods: methodsOf(j.R)}
	f.sum, f.err = weightOf(j)
	f.Stacks = query.NewStacks(j.R, j.Scope, query.StacksOptions{Take: f.take, Most: most, Levels: j.Depth})
	return f
}

// weightOf returns what the number of a stack is.
func weightOf(j *Job) (func(*query.StackSums) int64, error) {
	weight := j.Weight
	if weight == "" {
		if weight = "self"; !j.Timed {
			weight = "points"
		}
	}
	switch weight {
	case "self":
		if !j.Timed {
			return nil, errors.New("the trace has no times: its calls can be weighed by calls or points")
		}
		return func(s *query.StackSums) int64 { return s.Self }, nil
	case "calls":
		return func(s *query.StackSums) int64 { return s.Calls }, nil
	case "points":
		return func(s *query.StackSums) int64 { return s.Own }, nil
	}
	return nil, fmt.Errorf("%q is no weight: %s", weight, strings.Join(Weights, ", "))
}

func (f *folded) start() error { return f.err }

func (f *folded) finish() error {
	if err := f.Finish(); err != nil {
		return err
	}
	return f.out.err
}

func (f *folded) Reset() {
	f.out.restart()
	f.Stacks.Reset()
}

// take writes the lines of a tree, in the order of their names.
func (f *folded) take(t *query.StackTree) error {
	f.name(t)
	order, first := f.order(t)
	type level struct{ next, end, line int32 }
	path := []level{{first[0], first[1], 0}}
	for len(path) > 0 {
		l := &path[len(path)-1]
		f.line = f.line[:l.line]
		if l.next == l.end {
			path = path[:len(path)-1]
			continue
		}
		at := order[l.next]
		l.next++
		n := &t.Nodes[at]
		if n.At == query.AtThread {
			f.line = append(f.line, f.threads[n.What]...)
		} else {
			f.line = append(append(f.line, ';'), f.names[n.What]...)
		}
		end := int32(len(f.line))
		if sum := f.sum(&n.StackSums); sum > 0 {
			f.line = append(strconv.AppendInt(append(f.line, ' '), sum, 10), '\n')
			f.out.write(f.line)
		}
		path = append(path, level{first[at+1], first[at+2], end})
	}
	return f.out.err
}

func (f *folded) name(t *query.StackTree) {
	f.names, f.threads = f.names[:0], make(map[int32]string)
	for _, g := range t.Groups {
		f.names = append(f.names, plainName(f.methods.nameOf(g)))
	}
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.At == query.AtThread {
			f.threads[n.What] = frameText(f.j.threadTitle(n.What))
		}
	}
}

// nameOf returns the name of a group of calls.
func (m *methods) nameOf(g *query.Group) string {
	if i, ok := m.of(g.ID); ok && !g.Unknown {
		return m.all[i].name
	}
	return g.Name()
}

// order returns all nodes of a tree in the order of their parents, and of names below each. Those below node n are
// from first[n+1] on, and before first[n+2].
func (f *folded) order(t *query.StackTree) (order, first []int32) {
	rank := ranks(len(f.names), func(i int32) string { return f.names[i] })
	order, first = make([]int32, len(t.Nodes)), make([]int32, len(t.Nodes)+2)
	for i := range t.Nodes {
		order[i] = int32(i)
		first[t.Nodes[i].Parent+2]++
	}
	for i := range len(first) - 1 {
		first[i+1] += first[i]
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &t.Nodes[a], &t.Nodes[b]
		switch {
		case x.Parent != y.Parent:
			return cmp.Compare(x.Parent, y.Parent)
		case x.At == query.AtThread:
			return cmp.Or(cmp.Compare(f.threads[x.What], f.threads[y.What]), cmp.Compare(x.What, y.What))
		}
		return cmp.Compare(rank[x.What], rank[y.What])
	})
	return order, first
}

// ranks returns the places of n things in the order of their names.
func ranks(n int, name func(i int32) string) []int32 {
	list, rank := make([]int32, n), make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(name(a), name(b)) })
	for i, of := range list {
		rank[of] = int32(i)
	}
	return rank
}

// mostFrameText bounds how long the name of a frame may be, in bytes.
const mostFrameText = 1000

// frameText returns a name without what ends a frame, a line or the name itself.
func frameText(name string) string {
	if len(name) > mostFrameText {
		name = name[:mostFrameText] + "…"
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case r == ';':
			return ':'
		case unicode.IsControl(r), r == '\u2028', r == '\u2029', r == utf8.RuneError:
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	core := strings.TrimSpace(name)
	if core == "" {
		return strings.Repeat("_", max(1, utf8.RuneCountInString(name)))
	}
	before := strings.Index(name, core)
	after := utf8.RuneCountInString(name[before+len(core):])
	return strings.Repeat("_", utf8.RuneCountInString(name[:before])) + core + strings.Repeat("_", after)
}

// plainName is frameText of a method, which may be the last one of a line. A number at its end must not look like
// another weight.
func plainName(name string) string {
	name = frameText(name)
	if i := strings.LastIndexFunc(name, unicode.IsSpace); i >= 0 && strings.Trim(strings.TrimSpace(name[i:]), "0123456789.") == "" {
		_, n := utf8.DecodeRuneInString(name[i:])
		name = name[:i] + "_" + name[i+n:]
	}
	return name
}
