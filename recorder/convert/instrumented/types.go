package instrumented

import (
	"reflect"
	"strconv"
	"strings"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/gonames"
	"tracex/recorder/internal/values"
)

// typ is a type of a program. A nil *typ is an unknown type.
type typ struct {
	raw.Type
	special special
	pieces  []piece     // of the message, if special is told
	number  values.Kind // see numberKind
	id      int32       // of its class; none: not yet
	refers  int32       // the class of what an address of the type refers to; none: not known yet
	length  int32       // of an array
	members []*typ      // of a struct: the types of its fields; nil: not known yet
	names   [][]byte
}

// special says how a type is shown if it has a way of its own.
type special uint8

const (
	notSpecial special = iota
	duration
	moment
	told        // an error whose message is in messages
	joined      // an error with a slice of errors, the last field
	operation   // net.OpError
	lookup      // net.DNSError
	address     // of package net
	boundsError // fields: x, y, signed, code
	nilPanic    // by panic(nil)
	assertion   // fields: interface, concrete and asserted type, missing method
	runtimeText // an error of the runtime that is a text
	errno
	textError   // a text with a method Error: the text is taken for the message
	numberError // an integer with a method Error
)

// specials are the special types, by their names in the source.
var specials = map[string]special{
	"time.Duration": duration, "time.Time": moment,
	"errors.joinError": joined, "go.uber.org/multierr.multiError": joined, "net.OpError": operation, "net.DNSError": lookup,
	"net.TCPAddr": address, "net.UDPAddr": address, "net.IPAddr": address,
	"runtime.boundsError": boundsError, "runtime.PanicNilError": nilPanic, "runtime.TypeAssertionError": assertion,
	"runtime.errorString": runtimeText, "runtime.plainError": runtimeText, "syscall.Errno": errno,
}

func newType(t *raw.Type) *typ {
	n := &typ{Type: *t, id: none, refers: none}
	if t.Flags&raw.TypeNamed != 0 && t.Package != "" {
		name := t.Package + "." + afterPackage(t.Name)
		n.special = specials[name]
		if message := messages[name]; message != "" && t.Kind == reflect.Struct {
			if n.pieces = piecesOf(message, t.Fields); n.pieces != nil {
				n.special = told
			}
		}
	}
	if n.special == notSpecial && t.Flags&raw.TypeError != 0 {
		switch k := t.Kind; {
		case k == reflect.String:
			n.special = textError
		case k >= reflect.Int && k <= reflect.Uintptr:
			n.special = numberError
		}
	}
	if t.Kind == reflect.Array {
		if size, _, ok := strings.Cut(strings.TrimPrefix(t.Name, "["), "]"); ok && strings.HasPrefix(t.Name, "[") {
			length, _ := strconv.ParseInt(size, 10, 32)
			n.length = int32(max(length, 0))
		}
	}
	n.number = numberKind(t.Kind, n.special)
	return n
}

// len returns the length of an array; 0 if its type is not known.
func (t *typ) len() int {
	if t == nil {
		return 0
	}
	return int(t.length)
}

// class returns the full name of the type's class.
func (t *typ) class() string {
	name := gonames.Unqualified(t.Name)
	if t.Flags&raw.TypeNamed != 0 && t.Package != "" {
		return t.Package + "." + name
	}
	switch t.Kind {
	case reflect.Func, reflect.Struct, reflect.Interface:
		return t.Kind.String()
	}
	return name
}

// afterPackage returns the name of a type without its package: Order of shop.Order.
func afterPackage(name string) string {
	end := strings.IndexByte(name, '[')
	if end < 0 {
		end = len(name)
	}
	return name[strings.LastIndexByte(name[:end], '.')+1:]
}

// types are the types of a program, by id.
type types struct {
	all    map[uint32]*typ
	recent [64]*typ // by the lower bits of the id
}

func (ts *types) get(id uint32) *typ {
	slot := &ts.recent[(id>>4^id>>10)%uint32(len(ts.recent))]
	if t := *slot; t != nil && t.ID == id {
		return t
	}
	t := ts.all[id]
	if t != nil {
		*slot = t
	}
	return t
}
