package export

import (
	"cmp"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
)

// method is what is known about a method before a pass.
type method struct {
	name string // as short as it can be without being that of another: Account.withdraw, get(Object)
	code string // class and name as the trace has them: com.shop.Account.withdraw
	file string // that it is in; "" if not known
	line int    // the first line in it that a code location has; 0 if not known
}

// methods are those that a trace describes. Methods that it describes twice are one.
type methods struct {
	all  []*method // in the order of their first ids
	byID map[int32]int32
}

// methodsOf reads the descriptors of a trace that is ready.
func methodsOf(r *lazy.LazyTraceReader) *methods {
	m := &methods{byID: make(map[int32]int32)}
	r.WithContext(func(c *format.Context) {
		places := sourcePlaces(c)
		list := slices.SortedFunc(c.Methods(), func(a, b *format.MethodDescriptor) int { return cmp.Compare(a.ID, b.ID) })
		known := make(map[string]int32, len(list))
		var names [][4]string // of each, from short to exact
		for _, d := range list {
			n, class := namesOf(c, d)
			i, twice := known[n[len(n)-1]]
			if !twice {
				i = int32(len(m.all))
				known[n[len(n)-1]] = i
				p := places[class+"."+d.Name]
				m.all, names = append(m.all, &method{code: strings.TrimPrefix(class+"."+d.Name, "."), file: p.file, line: p.line}), append(names, n)
			}
			m.byID[d.ID] = i
		}
		for i, name := range query.DistinctNames(names) {
			m.all[i].name = name
		}
	})
	return m
}

// of returns the index of a method; ok is false for one that the trace does not describe.
func (m *methods) of(id int32) (index int32, ok bool) {
	index, ok = m.byID[id]
	return index, ok
}

// namesOf returns the names of a method, from short to exact, and the full name of its class.
func namesOf(c *format.Context, d *format.MethodDescriptor) (n [4]string, class string) {
	if x := c.Class(d.ClassID); x != nil {
		class = x.Name
	}
	name, _ := c.CallName(d.ID, 0)
	full, _ := c.FullCallName(d.ID, 0)
	full = cmp.Or(full, name)
	types, short := make([]string, len(d.Args)), make([]string, len(d.Args))
	for i, t := range d.Args {
		types[i] = t.String()
		short[i] = types[i][strings.LastIndexByte(types[i], '.')+1:]
	}
	long := full + "(" + strings.Join(types, ", ") + ")"
	exact := long + ": " + d.Result.String()
	if class != "" && !strings.Contains(full, class) { // such as that of a go statement
		exact += " in " + class
	}
	return [4]string{name, name + "(" + strings.Join(short, ", ") + ")", long, exact}, class
}

type place struct {
	file string
	line int
}

// sourcePlaces returns the file and the first line of methods by class and name, as far as code locations
// tell: each is in a method, and has the names of that.
func sourcePlaces(c *format.Context) map[string]place {
	type in struct{ class, method int32 } // ids of texts
	found, classes := make(map[in]place), make(map[in]string)
	for l := range c.Locations() {
		file, line, ok := c.FileLine(l.ID)
		if !ok || file == "" {
			continue
		}
		k := in{l.Class, l.Method}
		if p, known := found[k]; !known || line < p.line || line == p.line && file < p.file {
			found[k], classes[k] = place{file, line}, format.PlaceClass(c, l)
		}
	}
	places := make(map[string]place, len(found))
	for k, p := range found {
		_, ok := c.Text(k.class)
		name, named := c.Text(k.method)
		if !ok || !named {
			continue
		}
		key := classes[k] + "." + name
		if old, twice := places[key]; !twice || p.line < old.line || p.line == old.line && p.file < old.file {
			places[key] = p
		}
	}
	return places
}
