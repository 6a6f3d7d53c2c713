package perfetto

import (
	"encoding/binary"
	"errors"
	"math"

	"tracex/format"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/spool"
)

// Names used where the trace has none.
const (
	noCategory = "uncategorized"
	noName     = "unnamed"
)

// knownTexts is how many descriptors are remembered, see [fit.Map]. A descriptor
// that is forgotten and used again is in the trace twice, with two numbers.
const knownTexts = 1 << 18

// dictionary numbers the descriptors that the trace needs, and keeps them in a
// stream in the order of their numbers: each after all that it refers to.
type dictionary struct {
	version format.Version // of the objects it encodes
	spool   *spool.Spool
	refs    *spool.Stream // each record: a whole reference object
	known   *fit.Map[fit.Digest, int32]
	counts  [format.KindCodeLocation + 1]int32
	words   int32
	cut     int64 // texts that were too long
	err     error // the first error of the spool

	key, object []byte // scratch
}

func newDictionary(s *spool.Spool, v format.Version) *dictionary {
	return &dictionary{version: v, spool: s, refs: s.Stream(), known: fit.NewMap[fit.Digest, int32](knownTexts)}
}

// wordKind distinguishes the keys of words from those of descriptors, which begin
// with their kind.
const wordKind = 0xff

// word returns a number for a text, from 1, for comparisons.
func (d *dictionary) word(text []byte) int32 {
	d.begin(wordKind)
	d.key = append(d.key, text...)
	key := fit.DigestOf(d.key)
	id, ok := d.known.Get(key)
	if !ok {
		d.words++
		id = d.words
		d.known.Put(key, id)
	}
	return id
}

// begin begins the key of an object.
func (d *dictionary) begin(kind format.Kind) { d.key = append(d.key[:0], byte(kind)) }

// number returns the number of the object with the key, and whether it is new: if
// so, the caller must call define.
func (d *dictionary) number() (id int32, key fit.Digest, isNew bool) {
	key = fit.DigestOf(d.key)
	id, ok := d.known.Get(key)
	if !ok {
		id = d.counts[d.key[0]]
	}
	return id, key, !ok
}

// define adds the encoded object.
func (d *dictionary) define(kind format.Kind, key fit.Digest, object []byte, err error) {
	d.object = object[:0]
	if d.counts[kind] == math.MaxInt32 {
		err = errNumbers
	}
	if err == nil {
		err = d.spool.Add(d.refs, 0, object)
	}
	if err != nil && d.err == nil {
		d.err = err
	}
	d.counts[kind]++
	d.known.Put(key, d.counts[kind]-1)
}

// errNumbers is returned when ids run out: the format has 31 bits for them.
var errNumbers = errors.New("more than 2,147,483,647 objects of one kind: the format has no numbers for them")

// class returns the number of a class.
func (d *dictionary) class(name []byte) int32 {
	d.begin(format.KindClassDescriptor)
	d.key = append(d.key, name...)
	id, key, isNew := d.number()
	if isNew {
		o := format.ClassDescriptor{ID: id, Name: d.text(name)}
		object, err := o.Append(d.object[:0], d.version)
		d.define(format.KindClassDescriptor, key, object, err)
	}
	return id
}

// method returns the number of a class's method.
func (d *dictionary) method(class, name []byte) int32 {
	c := d.class(class)
	d.begin(format.KindMethodDescriptor)
	d.key = append(binary.AppendVarint(d.key, int64(c)), name...)
	id, key, isNew := d.number()
	if isNew {
		o := format.MethodDescriptor{ID: id, ClassID: c, Name: d.text(name), Result: format.Type{Kind: format.TypeVoid}}
		object, err := o.Append(d.object[:0], d.version)
		d.define(format.KindMethodDescriptor, key, object, err)
	}
	return id
}

// variable returns the number of a variable of a type.
func (d *dictionary) variable(name []byte, t format.Type) int32 {
	d.begin(format.KindVariableDescriptor)
	d.key = append(append(d.key, byte(t.Kind)), name...)
	id, key, isNew := d.number()
	if isNew {
		o := format.VariableDescriptor{ID: id, Name: d.text(name), Type: t}
		object, err := o.Append(d.object[:0], d.version)
		d.define(format.KindVariableDescriptor, key, object, err)
	}
	return id
}

// path returns the number of the access path of one variable: the name of an
// argument.
func (d *dictionary) path(name []byte) int32 {
	v := d.variable(name, format.Type{Kind: format.TypeObject, Class: "any"})
	d.begin(format.KindAccessPath)
	d.key = binary.AppendVarint(d.key, int64(v))
	id, key, isNew := d.number()
	if isNew {
		o := format.AccessPath{ID: id, Steps: []format.AccessStep{{Kind: format.AccessVariable, Ref: v}}}
		object, err := o.Append(d.object[:0], d.version)
		d.define(format.KindAccessPath, key, object, err)
	}
	return id
}

// stringObject returns the number of a string.
func (d *dictionary) stringObject(s []byte) int32 {
	d.begin(format.KindString)
	d.key = append(d.key, s...)
	id, key, isNew := d.number()
	if isNew {
		o := format.StringObject{ID: id, Value: d.text(s)}
		object, err := o.Append(d.object[:0], d.version)
		d.define(format.KindString, key, object, err)
	}
	return id
}

// sourceLocation is a location in the source of the program.
type sourceLocation struct {
	file, function []byte
	line           uint32
}

// location returns the number of a call's code location: its location in the source,
// the names of its arguments, and whether its text leaves out the instance.
func (d *dictionary) location(at sourceLocation, plain bool, args []int32) int32 {
	path := int32(-1)
	if plain {
		path = d.path([]byte("this")) // never shown
	}
	file, function := d.stringObject(at.file), d.stringObject(at.function)
	d.begin(format.KindCodeLocation)
	for _, n := range [...]int32{path, file, function, int32(at.line)} {
		d.key = binary.AppendVarint(d.key, int64(n))
	}
	for _, n := range args {
		d.key = binary.AppendVarint(d.key, int64(n))
	}
	id, key, isNew := d.number()
	if isNew {
		o := format.CodeLocation{Kind: format.LocationCall, ID: id, File: file, Class: -1, Method: function,
			Line: int32(at.line), Path: path, ArgNames: args}
		object, err := o.Append(d.object[:0], d.version)
		d.define(format.KindCodeLocation, key, object, err)
	}
	return id
}

// text returns a name in a form that can be written: valid and not too long.
func (d *dictionary) text(name []byte) string { return string(d.fit(name)) }

// fit cuts a text that is too long.
func (d *dictionary) fit(s []byte) []byte {
	text, cut := fit.Text(s)
	if cut {
		d.cut++
	}
	return text
}
