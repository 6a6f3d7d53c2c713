package table

import (
	"bufio"
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"tracex/format"
)

// Schema is the version of the lines of JSON. Adding a member does not change it; removing one or
// changing its meaning does.
const Schema = 1

// WriteJSON writes the table as JSON Lines: an object for each of the first limit rows, or for all
// if limit is 0. more is how many rows are left out.
//
// A line begins with schema and, if the table says so, its kind and "partial":true; then it has a
// member for each column, by its key: whole numbers as such (durations in nanoseconds), shares
// from 0 to 1, texts as strings. Values that are absent or pending have no member. A number that is
// a bound has a second member, KEY_bound: "at least", "at most", "about" or "noise".
func WriteJSON(w io.Writer, t *Table, limit int) (more int, err error) {
	out := bufio.NewWriter(w)
	n, more := limited(t, limit)
	var b []byte
	for i := range n {
		b = t.appendJSON(b[:0], t.Rows.Row(i))
		if _, err := out.Write(append(b, '\n')); err != nil {
			return more, err
		}
	}
	return more, out.Flush()
}

// appendJSON appends the object of a row.
func (t *Table) appendJSON(b []byte, row []Value) []byte {
	b = strconv.AppendInt(append(b, `{"schema":`...), Schema, 10)
	if t.Row != "" {
		b = format.AppendJSONString(append(b, `,"kind":`...), t.Row)
	}
	if t.Partial {
		b = append(b, `,"partial":true`...)
	}
	for i, v := range row {
		c := &t.Columns[i]
		if c.In == OnlyShown || !v.Known() {
			continue
		}
		b = append(format.AppendJSONString(append(b, ','), c.Key), ':')
		b = c.appendJSON(b, v)
		if v.bound != Exact && v.bound != Edited && v.json == nil {
			b = append(format.AppendJSONString(append(b, ','), c.Key+"_bound"), `:"`...)
			b = append(append(b, v.bound.String()...), '"')
		}
	}
	return append(b, '}')
}

func (c *Column) appendJSON(b []byte, v Value) []byte {
	switch {
	case v.json != nil:
		return append(b, v.json...)
	case c.Kind == Text:
		return format.AppendJSONString(b, v.text)
	}
	return c.appendNumber(b, v)
}

// appendNumber appends a number with all its digits.
func (c *Column) appendNumber(b []byte, v Value) []byte {
	if c.Kind == Share || c.Kind == Decimal || c.Kind == Change {
		return strconv.AppendFloat(b, v.f, 'f', -1, 64)
	}
	return strconv.AppendInt(b, v.n, 10)
}

// String names a bound in words.
func (b Bound) String() string {
	return [...]string{"exactly", "at least", "at most", "about", "edited", "noise"}[b]
}

// WriteCSV writes the table as comma-separated values (RFC 4180 with line feeds): a line with the
// keys of the columns, then one for each of the first limit rows, or for all if limit is 0. Numbers
// are those of [WriteJSON]; one that is a bound has ">=", "<=" or "~" before it. more is how many
// rows are left out.
func WriteCSV(w io.Writer, t *Table, limit int) (more int, err error) {
	out := csv.NewWriter(w)
	n, more := limited(t, limit)
	var fields []string
	for i := range t.Columns {
		if c := &t.Columns[i]; c.In != OnlyShown {
			fields = append(fields, c.Key)
		}
	}
	if err := out.Write(fields); err != nil {
		return more, err
	}
	for i := range n {
		fields = fields[:0]
		for at, v := range t.Rows.Row(i) {
			if c := &t.Columns[at]; c.In != OnlyShown {
				fields = append(fields, c.field(v))
			}
		}
		if err := out.Write(fields); err != nil {
			return more, err
		}
	}
	out.Flush()
	return more, out.Error()
}

// field returns a value as CSV has it.
func (c *Column) field(v Value) string {
	switch {
	case !v.Known():
		return ""
	case c.Kind == Text:
		return strings.ToValidUTF8(v.text, "\ufffd")
	}
	bound := [...]string{"", ">=", "<=", "~", "", "~"}[v.bound]
	return string(c.appendNumber([]byte(bound), v))
}
