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
	cols   table.Columns[*pathRow]
	g      *display.Glyphs
}

// pathRow is a row of the table.
type pathRow struct {
	*pathSums
	name  string
	group *Group // nil for the first row, and for others
	path  []string
	cut   bool // the path goes on
}

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
	x.columns()
	out := &table.Table{Row: rowIsPath, Title: x.title(), Columns: x.cols.Heads(), Sorted: x.cols[0].Key, Partial: view.Done < 1, Done: view.Done, Empty: "no calls", Notes: append(x.notes(), gaps...)}
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

// columns makes the columns.
func (x *callersTable) columns() {
	root := &x.nodes[0].pathSums
	weight, of := table.Column{Key: "total", Title: "total", Kind: table.Duration}, func(s *pathSums) int64 { return s.Total }
	switch {
	case !x.c.timed:
		weight, of = table.Column{Key: "events", Title: "events", Kind: table.Count}, func(s *pathSums) int64 { return s.Points }
	case x.bySelf():
		weight.Key, weight.Title = "self", "self"
	}
	add := x.cols.Add
	add(weight, func(r *pathRow) table.Value { return table.Int(of(r.pathSums)) })
	add(table.Column{Key: "share", Title: "share", Kind: table.Share}, func(r *pathRow) table.Value { return share(of(r.pathSums), of(root)) })
	add(table.Column{Key: "calls", Title: "calls", Kind: table.Count}, func(r *pathRow) table.Value { return table.Int(r.Calls) })
	if x.c.focus.Callees {
		add(table.Column{Key: "calls_per_call", Title: "per call", Kind: table.Decimal, Priority: 1}, func(r *pathRow) table.Value { return share(r.Calls, root.Calls) })
	}
	if x.c.timed {
		add(table.Column{Key: "mean", Title: "mean", Kind: table.Duration, Priority: 2}, func(r *pathRow) table.Value {
			if r.Calls == 0 || r.Total <= 0 {
				return table.Value{}
			}
			return table.Int(r.Total / r.Calls)
		})
	}
	add(table.Column{Key: "depth", Kind: table.Number, In: table.OnlyData}, func(r *pathRow) table.Value { return table.Int(int64(len(r.path))) })
	add(table.Column{Key: "name", Title: "method", Stretch: true, CutMiddle: true, Style: format.StyleMethod}, func(r *pathRow) table.Value {
		indent := strings.Repeat("  ", len(r.path))
		if r.cut { // in place of the last blanks that indent it
			indent = strings.Repeat("  ", max(0, len(r.path)-1)) + x.g.Absent + " "
		}
		return table.Str(indent + r.name).JSON(format.AppendJSONString(nil, r.name))
	})
	named := func(key string, text func(g *Group) string) {
		add(table.Column{Key: key, In: table.OnlyData}, func(r *pathRow) table.Value {
			if r.group == nil {
				return table.Value{}
			}
			return table.StrIf(text(r.group))
		})
	}
	named("class", func(g *Group) string { return g.Class })
	named("method", func(g *Group) string { return g.Method })
	add(table.Column{Key: "path", In: table.OnlyData}, func(r *pathRow) table.Value { return table.Names(r.path, " < ") })
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
	row := pathRow{pathSums: &n.pathSums, name: x.c.root, cut: n.more && !others}
	for up := at; up > 0; up = x.nodes[up].parent {
		row.path = append(row.path, x.names[x.nodes[up].group])
	}
	slices.Reverse(row.path)
	switch {
	case others:
		row.pathSums, row.name, row.path = &n.others, x.g.More+" others", append(row.path, "others")
	case at > 0:
		row.group, row.name = x.groups[n.group], x.names[n.group]
		if x.distinct() && x.again(n.group) {
			row.name = "(again) " + row.name
		}
	}
	return x.cols.Row(&row)
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
