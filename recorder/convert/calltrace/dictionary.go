package calltrace

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/fit"
)

// Dictionary numbers the descriptors that a trace needs, and keeps new ones until they are written:
// each follows all that it refers to. A text that is too long is cut.
type Dictionary struct {
	Version format.Version // of the objects it encodes
	// Counts are, by kind, how many numbers are in use: the next descriptor has this one.
	Counts *[format.KindCodeLocation + 1]int32
	Cut    int64 // texts that were too long
	Err    error // ErrNumbers: there are too many of one kind

	known   *fit.Map[fit.Digest, int32]
	words   int32
	pending []byte
	ends    []int // in pending, of each object

	key, object []byte // scratch
}

// ErrNumbers is why a Dictionary fails.
var ErrNumbers = errors.New("more than 2,147,483,647 objects of one kind: the format has no numbers for them")

const (
	// knownTexts is how many descriptors are remembered. One that is forgotten and used again is in
	// the trace twice, with two numbers.
	knownTexts = 1 << 18
	// none is the number of nothing.
	none = int32(-1)
)

// Anything is the type of what may be anything.
var Anything = format.Type{Kind: format.TypeObject, Class: "any"}

// NewDictionary returns an empty dictionary.
func NewDictionary(v format.Version) *Dictionary {
	return &Dictionary{Version: v, Counts: new([format.KindCodeLocation + 1]int32), known: fit.NewMap[fit.Digest, int32](knownTexts)}
}

// begin begins the key of an object.
func (d *Dictionary) begin(kind format.Kind) { d.key = append(d.key[:0], byte(kind)) }

// number returns the number of the object with the key, and whether it is new: if so, the caller
// must call define.
func (d *Dictionary) number() (id int32, key fit.Digest, isNew bool) {
	key = fit.DigestOf(d.key)
	id, ok := d.known.Get(key)
	if !ok {
		id = d.Counts[d.key[0]]
	}
	return id, key, !ok
}

// define adds the encoded object.
func (d *Dictionary) define(kind format.Kind, key fit.Digest, object []byte, err error) {
	d.object = object[:0]
	if d.Counts[kind] == math.MaxInt32 {
		err = ErrNumbers
	}
	if err != nil {
		if d.Err == nil {
			d.Err = err
		}
		return
	}
	d.Put(object)
	d.known.Put(key, d.Counts[kind])
	d.Counts[kind]++
}

// Reserve returns the number of an object that Put adds later.
func (d *Dictionary) Reserve(kind format.Kind) int32 {
	d.Counts[kind]++
	return d.Counts[kind] - 1
}

// Put adds an encoded object.
func (d *Dictionary) Put(object []byte) {
	d.pending = append(d.pending, object...)
	d.ends = append(d.ends, len(d.pending))
}

// Pending returns how many bytes of objects are not written.
func (d *Dictionary) Pending() int { return len(d.pending) }

// Each passes the objects that are not written on, and forgets them.
func (d *Dictionary) Each(f func(object []byte) error) error {
	from := 0
	for _, end := range d.ends {
		if err := f(d.pending[from:end]); err != nil {
			return err
		}
		from = end
	}
	d.pending, d.ends = d.pending[:0], d.ends[:0]
	return nil
}

// Write adds the objects that are not written to a block.
func (d *Dictionary) Write(b *tracefile.Block) {
	_ = d.Each(func(object []byte) error {
		b.Reference(object, d.Version)
		return nil
	})
}

// Fit returns a text in a form that can be written.
func (d *Dictionary) Fit(s []byte) []byte {
	text, cut := fit.Text(s)
	if cut {
		d.Cut++
	}
	return text
}

// Text returns a text in a form that can be written.
func (d *Dictionary) Text(s []byte) string { return string(d.Fit(s)) }

// wordKind distinguishes the keys of words from those of descriptors, which begin with their kind.
const wordKind = 0xff

