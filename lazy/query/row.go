package query

import (
	"strconv"

	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
)

// Row is a row of an answer, with what its columns name.
type Row struct {
	t      *table.Table
	values []table.Value
}

func RowOf(t *table.Table, row int) Row { return Row{t, t.Rows.Row(row)} }

// value returns the value of a column; ok is false if the row has none.
func (r Row) value(key string) (v table.Value, ok bool) {
	i := r.t.Column(key)
	if i < 0 || i >= len(r.values) || !r.values[i].Known() {
		return v, false
	}
	return r.values[i], true
}

// Has reports whether the row has a value in the column with a key.
func (r Row) Has(key string) bool {
	_, ok := r.value(key)
	return ok
}

func (r Row) text(key string) (text string, ok bool) {
	v, ok := r.value(key)
	return v.Text(), ok
}

func (r Row) number(key string) (n int64, ok bool) {
	v, ok := r.value(key)
	return v.Int(), ok
}

// Method returns the names of the row's class and method; ok is false if it is not about a method.
func (r Row) Method() (class, method string, ok bool) {
	class, _ = r.text("class")
	method, ok = r.text("method")
	return class, method, ok
}

// Call returns the row's method as commands take it, with its types where they are known; "" if
// it is not about a method.
func (r Row) Call() string {
	class, name, ok := r.Method()
	if !ok {
		return ""
	}
	if class != "" {
		name = class + "." + name
	}
	if types, ok := r.text("types"); ok {
		name += "(" + types + ")"
	}
	return name
}

// Calls returns what means the calls that the row is about, as the command calls takes it: a method,
// the one that threw, or a filter; "" if it is about none.
func (r Row) Calls() string {
	if method, ok := r.text("thrown_method"); ok {
		if class, ok := r.text("thrown_class"); ok {
			return class + "." + method
		}
		return method
	}
	if call := r.Call(); call != "" {
		return call
	}
	for _, of := range []struct{ key, field string }{{"class", "class"}, {"package", "pkg"}, {"file", "file"}} {
		if name, ok := r.text(of.key); ok && r.t.Row == of.key {
			return of.field + "=" + filter.Word(name)
		}
	}
	if n, ok := r.Thread(); ok && r.t.Row == "thread" {
		return "kind=call thread=" + strconv.FormatInt(n, 10)
	}
	return ""
}

// Thread returns the thread that the row names, as people count; ok is false if it names none.
func (r Row) Thread() (n int64, ok bool) { return r.number("thread") }

// Event returns the event that the row names; ok is false if it names none.
func (r Row) Event() (event int32, ok bool) {
	n, ok := r.number("event")
	return int32(n), ok
}
