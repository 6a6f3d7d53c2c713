package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// callersTable makes the table of a Callers.
type callersTable struct {
	c      *Callers
	p      *paths
	groups []*Group
	names  []string
	nodes  []pathNode
	depths []int32
	rows   []int32 // nodes in the order of rows; ^node for its others
	asked  map[int32]bool
	g      *display.Glyphs
}

// pathRow is what a row of the table is.
const pathRow = "path"

// Table returns the table of what has been merged so far: a tree, each row a path.
func (c *Callers) Table(view View) *table.Table {
	gaps := gapNotes(c.Top.r, c.timed)
	c.mu.Lock()
	defer c.mu.Unlock()
	x := &callersTable{c: c, p: c.focus.paths, groups: c.Top.groups.list(), g: view.G}
	x.names = names(x.groups)
	x.nodes, x.asked = x.p.nodes, make(map[int32]bool)
	if view.Done < 1 { // they will change
		x.nodes = slices.Clone(x.nodes)
	}
	out := &table.Table{Row: pathRow, Title: x.title(), Columns: x.columns(), Sorted: x.columns()[0].Key, Partial: view.Done < 1, Done: view.Done, Empty: "no calls", Notes: append(x.notes(), gaps...)}
	if x.p.nodes[0].Calls > 0 || x.p.nodes[0].inner > 0 {
		x.order()
	}
	out.Rows = x
	return out
}

// title tells what the paths are of.
func (x *callersTable) title() string {
	of := strings.Join(x.c.methods[:min(len(x.c.methods), 2)], ", ")
	if n := len(x.c.methods) - 2; n > 0 {
		of += fmt.Sprintf(" and %d more", n)
	}
	what := "callers of " + of
	if x.c.focus.Callees {
		what = "callees of " + of
	}
	what += x.c.scope.about(x.g)
	root := &x.p.nodes[0]
	parts := []string{what, "by total"}
	if x.bySelf() {
		parts[1] = "by self"
	}
	if !x.c.timed {
		parts[1] += ": this trace has no times"
		parts = append(parts, display.Plural(root.Points, "event"))
	} else {
		parts = append(parts, x.g.Duration(root.Total))
	}
	return strings.Join(parts, " "+x.g.Dot+" ")
}

// bySelf reports whether paths have the own time of calls.
func (x *callersTable) bySelf() bool { return x.c.focus.Self && !x.c.focus.Callees }

func (x *callersTable) columns() []table.Column {
	weight := table.Column{Key: "total", Title: "total", Kind: table.Duration}
	switch {
	case !x.c.timed:
		weight = table.Column{Key: "events", Title: "events", Kind: table.Count}
	case x.bySelf():
		weight.Key, weight.Title = "self", "self"
	}
	list := []table.Column{weight, {Key: "share", Title: "share", Kind: table.Share}, {Key: "calls", Title: "calls", Kind: table.Count}}
	if x.c.focus.Callees {
		list = append(list, table.Column{Key: "calls_per_call", Title: "per call", Kind: table.Decimal, Priority: 1})
	}
	if x.c.timed {
		list = append(list, table.Column{Key: "mean", Title: "mean", Kind: table.Duration, Priority: 2})
	}
	return append(list, table.Column{Key: "depth", Kind: table.Number, In: table.OnlyData},
		table.Column{Key: "name", Title: "method", Stretch: true, CutMiddle: true, Style: format.StyleMethod},
		table.Column{Key: "class", In: table.OnlyData}, table.Column{Key: "method", In: table.OnlyData}, table.Column{Key: "path", In: table.OnlyData})
}

// order puts the paths in order: each before the longer ones, of these the heaviest first.
func (x *callersTable) order() {
	x.depths = make([]int32, len(x.nodes))
	byParent := make([]int32, 0, len(x.nodes))
	for i := range x.nodes {
		if i > 0 {
			x.depths[i] = x.depths[x.nodes[i].parent] + 1
			byParent = append(byParent, int32(i))
		}
	}
	slices.SortFunc(byParent, func(a, b int32) int {
		p, q := &x.nodes[a], &x.nodes[b]
		return cmp.Or(cmp.Compare(p.parent, q.parent), cmp.Compare(p.weight(), q.weight()), cmp.Compare(p.Calls, q.Calls),
			cmp.Compare(x.names[q.group], x.names[p.group]))
	})
	first := make([]int32, len(x.nodes)+1) // of each node's children in byParent
	for _, k := range byParent {
		first[x.nodes[k].parent+1]++
	}
	for i := range x.nodes {
		first[i+1] += first[i]
	}
	for todo := []int32{0}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		x.rows = append(x.rows, at)
		if at < 0 {
			continue
		}
		if x.nodes[at].others.Calls > 0 {
			todo = append(todo, ^at) // after its children
		}
		todo = append(todo, byParent[first[at]:first[at+1]]...)
	}
}

