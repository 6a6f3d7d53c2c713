package filter

import (
	"iter"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy/query/nearest"
)

// op is how a field is compared with a value.
type op uint8

const (
	opNone     op = iota // a field without operator: it has a value
	opEq                 // =
	opNe                 // !=
	opLess               // <
	opAtMost             // <=
	opMore               // >
	opAtLeast            // >=
	opRegexp             // ~
	opContains           // :
)

var opTexts = [...]string{"", "=", "!=", "<", "<=", ">", ">=", "~", ":"}

func (o op) String() string { return opTexts[o] }

// kind is what values a field has, which determines its operators.
type kind uint8

const (
	kindName   kind = iota // a name: = != ~ :
	kindWord               // one of a list of words: = !=
	kindNumber             // a whole number: = != < <= > >=, ranges
	kindTime               // a duration: the same
	kindBytes              // a number of bytes: the same
	kindTruth              // true or false: = !=
	kindValue              // a recorded value: all
	kindObject             // an object: = ~ :
)

var kindOps = [...][]op{
	kindName:   {opEq, opNe, opRegexp, opContains},
	kindWord:   {opEq, opNe},
	kindNumber: {opEq, opNe, opLess, opAtMost, opMore, opAtLeast},
	kindTime:   {opMore, opAtLeast, opLess, opAtMost, opEq, opNe},
	kindBytes:  {opMore, opAtLeast, opLess, opAtMost, opEq, opNe},
	kindTruth:  {opEq, opNe},
	kindValue:  {opEq, opNe, opLess, opAtMost, opMore, opAtLeast, opRegexp, opContains},
	kindObject: {opEq, opRegexp, opContains},
}

// fieldID tells the fields apart.
type fieldID uint8

const (
	idMethod fieldID = iota
	idClass
	idPkg
	idFile
	idLine
	idThread
	idDepth
	idKind
	idEvent
	idAt
	idDur
	idSelf
	idKids
	idSize
	idThrew
	idExc
	idRet
	idRecv
	idArg
	idVar
	idField
	idValue
	idObj
	idIter
	idStatus
)

// classes is a set of classes of trace points.
type classes uint16

func classesOf(list ...format.Class) (s classes) {
	for _, c := range list {
		s |= 1 << c
	}
	return s
}

func (s classes) has(c format.Class) bool { return s&(1<<c) != 0 }

var (
	allClasses = classes(1<<12 - 1)
	callsOnly  = classesOf(format.ClassCall)
	containers = classesOf(format.ClassCall, format.ClassLoop, format.ClassIteration)
	ofFields   = classesOf(format.ClassFieldRead, format.ClassFieldWrite)
	ofVars     = classesOf(format.ClassVariableRead, format.ClassVariableWrite)
	ofArrays   = classesOf(format.ClassArrayRead, format.ClassArrayWrite)
	reads      = classesOf(format.ClassFieldRead, format.ClassVariableRead, format.ClassArrayRead)
	writes     = classesOf(format.ClassFieldWrite, format.ClassVariableWrite, format.ClassArrayWrite)
	throws     = classesOf(format.ClassThrow, format.ClassCatch)
	snapshots  = classesOf(format.ClassSnapshot)
)

// Field describes a field of the language.
type Field struct {
	Name  string
	About string // what it is, in a few words
	id    fieldID
	kind  kind
	in    classes // trace points that can have it
	alone bool    // it may be without operator
}

var fields = [...]Field{
	idMethod: {Name: "method", kind: kindName, in: callsOnly, About: "the called method: withdraw, Account.withdraw, com.shop.Account.withdraw"},
	idClass:  {Name: "class", kind: kindName, in: callsOnly | ofFields, About: "the class that declares the method or field: Account, com.shop.Account"},
	idPkg:    {Name: "pkg", kind: kindName, in: callsOnly | ofFields, About: "the package of that class; com.shop.* is the package and all below it"},
	idFile:   {Name: "file", kind: kindName, in: allClasses, About: "the source file where it happened: Account.kt"},
	idLine:   {Name: "line", kind: kindNumber, in: allClasses, About: "the line there"},
	idThread: {Name: "thread", kind: kindName, in: allClasses, About: "the thread, by name or number, a goroutine by its own: worker-1, 2, g45"},
	idDepth:  {Name: "depth", kind: kindNumber, in: allClasses, About: "how many calls, loops and iterations are around it; 0 for a root"},
	idKind:   {Name: "kind", kind: kindWord, in: allClasses, About: "what it is: call, loop, iteration, throw, catch, read, write, field, var, array, breakpoint"},
	idEvent:  {Name: "event", kind: kindNumber, in: allClasses, About: "its number: 1204332 or #1204332"},
	idAt:     {Name: "at", kind: kindTime, in: allClasses, About: "when it began, since the trace began"},
	idDur:    {Name: "dur", kind: kindTime, in: containers, About: "how long it took: 10ms, 1.5s, 2us"},
	idSelf:   {Name: "self", kind: kindTime, in: containers, About: "how long it took without the calls below"},
	idKids:   {Name: "kids", kind: kindNumber, in: containers, About: "how many events are directly in it"},
	idSize:   {Name: "size", kind: kindBytes, in: containers, About: "its bytes in the trace, with all below it: 64KiB"},
	idThrew:  {Name: "threw", kind: kindTruth, in: callsOnly, alone: true, About: "the call ended with an exception"},
	idExc:    {Name: "exc", kind: kindName, in: callsOnly | throws, alone: true, About: "the class of the exception that ended a call, was thrown or caught"},
	idRet:    {Name: "ret", kind: kindValue, in: callsOnly, About: "the result; if a Go function returns several, any of them; ret.1 the first, ret.err the one with this name, or the error; ret.id what was captured in it"},
	idRecv:   {Name: "recv", kind: kindValue, in: callsOnly, About: "the receiver: what the method was called on; recv.name what was captured in it"},
	idArg:    {Name: "arg", kind: kindValue, in: callsOnly, About: "any argument; arg.1 the first, arg.amount that of a parameter; arg.1.name, arg.req.URL.Path what was captured in it"},
	idVar:    {Name: "var", kind: kindName, in: ofVars, About: "the local variable read or written"},
	idField:  {Name: "field", kind: kindName, in: ofFields, About: "the field read or written: balance, Account.balance"},
	idValue:  {Name: "value", kind: kindValue, in: ofFields | ofVars | ofArrays | throws | snapshots, About: "the value read, written, thrown or caught; any that a breakpoint recorded"},
	idObj:    {Name: "obj", kind: kindObject, in: allClasses &^ classesOf(format.ClassLoop, format.ClassIteration), About: "an object in any role: receiver, argument, result, value, owner of a field or element"},
	idIter:   {Name: "iter", kind: kindNumber, in: classesOf(format.ClassIteration), About: "the number of an iteration of a loop, from 1"},
	idStatus: {Name: "status", kind: kindWord, in: allClasses, About: "unfinished, untracked (its end is not known), underway; in a diff: unchanged, removed, added, edited, moved, renamed"},
}

