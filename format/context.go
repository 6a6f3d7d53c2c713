package format

import (
	"iter"
	"strconv"
	"strings"
)

// Context holds the reference objects of a trace by id: what the ids in its trace points mean.
// Lookups return nil for an id that is not, or not yet, known. Objects returned are shared and
// must not be changed.
//
// A Context has no lock: lookups may run concurrently with each other, but not with Add.
type Context struct {
	Packages  Packages
	threads   *threadNames
	classes   table[*namedClass]
	methods   table[*namedMethod]
	fields    table[*namedField]
	variables table[*namedVariable]
	strings   table[*namedString]
	paths     table[*AccessPath]
	locations table[*namedLocation]
	doubts    map[int32]bool // see InDoubt
	left      leftTrees      // see SampleNote
	waits     bool           // see HasWaits
	processes processes      // see Processes
	parameters
	version Version
}

// NewContext returns an empty Context for a trace of this version. The version determines how
// Add decodes objects, and how texts are written.
func NewContext(v Version) *Context { return &Context{version: v, threads: new(threadNames)} }

// Version returns the version of the trace.
func (c *Context) Version() Version { return c.version }

// Thread returns the name of a thread.
func (c *Context) Thread(id int32) *ThreadName {
	if name, ok := c.threads.get(id); ok {
		return &ThreadName{Thread: id, Name: name}
	}
	return nil
}

// Class returns the class with this id.
func (c *Context) Class(id int32) *ClassDescriptor {
	if e := c.classes.get(id); e != nil {
		return &e.ClassDescriptor
	}
	return nil
}

// Method returns the method with this id.
func (c *Context) Method(id int32) *MethodDescriptor {
	if e := c.methods.get(id); e != nil {
		return &e.MethodDescriptor
	}
	return nil
}

// Field returns the field with this id.
func (c *Context) Field(id int32) *FieldDescriptor {
	if e := c.fields.get(id); e != nil {
		return &e.FieldDescriptor
	}
	return nil
}

// Variable returns the variable with this id.
func (c *Context) Variable(id int32) *VariableDescriptor {
	if e := c.variables.get(id); e != nil {
		return &e.VariableDescriptor
	}
	return nil
}

// Path returns the access path with this id.
func (c *Context) Path(id int32) *AccessPath { return c.paths.get(id) }

// Location returns the code location with this id.
func (c *Context) Location(id int32) *CodeLocation {
	if e := c.locations.get(id); e != nil {
		return &e.CodeLocation
	}
	return nil
}

// Text returns the string object with this id; ok is false if there is none, as for id -1.
func (c *Context) Text(id int32) (s string, ok bool) {
	if o := c.strings.get(id); o != nil {
		return o.Value, true
	}
	return "", false
}

// Counts returns how many reference objects of each kind there are.
func (c *Context) Counts() map[Kind]int {
	return map[Kind]int{
		KindThreadName: c.threads.numbers.n, KindClassDescriptor: c.classes.n, KindMethodDescriptor: c.methods.n,
		KindFieldDescriptor: c.fields.n, KindVariableDescriptor: c.variables.n, KindString: c.strings.n,
		KindAccessPath: c.paths.n, KindCodeLocation: c.locations.n,
	}
}

// HasWaits reports whether a method has the result type [Wait].
func HasWaits(c *Context) bool { return c.waits }

// Methods yields all methods, in no order.
func (c *Context) Methods() iter.Seq[*MethodDescriptor] {
	return each(&c.methods, func(e *namedMethod) *MethodDescriptor { return &e.MethodDescriptor })
}

// Classes yields all classes, in no order.
func (c *Context) Classes() iter.Seq[*ClassDescriptor] {
	return each(&c.classes, func(e *namedClass) *ClassDescriptor { return &e.ClassDescriptor })
}

// Fields yields all fields, in no order.
func (c *Context) Fields() iter.Seq[*FieldDescriptor] {
	return each(&c.fields, func(e *namedField) *FieldDescriptor { return &e.FieldDescriptor })
}

// Variables yields all variables, in no order.
func (c *Context) Variables() iter.Seq[*VariableDescriptor] {
	return each(&c.variables, func(e *namedVariable) *VariableDescriptor { return &e.VariableDescriptor })
}

// Locations yields all code locations, in no order.
func (c *Context) Locations() iter.Seq[*CodeLocation] {
	return each(&c.locations, func(e *namedLocation) *CodeLocation { return &e.CodeLocation })
}

// each yields the descriptors in a table.
func each[E, D any](t *table[*E], of func(*E) *D) iter.Seq[*D] {
	return func(yield func(*D) bool) {
		for e := range t.all() {
			if !yield(of(e)) {
				return
			}
		}
	}
}

