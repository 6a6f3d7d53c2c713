package format

import (
	"encoding/binary"
	"fmt"
)

// maxArgs bounds the argument types of a method, far above the JVM's limit of
// 255: a type takes many times the memory of its one byte.
const maxArgs = 0xffff

// The reference objects: trace points name them by id. Each has a method Append, which appends
// the object with its kind byte, encoded for a version of the format. [Context.Add] decodes them.

// ThreadName names a thread.
//
//	thread id i32, name utf
type ThreadName struct {
	Thread int32
	Name   string
}

// ClassDescriptor is a class.
//
//	id i32, name utf
type ClassDescriptor struct {
	ID   int32
	Name string // full: package, class, nested classes after '$'
}

// MethodDescriptor is a method.
//
//	id i32, class id i32, name utf, return type, count i32, argument types
type MethodDescriptor struct {
	ID      int32
	ClassID int32
	Name    string
	Result  Type
	Args    []Type
}

// FieldDescriptor is a field.
//
//	id i32, class id i32, name utf, type, static bool, final bool, volatile bool (not in 19)
type FieldDescriptor struct {
	ID       int32
	ClassID  int32
	Name     string
	Type     Type
	Static   bool
	Final    bool
	Volatile bool
}

// VariableDescriptor is a local variable.
//
//	id i32, name utf, type
type VariableDescriptor struct {
	ID   int32
	Name string
	Type Type
}

// StringObject is a string that code locations share.
//
//	id i32, value utf
type StringObject struct {
	ID    int32
	Value string
}

// Append appends the object to dst. It fails with ErrStringTooLong.
func (t *ThreadName) Append(dst []byte, _ Version) ([]byte, error) {
	return AppendUTF(appendHead(dst, KindThreadName, t.Thread), t.Name)
}

// Append appends the object to dst. It fails with ErrStringTooLong.
func (d *ClassDescriptor) Append(dst []byte, _ Version) ([]byte, error) {
	return AppendUTF(appendHead(dst, KindClassDescriptor, d.ID), d.Name)
}

// Append appends the object to dst. It fails with ErrStringTooLong, and with ErrCorrupt if
// there are more than 65,535 arguments.
func (d *MethodDescriptor) Append(dst []byte, _ Version) ([]byte, error) {
	dst = appendHead(dst, KindMethodDescriptor, d.ID)
	dst = binary.BigEndian.AppendUint32(dst, uint32(d.ClassID))
	dst, err := AppendUTF(dst, d.Name)
	if err != nil {
		return dst, err
	}
	if dst, err = d.Result.Append(dst); err != nil {
		return dst, err
	}
	if len(d.Args) > maxArgs {
		return dst, corrupt(-1, plural(maxArgs, "argument type")+" at most", fmt.Sprint(len(d.Args)))
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(d.Args)))
	for _, t := range d.Args {
		if dst, err = t.Append(dst); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// Append appends the object to dst. It fails with ErrStringTooLong.
func (d *FieldDescriptor) Append(dst []byte, v Version) ([]byte, error) {
	dst = appendHead(dst, KindFieldDescriptor, d.ID)
	dst = binary.BigEndian.AppendUint32(dst, uint32(d.ClassID))
	dst, err := AppendUTF(dst, d.Name)
	if err != nil {
		return dst, err
	}
	dst, err = d.Type.Append(dst)
	modifiers := [...]byte{bit(d.Static), bit(d.Final), bit(d.Volatile)}
	return append(dst, modifiers[:v.modifiers()]...), err
}

// modifiers returns how many bytes of modifiers a field has.
func (v Version) modifiers() int {
	if v == V19 {
		return 2
	}
	return 3
}

// Append appends the object to dst. It fails with ErrStringTooLong.
func (d *VariableDescriptor) Append(dst []byte, _ Version) ([]byte, error) {
	dst, err := AppendUTF(appendHead(dst, KindVariableDescriptor, d.ID), d.Name)
	if err != nil {
		return dst, err
	}
	return d.Type.Append(dst)
}

// Append appends the object to dst. It fails with ErrStringTooLong.
func (d *StringObject) Append(dst []byte, _ Version) ([]byte, error) {
	return AppendUTF(appendHead(dst, KindString, d.ID), d.Value)
}

func appendHead(dst []byte, k Kind, id int32) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(k)), uint32(id))
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func (c *decoder) threadName() (t ThreadName) {
	t.Thread = c.i32()
	t.Name = c.utf()
	return t
}

func (c *decoder) class() (d ClassDescriptor) {
	d.ID = c.i32()
	d.Name = c.utf()
	return d
}

func (c *decoder) method() (d MethodDescriptor) {
	d.ID = c.i32()
	d.ClassID = c.i32()
	d.Name = c.utf()
	d.Result = c.typ()
	for n := c.argCount(); n > 0 && c.err == nil; n-- {
		d.Args = append(d.Args, c.typ())
	}
	return d
}

func (c *reader) argCount() int {
	at := c.i
	n := c.count(1, "argument types")
	if n > maxArgs {
		c.fail(at, plural(maxArgs, "argument type")+" at most", fmt.Sprint(n))
	}
	return n
}

func (c *decoder) field() (d FieldDescriptor) {
	d.ID = c.i32()
	d.ClassID = c.i32()
	d.Name = c.utf()
	d.Type = c.typ()
	d.Static = c.bool()
	d.Final = c.bool()
	if c.v > V19 {
		d.Volatile = c.bool()
	}
	return d
}

func (c *decoder) variable() (d VariableDescriptor) {
	d.ID = c.i32()
	d.Name = c.utf()
	d.Type = c.typ()
	return d
}

func (c *decoder) stringObject() (d StringObject) {
	d.ID = c.i32()
	d.Value = c.utf()
	return d
}
