package format

import "fmt"

// Kind is the first byte of each object of a data file and of each cell of an
// index. On disk, do not change.
type Kind uint8

const (
	KindThreadName         Kind = 0
	KindClassDescriptor    Kind = 1
	KindMethodDescriptor   Kind = 2
	KindFieldDescriptor    Kind = 3
	KindVariableDescriptor Kind = 4
	KindString             Kind = 5
	KindAccessPath         Kind = 6
	KindCodeLocation       Kind = 7
	KindTracePoint         Kind = 8
	KindFooter             Kind = 9
	KindBlockStart         Kind = 10
	KindBlockEnd           Kind = 11
	KindEOF                Kind = 12

	kindCount = 13
)

var kindNames = [kindCount]string{
	"THREAD_NAME", "CLASS_DESCRIPTOR", "METHOD_DESCRIPTOR", "FIELD_DESCRIPTOR",
	"VARIABLE_DESCRIPTOR", "STRING", "ACCESS_PATH", "CODE_LOCATION", "TRACEPOINT",
	"TRACEPOINT_FOOTER", "BLOCK_START", "BLOCK_END", "EOF",
}

// Valid reports whether the kind is defined.
func (k Kind) Valid() bool { return k < kindCount }

// Reference reports whether objects of this kind are reference objects. They belong to no
// thread, but to the [Context] of a trace.
func (k Kind) Reference() bool { return k <= KindCodeLocation }

// String returns the name that the format gives the kind.
func (k Kind) String() string {
	if k.Valid() {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Class tells the trace points apart, in memory. Its numbers are the bytes that version 22 has
// in files; version 27 has other numbers, see [Version.PointClass].
type Class uint8

const (
	ClassCall          Class = 0
	ClassArrayRead     Class = 1
	ClassVariableRead  Class = 2
	ClassFieldRead     Class = 3
	ClassArrayWrite    Class = 4
	ClassVariableWrite Class = 5
	ClassFieldWrite    Class = 6
	ClassLoop          Class = 7
	ClassIteration     Class = 8
	ClassSnapshot      Class = 9 // live breakpoint
	ClassThrow         Class = 10
	ClassCatch         Class = 11

	classCount = 12
)

var classNames = [classCount]string{
	"call", "array read", "variable read", "field read", "array write",
	"variable write", "field write", "loop", "loop iteration",
	"live breakpoint", "throw", "catch",
}

// Valid reports whether the class is defined.
func (c Class) Valid() bool { return c < classCount }

// Container reports whether points of this class have children and a footer.
func (c Class) Container() bool {
	return c == ClassCall || c == ClassLoop || c == ClassIteration
}

// String returns a description of points of this class.
func (c Class) String() string {
	if c.Valid() {
		return classNames[c]
	}
	return fmt.Sprintf("trace point class %d", uint8(c))
}

// DiffStatus marks a point of a diff of two traces. On disk, do not change.
type DiffStatus int8

const (
	DiffNone      DiffStatus = -1
	DiffUnchanged DiffStatus = 0
	DiffRemoved   DiffStatus = 1
	DiffAdded     DiffStatus = 2
	DiffEditedOld DiffStatus = 3
	DiffEditedNew DiffStatus = 4
)

// Valid reports whether the status is defined.
func (d DiffStatus) Valid() bool { return d >= DiffNone && d <= DiffEditedNew }
