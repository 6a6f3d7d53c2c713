package instrumented

import (
	"strings"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/gonames"
	"tracex/recorder/internal/values"
)

// none is the id of nothing.
const none = int32(-1)

// dictionary gives ids to what trace points refer to.
type dictionary struct {
	*calltrace.Dictionary
	classes map[int32]string // their names after the last dot, by id
	several int32            // the class of several results, plus one; 0: not yet
	doubts  int              // see doubt
	doubted map[int32]bool

	packages gonames.Namer
}

func newDictionary(v format.Version) dictionary {
	return dictionary{Dictionary: calltrace.NewDictionary(v), classes: map[int32]string{}, doubted: map[int32]bool{}}
}

func (d *dictionary) class(name string) int32 {
	name = values.Cut(name, values.MaxText)
	id := d.Class([]byte(name))
	if _, ok := d.classes[id]; !ok {
		d.classes[id] = name[strings.LastIndexByte(name, '.')+1:]
	}
	return id
}

// results returns the class of several results.
func (d *dictionary) results() int32 {
	if d.several == 0 {
		d.several = d.class(format.ResultsClass) + 1
	}
	return d.several - 1
}

// method returns the id of a method whose calls return a type.
func (d *dictionary) method(class, name string, result format.Type) int32 {
	d.class(class)
	return d.Method([]byte(values.Cut(class, values.MaxText)), []byte(values.Cut(name, values.MaxText)), result)
}

func (d *dictionary) text(s string) int32 {
	if s == "" {
		return none
	}
	return d.String([]byte(values.Cut(s, values.MaxText)))
}

// location returns the id of a place in the source: the base name of its file, and the function
// around it.
func (d *dictionary) location(file string, line int, class, method string) int32 {
	return d.Location(&format.CodeLocation{
		Kind: format.LocationLine, File: d.text(file), Class: d.text(class), Method: d.text(method), Line: int32(line), Path: none,
	})
}

// declaration adds the location of a function's declaration. No call is there: it tells where the function is, and the names of its
// receiver, its parameters and, as variables, its results.
func (d *dictionary) declaration(f *function) {
	l := format.CodeLocation{
		Kind: format.LocationLine, File: d.text(baseName(f.File)), Class: d.text(f.class), Method: d.text(f.name), Line: int32(f.Line), Path: none,
	}
	add := func(names string, kind format.ActiveKind, most int) {
		for name := range strings.SplitSeq(names, ",") {
			if names == "" || most == 0 {
				return
			}
			l.Locals, l.LocalKinds = append(l.Locals, d.text(name)), append(l.LocalKinds, kind)
			most--
		}
	}
	parameters, results, _ := strings.Cut(f.Names, ";")
	of := len(f.Arguments)
	if f.Flags&raw.FunctionReceiver != 0 {
		receiver, rest, _ := strings.Cut(parameters, ",")
		add(receiver, format.ActiveThis, 1)
		parameters, of = rest, of-1
	}
	add(parameters, format.ActiveParameter, of)
	add(results, format.ActiveVariable, len(f.Results))
	d.Location(&l)
}

// variable names a variable of numbers, whose id was reserved.
func (d *dictionary) variable(id int32, name string) {
	v := format.VariableDescriptor{ID: id, Name: name, Type: format.Type{Kind: format.TypeLong}}
	if object, err := v.Append(nil, d.Version); err == nil { // the name is short
		d.Put(object)
	}
}

// shown returns the name by which a class is shown.
func (d *dictionary) shown(class int32) string {
	name, ok := d.classes[class]
	if !ok {
		return "?"
	}
	return name
}

// mostDoubts is how many numbers are noted as those that may be of several objects. With more, all may be.
const mostDoubts = 1 << 14

// doubt notes that a number may be that of several objects.
func (d *dictionary) doubt(id int32) {
	switch {
	case id >= format.FirstOnStack:
		id = format.FirstOnStack
	case d.doubts > mostDoubts:
		return
	}
	if d.doubted[id] {
		return
	}
	if id < format.FirstOnStack {
		if d.doubts++; d.doubts > mostDoubts {
			id = 0
		}
	}
	d.doubted[id] = true
	d.text(format.DoubtText(id))
}
