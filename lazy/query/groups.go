package query

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// By is what the calls of a row have in common.
type By uint8

const (
	ByMethod By = iota
	ByClass
	ByPackage
	ByFile // of the line that makes the call
	ByThread
)

// Bys are the words for the values of By.
var Bys = [...]string{"method", "class", "package", "file", "thread"}

func (b By) String() string { return Bys[b] }

// ParseBy returns the By that a word names.
func ParseBy(word string) (By, bool) {
	for i, w := range Bys {
		if w == word || word == "pkg" && w == "package" {
			return By(i), true
		}
	}
	return 0, false
}

// Group is calls that have a method, a class, a package, a file or a thread in common. Methods
// that the trace describes twice, with the same names and types, are one.
type Group struct {
	// ID is that of the method or the thread, or, if Unknown, that of what the trace does not
	// describe. Of several methods it is the first that was seen.
	ID      int32
	Unknown bool
	Class   string // full name; "" if it does not apply, or is not known
	Method  string
	Args    []format.Type
	Result  format.Type
	names   [4]string // from short to exact
	name    string    // of a method, as in its text
	full    string    // the same with the full name of the class
	only    string    // a text that no other group has, the same in all answers
}

// groups gives calls the numbers of their groups, from 0.
type groups struct {
	by  By
	ctx *format.Context // to be read by visitors
	mu  sync.Mutex      // guards the fields below
	ids map[string]int32
	all []*Group
}

// newGroups returns the groups of a trace's calls.
func newGroups(r *lazy.LazyTraceReader, by By) *groups {
	g := &groups{by: by, ids: make(map[string]int32)}
	r.WithContext(func(c *format.Context) { g.ctx = c })
	return g
}

// list returns the groups found so far. They do not change.
func (g *groups) list() []*Group {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all[:len(g.all):len(g.all)]
}

// of returns the number of a group, from the id of a method, a code location or a thread. It must
// be called by visitors of a pass.
func (g *groups) of(id int32) int32 {
	key, made := g.describe(id)
	g.mu.Lock()
	defer g.mu.Unlock()
	n, ok := g.ids[key]
	if !ok {
		n, made.only = int32(len(g.all)), key
		g.ids[key] = n
		g.all = append(g.all, made)
	}
	return n
}

// describe returns a group, and a key that no other has.
func (g *groups) describe(id int32) (key string, made *Group) {
	made = &Group{ID: id}
	switch g.by {
	case ByThread:
		made = threadGroup(g.ctx, id)
		return made.names[0], made
	case ByFile:
		file, _, ok := g.ctx.FileLine(id)
		if !ok || file == "" {
			file, made.Unknown = "(unknown file)", true
		}
		return fmt.Sprint(file, made.Unknown), made.named(file)
	}
	m := g.ctx.Method(id)
	if m == nil {
		name, _ := g.ctx.CallName(id, 0)
		made.Unknown = true
		if g.by == ByMethod {
			return strconv.Itoa(int(id)), made.named(name)
		}
		return "", made.named("(unknown " + g.by.String() + ")")
	}
	full := ""
	if c := g.ctx.Class(m.ClassID); c != nil {
		full = c.Name
	}
	switch g.by {
	case ByClass:
		made.Class = full
		made.names = [4]string{g.ctx.ClassName(m.ClassID), full, full, full}
		if full == "" {
			made.Unknown = true
			return "", made.named("(unknown class)")
		}
		return full, made
	case ByPackage:
		made.Class = filter.PackageOf(full)
		return made.Class, made.named(cmp.Or(made.Class, "(no package)"))
	}
	made.Class, made.Method, made.Args, made.Result = full, m.Name, m.Args, m.Result
	made.nameMethod(g.ctx)
	key = strconv.Quote(full) + strconv.Quote(m.Name) + m.Result.String()
	if full == "" {
		key += strconv.Itoa(int(m.ClassID))
	}
	for _, t := range m.Args {
		key += "," + strconv.Quote(t.String())
	}
	return key, made
}

// threadGroup returns the group of a thread's calls.
func threadGroup(c *format.Context, id int32) *Group {
	return (&Group{ID: id}).named(threadValue(c, id).text)
}

// named gives a group one name.
func (g *Group) named(text string) *Group {
	g.names = [4]string{text, text, text, text}
	return g
}

// nameMethod makes the names of a method: with the number of its parameters, their types, the full
// names of its class and of their types, and its result.
func (g *Group) nameMethod(c *format.Context) {
	name, _ := c.CallName(g.ID, 0)
	full, _ := c.FullCallName(g.ID, 0)
	g.nameAs(name, cmp.Or(full, name))
	if g.Result == format.GoStatement {
		in := name + "() in "
		g.names = [4]string{name + "()", in + g.Class[strings.LastIndexByte(g.Class, '.')+1:], in + g.Class, in + g.Class}
	}
}

