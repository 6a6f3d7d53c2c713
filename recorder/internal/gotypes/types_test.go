package gotypes

import (
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"tracex/format"
	"tracex/recorder/internal/registry"
	"tracex/recorder/internal/values"
)

// memory is the memory of a test: it counts what is reserved.
type memory struct {
	none     bool
	requests []int64
}

func (m *memory) reserve(bytes int64) bool {
	m.requests = append(m.requests, bytes)
	return !m.none
}

// some returns types without any, and their registry.
func some(m *memory) (*Types, *registry.Registry) {
	g := registry.New(format.V27, func(int64, int) bool { return !m.none })
	return New(g, m.reserve), g
}

func of[T any](ts *Types) *Info { return ts.Of(reflect.TypeFor[T]()) }

type (
	empty  struct{}
	public struct {
		Name  string
		Inner *empty
	}
	simple struct {
		Name   string
		length uint8
		factor complex128
		text   string
	}
	hiding struct {
		list []int
		Name string
	}
	embedding struct {
		hiding
	}
)

// Only reflection reads these fields.
var _, _ = simple{"", 0, 0, ""}, hiding{nil, ""}

// A type is registered by its name. The fields of a struct are known, and whether they are
// hidden.
func TestOf(t *testing.T) {
	ts, g := some(new(memory))
	for _, c := range []struct {
		info   *Info
		class  string
		fields []string
		hides  bool
	}{
		{of[int](ts), "int", nil, false},
		{of[[]string](ts), "[]string", nil, false},
		{of[empty](ts), "empty", nil, false},
		{of[*public](ts), "*public", nil, false},
		{of[public](ts), "public", []string{"Name", "Inner"}, false},
		{of[simple](ts), "simple", []string{"Name", "length", "factor", "text"}, false},
		{of[hiding](ts), "hiding", []string{"list", "Name"}, true},
		{of[embedding](ts), "embedding", []string{"hiding"}, true},
	} {
		if name := g.ClassName(c.info.ID()); name != c.class || g.ID(c.info.Class) != c.info.ID() {
			t.Errorf("the class of %s is %q, with the number %#x and the id %d", c.class, name, c.info.Class, c.info.ID())
		}
		if !slices.Equal(c.info.Fields, c.fields) || c.info.Hides != c.hides {
			t.Errorf("%s has the fields %q, hidden: %v", c.class, c.info.Fields, c.info.Hides)
		}
	}
}

// A type is registered once, and memory is reserved for it once: more for one with more fields.
func TestOfAgain(t *testing.T) {
	m := new(memory)
	ts, _ := some(m)
	first, other := of[simple](ts), of[empty](ts)
	if again := of[simple](ts); again != first || other == first {
		t.Errorf("%p at first, %p later, and %p of another", first, again, other)
	}
	if len(m.requests) != 2 || m.requests[0] <= m.requests[1] || m.requests[1] <= 0 {
		t.Errorf("reserved %d bytes", m.requests)
	}
}

// Without memory a type is still known, but not kept. It is when there is memory again.
func TestOfWithoutMemory(t *testing.T) {
	m := new(memory)
	ts, g := some(m)
	class := g.Class(reflect.TypeFor[public]().PkgPath() + ".public")
	m.none = true
	for range 2 {
		if info := of[public](ts); info.Class != class || len(info.Fields) != 2 {
			t.Errorf("%+v", info)
		}
	}
	if len(m.requests) != 2 {
		t.Errorf("%d requests for memory, want one for each use", len(m.requests))
	}
	m.none = false
	if kept := of[public](ts); kept != of[public](ts) || len(m.requests) != 3 {
		t.Errorf("%d requests for memory, want 3", len(m.requests))
	}
}

// Goroutines that use a type for the first time at once get the same.
func TestOfAtOnce(t *testing.T) {
	var both, group sync.WaitGroup
	both.Add(2)
	ts := New(registry.New(format.V27, func(int64, int) bool { return true }), func(int64) bool {
		both.Done()
		both.Wait() // the other does not know the type either
		return true
	})
	var found [2]*Info
	for i := range found {
		group.Go(func() { found[i] = of[simple](ts) })
	}
	group.Wait()
	if found[0] != found[1] {
		t.Errorf("%p and %p", found[0], found[1])
	}
}

// An error's class is that of its type once it was added, and until then the replacement.
func TestErrorClass(t *testing.T) {
	ts, g := some(new(memory))
	g.Class("with the first id")
	path, _ := values.ErrorNumber(&fs.PathError{})
	plain, _ := values.ErrorNumber(errors.New("an error"))
	if id := ts.ErrorClass(path); id != g.NoRoom() {
		t.Errorf("before it was added, its class is %d", id)
	}
	ts.AddErrorType(path)
	ts.AddErrorType(plain)
	if id := ts.ErrorClass(path); id != of[fs.PathError](ts).ID() || g.ClassName(id) != "PathError" {
		t.Errorf("its class is %d, %q", id, g.ClassName(id))
	}
	if name := g.ClassName(ts.ErrorClass(plain)); name != "errorString" {
		t.Errorf("the other's class is %q", name)
	}
}

// A number of another registry is counted, and replaced.
func TestUnregistered(t *testing.T) {
	ts, g := some(new(memory))
	_, other := some(new(memory))
	id := ts.Unregistered(other.Class("C"))
	if name := g.ClassName(id); !strings.Contains(name, "unregistered") || g.Misused.Foreign.Load() != 1 || g.Misused.Unregistered.Load() != 0 {
		t.Errorf("replaced by %q, %d foreign numbers", name, g.Misused.Foreign.Load())
	}
}

// A type whose class could not be registered has the id 0.
func TestIDOfNone(t *testing.T) {
	if id := new(Info).ID(); id != 0 {
		t.Errorf("its id is %d", id)
	}
}