func (x *callersTable) Len() int { return len(x.rows) }

func (x *callersTable) Row(i int) []table.Value {
	at := x.rows[i]
	others := at < 0
	if others {
		at = ^at
	}
	n := &x.nodes[at]
	path := make([]string, 0, x.depths[at]+1)
	for up := at; up > 0; up = x.nodes[up].parent {
		path = append(path, x.names[x.nodes[up].group])
	}
	slices.Reverse(path)
	if others {
		return x.row(&n.others, x.g.More+" others", table.Value{}, table.Value{}, append(path, "others"))
	}
	name, class, method := x.c.root, table.Value{}, table.Value{}
	if at > 0 {
		g := x.groups[n.group]
		name = x.names[n.group]
		if g.Class != "" {
			class = table.Str(g.Class)
		}
		if g.Method != "" {
			method = table.Str(g.Method)
		}
		if x.distinct() && x.again(n.group) {
			name = "(again) " + name
		}
	}
	row := x.row(&n.pathSums, name, class, method, path)
	if n.more { // in place of the last blanks that indent it
		i := slices.IndexFunc(x.columns(), func(c table.Column) bool { return c.Key == "name" })
		row[i] = table.Str(strings.Repeat("  ", max(0, len(path)-1)) + x.g.Absent + " " + name).JSON(format.AppendJSONString(nil, name))
	}
	return row
}

// PathOf returns the path of a row of a table of [Callers], for [CallersOptions].On; ok is false if it is for several.
func PathOf(t *table.Table, row int) (path []string, ok bool) {
	x, is := t.Rows.(*callersTable)
	if !is || row < 0 || row >= len(x.rows) || x.rows[row] < 0 {
		return nil, false
	}
	path = []string{}
	for at := x.rows[row]; at > 0; at = x.nodes[at].parent {
		path = append(path, x.groups[x.nodes[at].group].only)
	}
	slices.Reverse(path)
	return path, true
}

// distinct reports whether a path whose last group is asked for tells that of a call within another one.
func (x *callersTable) distinct() bool { return x.c.focus.Callees || !x.c.focus.filtered }

// again reports whether a group on a path is asked for itself.
func (x *callersTable) again(group int32) bool {
	yes, known := x.asked[group]
	if known {
		return yes
	}
	g := x.groups[group]
	x.c.r.WithContext(func(*format.Context) { yes = !g.Unknown && x.c.focus.matches(g.ID) })
	x.asked[group] = yes
	return yes
}

// row returns the values of a row.
func (x *callersTable) row(s *pathSums, name string, class, method table.Value, path []string) []table.Value {
	root := &x.nodes[0]
	weight, of := s.Total, root.Total
	if !x.c.timed {
		weight, of = s.Points, root.Points
	}
	v := []table.Value{table.Int(weight), share(weight, of), table.Int(s.Calls)}
	if x.c.focus.Callees {
		per := table.Value{}
		if root.Calls > 0 {
			per = table.Float(float64(s.Calls) / float64(root.Calls))
		}
		v = append(v, per)
	}
	if x.c.timed {
		mean := table.Value{}
		if s.Calls > 0 && weight > 0 {
			mean = table.Int(weight / s.Calls)
		}
		v = append(v, mean)
	}
	list := []byte{'['}
	for i, text := range path {
		if i > 0 {
			list = append(list, ',')
		}
		list = format.AppendJSONString(list, text)
	}
	indent := strings.Repeat("  ", len(path))
	return append(v, table.Int(int64(len(path))), table.Str(indent+name).JSON(format.AppendJSONString(nil, name)),
		class, method, table.Str(strings.Join(path, " < ")).JSON(append(list, ']')))
}

// notes tells what the numbers do not tell.
func (x *callersTable) notes() (list []string) {
	more := int64(0)
	for i := range x.nodes {
		more += int64(b2i(x.nodes[i].more))
	}
	if more > 0 {
		list = append(list, fmt.Sprintf("%s of %s go on beyond %d calls: %s", display.Grouped(more), display.Plural(int64(len(x.nodes)-1), "path"), x.c.focus.Depth, x.g.Absent))
	}
	if n := x.p.nodes[0].inner; n > 0 {
		text := display.Plural(n, "call") + " within another one: only their number counts"
		if x.distinct() {
			text += ", as (again)"
		}
		list = append(list, text)
	}
	if x.p.merged > 0 {
		lost := display.Grouped(x.p.lost) + " events"
		if x.c.timed {
			lost = x.g.Duration(x.p.lost)
		}
		list = append(list, fmt.Sprintf("%s that weigh little were merged into others: a path may lack up to %s",
			display.Plural(x.p.merged, "path"), lost))
	}
	return list
}