// Add decodes the reference object at the start of b and adds it. id and n are its id and its
// size in bytes. An object that was added before is kept: writers may write an object twice,
// both times the same. Nothing added aliases b.
func (c *Context) Add(b []byte) (id int32, n int, err error) {
	r := decoder{reader{b: b, v: c.version}}
	k := Kind(r.u8())
	if r.err == nil && !k.Reference() {
		r.fail(0, "a reference object", k.String())
	}
	if r.err != nil {
		return 0, 0, r.err
	}
	switch k {
	case KindThreadName:
		v := r.threadName()
		id = v.Thread
		if r.err == nil {
			c.threads.put(id, v.Name)
		}
	case KindClassDescriptor:
		v := r.class()
		id = v.ID
		add(&r, &c.classes, id, newNamedClass(v))
	case KindMethodDescriptor:
		v := r.method()
		id = v.ID
		if add(&r, &c.methods, id, newNamedMethod(v)); r.err == nil {
			c.parameters.noteMethod(c, &v)
			c.waits = c.waits || v.Result == Wait
		}
	case KindFieldDescriptor:
		v := r.field()
		id = v.ID
		add(&r, &c.fields, id, newNamedField(v))
	case KindVariableDescriptor:
		v := r.variable()
		id = v.ID
		add(&r, &c.variables, id, newNamedVariable(v))
	case KindString:
		v := r.stringObject()
		id = v.ID
		noteDoubt(c, v.Value)
		noteLeft(c, v.Value)
		noteProcess(c, v.Value)
		add(&r, &c.strings, id, newNamedString(v))
		if r.err == nil {
			c.Packages.note(v)
		}
	case KindAccessPath:
		v := r.accessPath()
		id = v.ID
		add(&r, &c.paths, id, v)
	case KindCodeLocation:
		v := r.codeLocation()
		id = v.ID
		if r.err == nil {
			l := &namedLocation{CodeLocation: v}
			c.locations.put(id, l)
			c.parameters.noteLocation(c, &l.CodeLocation)
		}
	}
	return id, r.i, r.error()
}

func add[T any](r *decoder, t *table[*T], id int32, v T) {
	if r.err == nil {
		t.put(id, &v)
	}
}

// Numbers of objects are identity hashes. A recorder that makes them from addresses cannot always tell whether
// an object is the one that it has seen at an address before. It then adds a string to the trace that nothing
// refers to: the text that DoubtText returns.

// FirstOnStack is the first number of objects on a stack, in traces with DoubtText(FirstOnStack). Variables of
// a function that follow each other in one place have the same number.
const FirstOnStack = 1 << 30

const doubtHead, doubtTail = "tracex: @", " may be several objects"

// DoubtText returns the string that says that a number may be that of several objects: FirstOnStack stands for
// all numbers from that on, and 0 for all.
func DoubtText(hash int32) string {
	return doubtHead + strconv.Itoa(int(hash)) + doubtTail
}

// InDoubt reports whether a number may be that of several objects, as the recorder says.
func InDoubt(c *Context, hash int32) bool {
	return c.doubts[0] || c.doubts[hash] || hash >= FirstOnStack && c.doubts[FirstOnStack]
}

// noteDoubt notes what a string says of numbers.
func noteDoubt(c *Context, s string) {
	text, ok := strings.CutPrefix(s, doubtHead)
	if !ok {
		return
	}
	text, ok = strings.CutSuffix(text, doubtTail)
	hash, err := strconv.ParseInt(text, 10, 32)
	if !ok || err != nil {
		return
	}
	if c.doubts == nil {
		c.doubts = map[int32]bool{}
	}
	c.doubts[int32(hash)] = true
}

// ResultsClass is the class of what a Go function returns if it returns several values: an object without
// identity that has a field for each, named by its number from 1. Its text is that of Go: (3, nil).
const ResultsClass = "(results)"

// Results returns the values that a function returned if v stands for several, else nil. c has the classes.
func (v *Value) Results(c *Context) []CapturedField {
	if v.ByValue() {
		if d := c.Class(v.ClassID); d != nil && d.Name == ResultsClass {
			return v.Captured.Fields
		}
	}
	return nil
}

// Result returns the n-th of the values, from 1, that v stands for as a result: v itself if it is the only
// one, nil if there are fewer. Of 0 it returns v.
func (v *Value) Result(c *Context, n int) *Value {
	list := v.Results(c)
	switch {
	case n == 0, n == 1 && list == nil:
		return v
	case n > len(list):
		return nil
	}
	return &list[n-1].Value
}
