package registry

import (
	"bytes"
	"testing"

	"tracex/format"
)

// small returns a registry with memory for so many names.
func small(names int) *Registry {
	return New(format.V27, func(int64, int) bool {
		names--
		return names >= 0
	})
}

// The same name has the same number, and names are taken once, in the order of their ids, each
// after what it refers to.
func TestRegistered(t *testing.T) {
	g := small(100)
	class := g.Class("shop.Order")
	method := g.Register(func(n *Names) int32 { return n.Method(g.ID(class), "pay", format.Type{}, nil) })
	if again := g.Class("shop.Order"); again != class || g.ID(class) != 0 || g.ID(method) != 0 {
		t.Errorf("the class has the numbers %#x and %#x, the method %#x", class, again, method)
	}
	if name := g.ClassName(0); name != "Order" {
		t.Errorf("the class is named %q", name)
	}
	data, cells := g.Take(nil, nil)
	if len(cells) != 2 || cells[0].Kind != format.KindClassDescriptor || cells[1].Kind != format.KindMethodDescriptor ||
		cells[0].Start != 0 || cells[1].Start <= 0 || cells[1].Start >= int64(len(data)) {
		t.Errorf("%d bytes, %+v", len(data), cells)
	}
	if data, cells = g.Take(data[:0], cells[:0]); len(data)+len(cells) > 0 {
		t.Errorf("%d bytes are taken twice", len(data))
	}
}

// Names without memory share one replacement, which needs none.
func TestNoRoomForNames(t *testing.T) {
	g := small(0)
	one, other := g.Class("one"), g.Class("other")
	if one != other || g.ClassName(g.ID(one)) != noName {
		t.Errorf("numbers %#x and %#x", one, other)
	}
	if id := g.Dropped(); id != 0 {
		t.Errorf("the variable of notes has the id %d", id)
	}
}

// Numbers of another registry, and zero, are counted and replaced.
func TestNumbersOfAnother(t *testing.T) {
	g, other := small(100), small(100)
	class := other.Class("C")
	if g.ID(class) != None || g.ID(0) != None || g.IDOrNone(0) != None {
		t.Error("another's number is known")
	}
	if id := g.Unregistered(class); g.ClassName(id) != Unregistered {
		t.Errorf("the replacement is named %q", g.ClassName(id))
	}
	if u, f := g.Misused.Unregistered.Load(), g.Misused.Foreign.Load(); u != 1 || f != 2 {
		t.Errorf("%d numbers are counted as zero, %d as another's", u, f)
	}
}

// A path has only what is registered, and names a package variable as such.
func TestPaths(t *testing.T) {
	g := small(100)
	path := func(ref int32) int64 {
		return g.Register(func(n *Names) int32 {
			return n.Path(format.AccessPath{Steps: []format.AccessStep{{Kind: format.AccessObjectField, Ref: ref}}})
		})
	}
	if path(0) != 0 {
		t.Error("there is a path to nothing")
	}
	g.Register(func(n *Names) int32 { return n.Field(None, format.FieldDescriptor{Name: "f", Static: true}) })
	if path(0) == 0 {
		t.Error("there is no path to the field")
	}
	data, cells := g.Take(nil, nil)
	want, err := (&format.AccessPath{Steps: []format.AccessStep{{Kind: format.AccessStaticField}}}).Append(nil, format.V27)
	if got := data[cells[len(cells)-1].Start:]; err != nil || !bytes.Equal(got, want) {
		t.Errorf("the path is %x, want %x: %v", got, want, err)
	}
}
