package instrumented

import (
	"reflect"
	"strings"

	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/gonames"
	"tracex/recorder/internal/values"
)

// typ is a type of a program. A nil *typ is an unknown type.
type typ struct {
	raw.Type
	special special
	message *message    // nil if it has none
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
	told    // an error whose text is known, see message
	joined  // a told one with a slice of errors, the last field
	address // of package net
	own     // an error that is a text or a number, and whose text is not known
)

// specials are the types whose special is neither told nor own, by their names in the source.
var specials = map[string]special{
	"time.Duration": duration, "time.Time": moment, "errors.joinError": joined, "go.uber.org/multierr.multiError": joined,
	"net.TCPAddr": address, "net.UDPAddr": address, "net.IPAddr": address, "net.UnixAddr": address, "net.pipeAddr": address,
}

// The errors whose messages are known by the fields of their types: no method of a program is called. A message is
// what the program would print, or none is shown.

// message says how the text of a value of a special type comes from parts: from fields, or from the value itself.
type message struct {
	fields []int // which; itself: the value itself
	names  []string
	say    func(parts) (text string, ok bool)
}

const itself = -1

// said returns what a value says that is a text or a number.
func (t *typ) said(value string) (text string, ok bool) {
	if t.message == nil || len(t.message.fields) != 1 || t.message.fields[0] != itself {
		return "", false
	}
	return t.message.say(parts{t.message.names, []part{{value, true}}})
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

// numberKind returns the kind of a type's short signed numbers; values.NullKind if it depends on
// the number, or the type has none.
func numberKind(k reflect.Kind, s special) values.Kind {
	switch {
	case s != notSpecial:
	case k == reflect.Int, k == reflect.Int32:
		return values.IntKind
	case k == reflect.Int64:
		return values.LongKind
	}
	return values.NullKind
}
