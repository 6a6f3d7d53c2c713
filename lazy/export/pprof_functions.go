package export

import (
	"cmp"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
)

// pprofFunctions are the functions and locations that samples refer to. Their number is bounded by that of the
// methods and code locations of the trace.
type pprofFunctions struct {
	r       *lazy.LazyTraceReader
	methods *methods
	ids     map[int32]uint64 // of functions, by group
	list    []pprofFunction  // by id - 1
	byCall  map[[2]int32]uint64
	byLine  map[pprofLine]uint64
	lines   []pprofLine // of locations, by id - 1
}

type pprofFunction struct {
	group *query.Group
	place // of its first line
}

// pprofLine is a location: a line of a function.
type pprofLine struct {
	function uint64
	line     int
}

func newPprofFunctions(r *lazy.LazyTraceReader, m *methods) pprofFunctions {
	return pprofFunctions{r: r, methods: m, ids: make(map[int32]uint64), byCall: make(map[[2]int32]uint64), byLine: make(map[pprofLine]uint64)}
}

// location returns the id of a location: of a group, the line of a call in it by its code location, or, if there is
// none, its first line.
func (f *pprofFunctions) location(groups []*query.Group, group, at int32) uint64 {
	key := [2]int32{group, at}
	if id, ok := f.byCall[key]; ok {
		return id
	}
	of := f.function(groups, group)
	l := pprofLine{of, f.list[of-1].line}
	if at != query.AtCall {
		f.r.WithContext(func(c *format.Context) {
			file, line, ok := c.FileLine(at)
			if !ok {
				return
			}
			l.line = line
			if p := &f.list[of-1].place; p.file == "" {
				p.file = file
			}
		})
	}
	id, ok := f.byLine[l]
	if !ok {
		f.lines = append(f.lines, l)
		id = uint64(len(f.lines))
		f.byLine[l] = id
	}
	f.byCall[key] = id
	return id
}

// function returns the id of the function of a group.
func (f *pprofFunctions) function(groups []*query.Group, group int32) uint64 {
	id, ok := f.ids[group]
	if !ok {
		n := pprofFunction{group: groups[group]}
		if i, known := f.methods.of(n.group.ID); known && !n.group.Unknown {
			m := f.methods.all[i]
			n.place = place{m.file, m.line}
		}
		f.list = append(f.list, n)
		id = uint64(len(f.list))
		f.ids[group] = id
	}
	return id
}

func (f *pprofFunctions) write(p *pprof) {
	var line []byte
	for i, l := range f.lines {
		line = number(line[:0], lineFunction, l.function)
		line = number(line, lineLine, uint64(l.line))
		p.message = number(p.message[:0], locationID, uint64(i+1))
		p.message = protowire.AppendTag(p.message, locationLine, protowire.BytesType)
		p.message = protowire.AppendBytes(p.message, line)
		p.put(profileLocation)
	}
	groups := make([]*query.Group, len(f.list))
	for i := range f.list {
		groups[i] = f.list[i].group
	}
	names := query.GroupNames(groups)
	for i := range f.list {
		name, exact := validText(names[i]), validText(groups[i].Exact())
		if exact == name {
			exact = "" // the tool would take a name that is the same for one of C++
		}
		// Texts that are new are written at once, before the message.
		ids := [...]uint64{p.text(cmp.Or(name, "?")), p.text(exact), p.text(validText(f.list[i].file))}
		p.message = number(p.message[:0], functionID, uint64(i+1))
		p.message = number(p.message, functionName, ids[0])
		p.message = number(p.message, functionSystemName, ids[1])
		p.message = number(p.message, functionFile, ids[2])
		p.message = number(p.message, functionStart, uint64(f.list[i].line))
		p.put(profileFunction)
	}
}
