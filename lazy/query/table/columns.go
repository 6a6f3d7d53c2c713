package table

import (
	"slices"
	"strconv"
	"strings"

	"tracex/format"
)

// ColumnOf is a column of rows of type R, with its value of a row. By compares rows that have a value in it; nil if their
// values do.
type ColumnOf[R any] struct {
	Column
	Value func(row R) Value
	By    func(a, b R) int
}

// Columns are the columns of an answer: what a table shows, sorts by and writes of its rows.
type Columns[R any] []ColumnOf[R]

// Add adds a column.
func (l *Columns[R]) Add(c Column, value func(row R) Value) { l.AddBy(c, value, nil) }

// AddBy adds a column with an order of its own.
func (l *Columns[R]) AddBy(c Column, value func(row R) Value, by func(a, b R) int) {
	*l = append(*l, ColumnOf[R]{c, value, by})
}

// Heads returns the columns alone.
func (l Columns[R]) Heads() []Column {
	list := make([]Column, len(l))
	for i := range l {
		list[i] = l[i].Column
	}
	return list
}

// Row returns the values of a row.
func (l Columns[R]) Row(row R) []Value {
	list := make([]Value, len(l))
	for i := range l {
		list[i] = l[i].Value(row)
	}
	return list
}

// Get returns the value of a row in the column with a key; absent if there is no such column.
func (l Columns[R]) Get(row R, key string) (v Value) {
	if i := slices.IndexFunc(l, func(c ColumnOf[R]) bool { return c.Key == key }); i >= 0 {
		v = l[i].Value(row)
	}
	return v
}

// When returns where a column is: everywhere, or if it is not shown only in JSON and CSV.
func When(shown bool) Medium {
	if shown {
		return Everywhere
	}
	return OnlyData
}

// IntIf is a whole number, if it is known.
func IntIf(n int64, known bool) Value { return Int(n).If(known) }

// If returns v if it is known, or an absent value.
func (v Value) If(known bool) Value {
	if !known {
		return Value{}
	}
	return v
}

// StrIf is a text, if there is one.
func StrIf(text string) Value { return Str(text).If(text != "") }

// Yes is true in a column of texts, or absent.
func Yes(yes bool) Value { return Str("true").JSON([]byte("true")).If(yes) }

// Truth is true or false in a column of numbers.
func Truth(yes bool) Value {
	return Int(int64(boolean(yes))).JSON(strconv.AppendBool(nil, yes))
}

// Names is a list of texts, which JSON has as an array: with between between them elsewhere.
func Names(list []string, between string) Value {
	b := []byte{'['}
	for i, text := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = format.AppendJSONString(b, text)
	}
	b = append(b, ']')
	return Str(strings.Join(list, between)).JSON(b)
}
