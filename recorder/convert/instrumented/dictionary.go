package instrumented

import (
	"strings"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/internal/gonames"
	"tracex/recorder/internal/values"
)

// none is the id of nothing.
const none = int32(-1)

// dictionary gives ids to what trace points refer to, and keeps new objects until the next block is
// written: so they are in the file before the first point that uses them, or in the same block.
type dictionary struct {
	version format.Version
	ids     map[any]int32                       // by a key type for each kind
	counts  *[format.KindCodeLocation + 1]int32 // those of the trace, once that has begun
	pending []byte
	ends    []int    // in pending, of each object
	classes []string // their names after the last dot, by id
	several int32    // the class of several results, plus one; 0: not yet
	doubts  int      // see doubt

	packages gonames.Namer
}

// Keys of dictionary.ids.
type (
	classKey  string
	textKey   string
	doubtKey  int32
	methodKey struct {
		class int32
		name  string
		as    result
	}
	locationKey struct {
		file, class, method int32
		line                int32
	}
)

func newDictionary(v format.Version) dictionary {
	return dictionary{version: v, ids: map[any]int32{}, counts: new([format.KindCodeLocation + 1]int32)}
}

// id returns the id of the object with a key, which encode encodes if it is new.
func (d *dictionary) id(kind format.Kind, key any, encode func(dst []byte, id int32) ([]byte, error)) int32 {
	if id, ok := d.ids[key]; ok {
		return id
	}
	id := d.counts[kind]
	pending, err := encode(d.pending, id)
	if err != nil {
		return none // cannot happen: names are cut
	}
	d.counts[kind]++
	d.ids[key] = id
	d.pending, d.ends = pending, append(d.ends, len(pending))
	return id
}

// write adds the pending objects to a block.
func (d *dictionary) write(b *tracefile.Block) {
	from := 0
	for _, end := range d.ends {
		b.Reference(d.pending[from:end], d.version)
		from = end
	}
	d.pending, d.ends = d.pending[:0], d.ends[:0]
}

func (d *dictionary) class(name string) int32 {
	name = values.Cut(name, values.MaxText)
	return d.id(format.KindClassDescriptor, classKey(name), func(dst []byte, id int32) ([]byte, error) {
		d.classes = append(d.classes, make([]string, int(id)-len(d.classes))...) // another conversion has added these
		d.classes = append(d.classes, name[strings.LastIndexByte(name, '.')+1:])
		return (&format.ClassDescriptor{ID: id, Name: name}).Append(dst, d.version)
	})
}

// results returns the class of several results.
func (d *dictionary) results() int32 {
	if d.several == 0 {
		d.several = d.class(format.ResultsClass) + 1
	}
	return d.several - 1
}

// result is what calls of a method return.
type result uint8

const (
	returnsAny result = iota
	returnsNothing
	isStatement // they are go statements
)

func (d *dictionary) method(class, name string, as result) int32 {
	c, name := d.class(class), values.Cut(name, values.MaxText)
	return d.id(format.KindMethodDescriptor, methodKey{c, name, as}, func(dst []byte, id int32) ([]byte, error) {
		m := format.MethodDescriptor{ID: id, ClassID: c, Name: name, Result: format.Type{Kind: format.TypeObject, Class: "any"}}
		switch as {
		case returnsNothing:
			m.Result = format.Type{Kind: format.TypeVoid}
		case isStatement:
			m.Result = format.GoStatement
		}
		return m.Append(dst, d.version)
	})
}

func (d *dictionary) text(s string) int32 {
	if s == "" {
		return none
	}
	s = values.Cut(s, values.MaxText)
	return d.id(format.KindString, textKey(s), func(dst []byte, id int32) ([]byte, error) {
		return (&format.StringObject{ID: id, Value: s}).Append(dst, d.version)
	})
}

// location returns the id of a place in the source: the base name of its file, and the function
// around it.
func (d *dictionary) location(file string, line int, class, method string) int32 {
	key := locationKey{d.text(file), d.text(class), d.text(method), int32(line)}
	return d.id(format.KindCodeLocation, key, func(dst []byte, id int32) ([]byte, error) {
		l := format.CodeLocation{Kind: format.LocationLine, ID: id, File: key.file, Class: key.class, Method: key.method, Line: key.line, Path: none}
		return l.Append(dst, d.version)
	})
}

// reserveVariable returns the id of a variable of numbers, whose name variable will add.
func (d *dictionary) reserveVariable() int32 {
	id := d.counts[format.KindVariableDescriptor]
	d.counts[format.KindVariableDescriptor]++
	return id
}

func (d *dictionary) variable(id int32, name string) {
	v := format.VariableDescriptor{ID: id, Name: name, Type: format.Type{Kind: format.TypeLong}}
	if pending, err := v.Append(d.pending, d.version); err == nil { // the name is short
		d.pending, d.ends = pending, append(d.ends, len(pending))
	}
}

// shown returns the name by which a class is shown.
func (d *dictionary) shown(class int32) string {
	if class < 0 || int(class) >= len(d.classes) {
		return "?"
	}
	return d.classes[class]
}