func init() {
	for i := range fields {
		fields[i].id = fieldID(i)
	}
}

// Fields yields the fields of the language in the order of its documentation.
func Fields() iter.Seq[Field] { return slices.Values(fields[:]) }

// Ops returns the operators that the field takes, the usual one first.
func (f Field) Ops() []string {
	var list []string
	for _, o := range kindOps[f.kind] {
		list = append(list, o.String())
	}
	return list
}

// fieldNamed returns the field of a name, and what of it a name with dots means: arg.2, ret.err, recv.name. f is nil if there is no
// such field, and ok false if it does not have that.
func fieldNamed(name string) (f *Field, o Operand, ok bool) {
	name, rest, more := strings.Cut(name, ".")
	for i := range fields {
		if fields[i].Name != name {
			continue
		}
		if !more {
			return &fields[i], o, true
		}
		o, ok = operandOf(&fields[i], rest)
		return &fields[i], o, ok
	}
	return nil, o, false
}

// FieldNamed returns the field of a name, and what of it is meant. ok is false if there is no such field, or it does not have that:
// then the name of f is empty, or it has one.
func FieldNamed(name string) (f Field, o Operand, ok bool) {
	of, o, ok := fieldNamed(name)
	if of != nil {
		f = *of
	}
	return f, o, ok
}

// NearestFields returns up to three names of fields that are spelled like name, the nearest first.
func NearestFields(name string) []string { return nearest.Alike(name, fieldNames) }

func fieldNames(yield func(string) bool) {
	for i := range fields {
		if !yield(fields[i].Name) {
			return
		}
	}
}

// kindWords are the values of the field kind. Those with two parts may be written with a space
// or a dash.
var kindWords = []struct {
	word string
	in   classes
}{
	{"call", callsOnly}, {"loop", classesOf(format.ClassLoop)}, {"iteration", classesOf(format.ClassIteration)},
	{"throw", classesOf(format.ClassThrow)}, {"catch", classesOf(format.ClassCatch)},
	{"read", reads}, {"write", writes}, {"field", ofFields}, {"var", ofVars}, {"array", ofArrays},
	{"breakpoint", snapshots},
	{"field-read", ofFields & reads}, {"field-write", ofFields & writes}, {"var-read", ofVars & reads},
	{"var-write", ofVars & writes}, {"array-read", ofArrays & reads}, {"array-write", ofArrays & writes},
	// The names that the format gives them.
	{"variable", ofVars}, {"variable-read", ofVars & reads}, {"variable-write", ofVars & writes},
	{"loop-iteration", classesOf(format.ClassIteration)}, {"live-breakpoint", snapshots},
}

// status is a set of what the field status tells.
type status uint16

const (
	statusUnchanged  status = 1 << iota // diff statuses in the order of format.DiffStatus
	statusRemoved                       //
	statusAdded                         //
	statusEditedOld                     //
	statusEditedNew                     //
	statusUnfinished                    // a container whose end was not recorded
	statusUnderWay                      // a call that was running when the recording began
	statusUntracked                     // a call of whose end nothing is known
	statusMoved                         // of a diff: removed or added, and the same elsewhere in the other trace
	statusRenamed                       // the same under another name

	statusDiff      = statusUnfinished - 1
	statusElsewhere = statusMoved | statusRenamed
)

var statusWords = []struct {
	word string
	is   status
}{
	{"unfinished", statusUnfinished}, {"underway", statusUnderWay}, {"untracked", statusUntracked}, {"unchanged", statusUnchanged}, {"removed", statusRemoved},
	{"added", statusAdded}, {"edited", statusEditedOld | statusEditedNew}, {"moved", statusMoved}, {"renamed", statusRenamed}, {"edited-old", statusEditedOld}, {"edited-new", statusEditedNew},
}
