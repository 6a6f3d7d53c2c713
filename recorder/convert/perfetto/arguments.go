package perfetto

import (
	"encoding/binary"
	"strconv"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// arguments collects the named arguments of one event: the encoded values, and the
// numbers of the access paths that name them. The arguments of an event that ends a
// slice arrive after the call's header was written: they become a text, which is
// shown as the call's result.
type arguments struct {
	d      *calltrace.Dictionary
	in     *interned
	plain  *format.Context // for the text of values
	asText bool
	names  []int32
	values []byte
	text   []byte
	count  int // of arguments in text
	only   ending
	left   int64 // arguments that were damaged or had no room

	// key identifies the names, if all of them are interned.
	key      []byte
	interned bool
	name     []byte // of a nested annotation
}

// Limits of one event: a trace point must be read into memory at once.
const (
	maxArguments = 1 << 10
	maxValues    = 1 << 20 // bytes
	maxNesting   = 64      // of nested annotations
)

// reset prepares for the arguments of an event.
func (a *arguments) reset(in *interned, asText bool) {
	a.in, a.asText = in, asText
	a.names, a.values, a.key, a.text = a.names[:0], a.values[:0], a.key[:0], a.text[:0]
	a.interned, a.count = true, 0
}

// add adds an argument with a fixed name.
func (a *arguments) add(name string, v format.Value) { a.put([]byte(name), v) }

// put adds an argument whose name is not interned.
func (a *arguments) put(name []byte, v format.Value) {
	if !a.room() {
		return
	}
	if a.asText {
		a.putText(name, &v)
		return
	}
	a.interned = false
	a.putValue(a.d.Path(name), &v)
}

// putInterned adds an argument whose name is interned.
func (a *arguments) putInterned(iid uint64, e *internedText, v *format.Value) {
	if !a.room() {
		return
	}
	if a.asText {
		a.putText(shownName(clean(nil, e.text)), v)
		return
	}
	if fit.Position(e.text, len(a.names)+1) {
		a.key = binary.AppendUvarint(a.key, iid)
		a.putValue(-1, v)
		return
	}
	if e.path < 0 {
		e.path = a.d.Path(shownName(clean(nil, e.text)))
	}
	a.key = binary.AppendUvarint(a.key, iid)
	a.putValue(e.path, v)
}

// room reports whether there is room for another argument.
func (a *arguments) room() bool {
	if len(a.names) < maxArguments && len(a.values) < maxValues && len(a.text) < fit.MaxText {
		return true
	}
	a.left++
	return false
}

func (a *arguments) putValue(path int32, v *format.Value) {
	a.names = append(a.names, path)
	at, version := len(a.values), a.d.Version
	fit.Unquoted(v, version)
	var err error
	if a.values, err = version.AppendValue(a.values, v); err != nil {
		null := format.Null() // impossible: texts are cut before
		a.values, _ = version.AppendValue(a.values[:at], &null)
	}
}

func (a *arguments) putText(name []byte, v *format.Value) {
	if len(a.text) > 0 {
		a.text = append(a.text, ", "...)
	}
	a.text = append(append(a.text, name...), " ➜ "...)
	at := len(a.text)
	a.text = a.plain.AppendValueText(a.text, v)
	if a.count++; a.count > 1 {
		return
	}
	a.only = ending{text: a.text[at:]}
	switch string(name) {
	case fit.Result:
		a.only.name = fit.Result
	case fit.Exception:
		if a.only.name = fit.Exception; v.Kind == format.ValueString {
			a.only.plain = v.Text
		}
	}
}

// ending is the only argument of an event that ends a slice.
type ending struct {
	name  string // if it is [fit.Result] or [fit.Exception]
	text  []byte // of the value
	plain string // the value, if it is a string
}

// shownName returns the name that is shown for an annotation: its own, or with the
// prefix "debug." if the format would treat it as the instance itself, or shorten
// it.
func shownName(name []byte) []byte {
	if len(name) == 0 || name[0] == '$' || len(name) >= 4 && string(name[:4]) == "this" {
		return append([]byte("debug."), name...)
	}
	return name
}

// maxPath bounds the names of nested arguments, in bytes: each is looked up as a
// whole.
const maxPath = fit.MaxText / 3

// clean appends the name of an annotation without the characters that join the names
// of nested ones.
func clean(dst, name []byte) []byte {
	for _, b := range name[:min(len(name), max(0, maxPath-len(dst)))] {
		if b == '.' || b == '[' || b == ']' {
			b = '_'
		}
		dst = append(dst, b)
	}
	return dst
}

// place returns the number of a call's code location: its location in the source, the names of its
// arguments, and whether its text leaves out the instance.
func (a *arguments) place(at sourceLocation, plain bool) int32 {
	path := int32(-1)
	if plain {
		path = a.d.Path([]byte("this")) // never shown
	}
	return a.d.Location(&format.CodeLocation{
		Kind: format.LocationCall, File: a.d.String(at.file), Class: -1, Method: a.d.String(at.function),
		Line: int32(at.line), Path: path, ArgNames: a.names,
	})
}

// location returns the number of the code location with the names of the arguments,
// the source location, and whether the call's owner is left out. iid is the number
// of the source location, 0 if it is not interned.
func (a *arguments) location(at sourceLocation, iid uint64, plain bool) int32 {
	if !a.interned || a.in == nil || iid == 0 && (at.file != nil || at.function != nil) {
		return a.place(at, plain)
	}
	iid <<= 1
	if plain {
		iid++
	}
	a.key = binary.AppendUvarint(a.key, iid)
	if id, ok := a.in.places[string(a.key)]; ok {
		return id
	}
	id := a.place(at, plain)
	if a.in.places == nil {
		a.in.places = make(map[string]int32)
	}
	a.in.places[string(a.key)] = id
	a.in.bytes += internedCost + int64(len(a.key))
	return id
}

func double(bits uint64) format.Value {
	return format.Value{Kind: format.ValueDouble, Bits: int64(bits)}
}

func hexadecimal(n uint64) format.Value { return calltrace.Unquoted("0x" + strconv.FormatUint(n, 16)) }
