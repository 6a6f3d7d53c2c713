package tree

import (
	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// MethodName returns a method's name as commands take it, with the types of its arguments; "" if it is not described.
func MethodName(r *lazy.LazyTraceReader, method int32) (name string) {
	r.WithContext(func(c *format.Context) {
		d := c.Method(method)
		if d == nil {
			return
		}
		name = d.Name + filter.Signature(d, ",", true)
		if of := c.Class(d.ClassID); of != nil {
			name = of.Name + "." + name
		}
	})
	return name
}

// MethodsNamed returns the methods of a name, whose class has this full name; "" for methods without one.
func MethodsNamed(r *lazy.LazyTraceReader, class, name string) (list []int32) {
	r.WithContext(func(c *format.Context) {
		for m := range c.Methods() {
			of := c.Class(m.ClassID)
			if m.Name == name && (of != nil && of.Name == class || of == nil && class == "") {
				list = append(list, m.ID)
			}
		}
	})
	return list
}

// NamesOf returns the name of a method, as short as no other method has it, and the full name of its class.
func NamesOf(r *lazy.LazyTraceReader, method int32) (name, class string) {
	long := MethodName(r, method)
	r.WithContext(func(c *format.Context) {
		d := c.Method(method)
		if d == nil {
			return
		}
		if of := c.Class(d.ClassID); of != nil {
			class = of.Name
		}
		name, _ = c.CallName(method, 0)
		for other := range c.Methods() {
			if other.ID != method && other.Name == d.Name {
				if also, _ := c.CallName(other.ID, 0); also == name {
					name = long
					return
				}
			}
		}
	})
	return name, class
}
