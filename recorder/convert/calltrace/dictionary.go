package calltrace

import (
	"encoding/binary"
	"math"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/fit"
)

// dictionary numbers the descriptors that the trace needs, and keeps new ones until they are
// written: each follows all that it refers to.
type dictionary struct {
	version format.Version
	left    *fit.Tally
	known   *fit.Map[fit.Digest, int32]
	counts  [format.KindCodeLocation + 1]int32
	pending []byte
	ends    []int // in pending, of each object
	err     error

	key, object []byte // scratch
}

const (
	// knownTexts is how many descriptors are remembered. One that is forgotten and used again is in
	// the trace twice, with two numbers.
	knownTexts = 1 << 18
	// mostPending is how many bytes of new descriptors wait for a block.
	mostPending = 1 << 20
)

func newDictionary(v format.Version, left *fit.Tally) dictionary {
	return dictionary{version: v, left: left, known: fit.NewMap[fit.Digest, int32](knownTexts)}
}

// begin begins the key of an object.
func (d *dictionary) begin(kind format.Kind) { d.key = append(d.key[:0], byte(kind)) }

// number returns the number of the object with the key, and whether it is new: if so, the caller
// must call define.
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
	if err != nil {
		if d.err == nil {
			d.err = err
		}
		return
	}
	d.pending = append(d.pending, object...)
	d.ends = append(d.ends, len(d.pending))
	d.known.Put(key, d.counts[kind])
	d.counts[kind]++
}

// each passes the pending objects on, and forgets them.
func (d *dictionary) each(f func(object []byte) error) error {
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

// write adds the pending objects to a block.
func (d *dictionary) write(b *tracefile.Block) {
	_ = d.each(func(object []byte) error {
		b.Reference(object, d.version)
		return nil
	})
}

// text returns a name in a form that can be written.
func (d *dictionary) text(name string) string {
	text, cut := fit.Text(name)
	if cut {
		d.left.Count(longText, 1, -1)
	}
	return text
}

func (d *dictionary) class(name string) int32 {
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

// anything is the type of what may be anything.
var anything = format.Type{Kind: format.TypeObject, Class: "any"}

func (d *dictionary) method(class, name string) int32 {
	c := d.class(class)
	d.begin(format.KindMethodDescriptor)
	d.key = append(binary.AppendVarint(d.key, int64(c)), name...)
	id, key, isNew := d.number()
	if isNew {
		o := format.MethodDescriptor{ID: id, ClassID: c, Name: d.text(name), Result: anything}
		object, err := o.Append(d.object[:0], d.version)
		d.define(format.KindMethodDescriptor, key, object, err)
	}
	return id
}

func (d *dictionary) variable(name string) int32 {
	d.begin(format.KindVariableDescriptor)
	d.key = append(d.key, name...)
	id, key, isNew := d.number()
	if isNew {
		o := format.VariableDescriptor{ID: id, Name: d.text(name), Type: anything}
		object, err := o.Append(d.object[:0], d.version)
		d.define(format.KindVariableDescriptor, key, object, err)
	}
	return id
}

// path returns the number of the access path of one variable: the name of an argument; -1 for a
// name that is not shown.
func (d *dictionary) path(name string) int32 {
	if name = shownName(name); name == "" {
		return none
	}
	v := d.variable(name)
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

func (d *dictionary) stringObject(s string) int32 {
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

// none is the number of nothing.
const none = int32(-1)
