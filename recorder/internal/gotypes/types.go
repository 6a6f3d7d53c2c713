// Package gotypes keeps what a recorder knows of the types of a program.
package gotypes

import (
	"reflect"
	"sync"

	"tracex/recorder/internal/gonames"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// Info is what is kept of a type: its class, and for a struct the names of its fields.
type Info struct {
	Class  int64 // its number
	Fields []string
	Hides  bool // it has unexported fields that are more than a number or a string
}

// Types has the types of the values that a recorder was given. It finds classes for values, see
// values.Names.
type Types struct {
	registry *registry.Registry
	reserve  func(bytes int64) bool
	known    sync.Map // reflect.Type to *Info
}

// New returns types whose classes are registered with a registry. reserve reserves memory, and
// reports whether there was any; it may wait.
func New(g *registry.Registry, reserve func(bytes int64) bool) *Types {
	return &Types{registry: g, reserve: reserve}
}

// entrySize is what an entry of the map takes, in bytes.
const entrySize = 200

// Of registers a type on its first use.
func (ts *Types) Of(t reflect.Type) *Info {
	if info, ok := ts.known.Load(t); ok {
		return info.(*Info)
	}
	info := &Info{Class: ts.registry.Class(gonames.ClassName(t))}
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			f := t.Field(i)
			info.Fields = append(info.Fields, f.Name)
			info.Hides = info.Hides || !f.IsExported() && f.Type.Kind() > reflect.Complex128 && f.Type.Kind() != reflect.String
		}
	}
	if !ts.reserve(entrySize + 16*int64(len(info.Fields))) {
		return info
	}
	known, _ := ts.known.LoadOrStore(t, info)
	return known.(*Info)
}

// ID returns the id of the class; 0 if it has none.
func (i *Info) ID() int32 { return max(int32(i.Class)-1, 0) }

// Unregistered is that of the registry.
func (ts *Types) Unregistered(number int64) (class int32) { return ts.registry.Unregistered(number) }

// AddErrorType registers the class of an error type.
func (ts *Types) AddErrorType(number int32) { ts.Of(values.ErrorType(number)) }

// ErrorClass returns the id of the class of an error type, or of its replacement if there was no
// memory for another name.
func (ts *Types) ErrorClass(number int32) (class int32) {
	if info, ok := ts.known.Load(values.ErrorType(number)); ok {
		return info.(*Info).ID()
	}
	return ts.registry.NoRoom()
}