// nameAs is nameMethod with the names of the method, short and full.
func (g *Group) nameAs(name, full string) {
	g.name, g.full = name, full
	count, short, long := "()", "()", "()"
	if texts := g.types(); len(texts) > 0 {
		count = "(" + strconv.Itoa(len(texts)) + ")"
		long = "(" + strings.Join(texts, ", ") + ")"
		for i, text := range texts {
			texts[i] = text[strings.LastIndexByte(text, '.')+1:]
		}
		short = "(" + strings.Join(texts, ", ") + ")"
	}
	g.names = [4]string{name + count, name + short, full + long, full + long + ": " + g.Result.String()}
}

// names returns a name for each group, each as short as it can be without being that of another.
func names(list []*Group) []string {
	of := make([][4]string, len(list))
	for i, g := range list {
		of[i] = g.names
	}
	return DistinctNames(of)
}

// DistinctNames returns one of the names of each thing, which are from short to exact: the first that is not that of
// another.
func DistinctNames(of [][4]string) []string {
	out, todo := make([]string, len(of)), make([]int, len(of))
	for i := range todo {
		todo[i] = i
	}
	for level := 0; len(todo) > 0 && level < len(of[0]); level++ {
		count := make(map[string]int, len(todo))
		for _, i := range todo {
			out[i] = of[i][level]
			count[out[i]]++
		}
		again := todo[:0]
		for _, i := range todo {
			if count[out[i]] > 1 {
				again = append(again, i)
			}
		}
		todo = again
	}
	return out
}

// slots keeps the numbers of groups by id, for one goroutine.
type slots struct {
	dense  []int32 // number + 1
	sparse map[int32]int32
}

// mostDense bounds the ids that slots keeps in a slice. Recorders count ids from 0; a damaged trace
// may have any.
const mostDense = 1 << 20

// of returns the number of the group of an id.
func (s *slots) of(g *groups, id int32) int32 {
	if uint32(id) < uint32(len(s.dense)) {
		if n := s.dense[id]; n > 0 {
			return n - 1
		}
	} else if n, ok := s.sparse[id]; ok {
		return n
	}
	n := g.of(id)
	switch {
	case id >= 0 && int(id) < max(mostDense, len(s.dense)):
		for int(id) >= len(s.dense) {
			s.dense = append(s.dense, make([]int32, max(64, len(s.dense)))...)
		}
		s.dense[id] = n + 1
	default:
		if s.sparse == nil {
			s.sparse = make(map[int32]int32)
		}
		s.sparse[id] = n
	}
	return n
}

// types returns the types of a method's arguments.
func (g *Group) types() []string {
	list := make([]string, len(g.Args))
	for i, a := range g.Args {
		list[i] = a.String()
	}
	return list
}

// Name returns the shortest name of a group, with the number of its parameters: Account.withdraw(1).
func (g *Group) Name() string { return g.names[0] }

// Exact returns the name of a group that no other has in common with it.
func (g *Group) Exact() string { return g.names[len(g.names)-1] }

// GroupNames returns a name for each group, as tables show them: each as short as it can be without being that of
// another.
func GroupNames(list []*Group) []string { return names(list) }

// known returns a name of the group for programs, if there is one.
func (g *Group) known(text string) table.Value {
	return table.Str(text).If(!g.Unknown && text != "")
}

// call returns a method as commands take it, with the types of its parameters; "" if the trace does not describe it.
func (g *Group) call() string {
	if g.Unknown {
		return ""
	}
	name := g.Method + "(" + strings.Join(g.types(), ",") + ")"
	if g.Class == "" {
		return name
	}
	return g.Class + "." + name
}

// addMethod adds the columns that name a method for programs: class, method, types of its arguments, and for one that
// the trace does not describe its id. A row may have none.
func addMethod[R any](list *table.Columns[R], of func(row R) *Group) {
	add := func(key string, kind table.Kind, value func(g *Group) table.Value) {
		list.Add(table.Column{Key: key, Kind: kind, In: table.OnlyData}, func(row R) table.Value {
			if g := of(row); g != nil {
				return value(g)
			}
			return table.Value{}
		})
	}
	add("class", table.Text, func(g *Group) table.Value { return g.known(g.Class) })
	add("method", table.Text, func(g *Group) table.Value { return g.known(g.Method) })
	add("types", table.Text, func(g *Group) table.Value { return table.Names(g.types(), ",").If(!g.Unknown) })
	add("method_id", table.Number, func(g *Group) table.Value { return table.IntIf(int64(g.ID), g.Unknown) })
}

// share returns a part of a whole.
func share(part, whole int64) table.Value {
	return table.Float(float64(part) / float64(whole)).If(whole > 0)
}