// Word returns a number for a text, from 1, for comparisons.
func (d *Dictionary) Word(text []byte) int32 {
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

// Class returns the number of a class.
func (d *Dictionary) Class(name []byte) int32 {
	d.begin(format.KindClassDescriptor)
	d.key = append(d.key, name...)
	id, key, isNew := d.number()
	if isNew {
		o := format.ClassDescriptor{ID: id, Name: d.Text(name)}
		object, err := o.Append(d.object[:0], d.Version)
		d.define(format.KindClassDescriptor, key, object, err)
	}
	return id
}

// typed adds a type and a name to the key.
func (d *Dictionary) typed(t format.Type, name []byte) {
	d.key = append(append(append(d.key, byte(t.Kind)), t.Class...), 0)
	d.key = append(d.key, name...)
}

// Method returns the number of a class's method with a type of results.
func (d *Dictionary) Method(class, name []byte, result format.Type) int32 {
	c := d.Class(class)
	d.begin(format.KindMethodDescriptor)
	d.key = binary.AppendVarint(d.key, int64(c))
	d.typed(result, name)
	id, key, isNew := d.number()
	if isNew {
		o := format.MethodDescriptor{ID: id, ClassID: c, Name: d.Text(name), Result: result}
		object, err := o.Append(d.object[:0], d.Version)
		d.define(format.KindMethodDescriptor, key, object, err)
	}
	return id
}

// Variable returns the number of a variable of a type.
func (d *Dictionary) Variable(name []byte, t format.Type) int32 {
	d.begin(format.KindVariableDescriptor)
	d.typed(t, name)
	id, key, isNew := d.number()
	if isNew {
		o := format.VariableDescriptor{ID: id, Name: d.Text(name), Type: t}
		object, err := o.Append(d.object[:0], d.Version)
		d.define(format.KindVariableDescriptor, key, object, err)
	}
	return id
}

// Path returns the number of the access path of one variable: the name of an argument.
func (d *Dictionary) Path(name []byte) int32 {
	v := d.Variable(name, Anything)
	d.begin(format.KindAccessPath)
	d.key = binary.AppendVarint(d.key, int64(v))
	id, key, isNew := d.number()
	if isNew {
		o := format.AccessPath{ID: id, Steps: []format.AccessStep{{Kind: format.AccessVariable, Ref: v}}}
		object, err := o.Append(d.object[:0], d.Version)
		d.define(format.KindAccessPath, key, object, err)
	}
	return id
}

// String returns the number of a text.
func (d *Dictionary) String(s []byte) int32 {
	d.begin(format.KindString)
	d.key = append(d.key, s...)
	id, key, isNew := d.number()
	if isNew {
		o := format.StringObject{ID: id, Value: d.Text(s)}
		object, err := o.Append(d.object[:0], d.Version)
		d.define(format.KindString, key, object, err)
	}
	return id
}

// Location returns the number of a code location, whose ID is set here.
func (d *Dictionary) Location(l *format.CodeLocation) int32 {
	d.begin(format.KindCodeLocation)
	for _, n := range [...]int32{int32(l.Kind), l.Path, l.File, l.Class, l.Method, l.Line} {
		d.key = binary.AppendVarint(d.key, int64(n))
	}
	for _, n := range l.ArgNames {
		d.key = binary.AppendVarint(d.key, int64(n))
	}
	if len(l.Locals) > 0 {
		d.key = binary.AppendVarint(d.key, int64(none)-1) // no id
	}
	for i, n := range l.Locals {
		d.key = binary.AppendVarint(binary.AppendVarint(d.key, int64(n)), int64(l.LocalKinds[i]))
	}
	id, key, isNew := d.number()
	if isNew {
		l.ID = id
		object, err := l.Append(d.object[:0], d.Version)
		d.define(format.KindCodeLocation, key, object, err)
	}
	return id
}

// Method is the number of a method.
type Method int32

// Place is the number of a place in the source from which a call is made, with the names of the
// call's arguments. The zero Place is unknown.
type Place int32

// shownName returns a name of an argument that the format does not take for the instance, which it
// would not show. It does not show a $ at its beginning anyway.
func shownName(name string) string {
	name = strings.TrimLeft(name, "$")
	if name == "this" || strings.HasPrefix(name, "this$") || strings.HasPrefix(name, "this_$iv") {
		return "_" + name
	}
	return name
}
