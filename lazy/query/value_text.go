package query

import (
	"strconv"
	"strings"

	"tracex/format"
)

// ValueText returns the text of a value as a diff compares it: without the identities of objects, of an array with its length.
func ValueText(c *format.Context, v *format.Value) string {
	if list := v.Results(c); list != nil {
		texts := make([]string, len(list))
		for i := range list {
			if texts[i] = ValueText(c, &list[i].Value); list[i].Value.Kind == format.ValueNull {
				texts[i] = "nil" // as in the text of a point
			}
		}
		return "(" + strings.Join(texts, ", ") + ")"
	}
	text, spans := format.ValueSpans(c, v)
	out := make([]byte, 0, len(text))
	for _, s := range spans {
		if s.Style != format.StyleHash {
			out = append(out, text[s.Start:s.End]...)
		}
	}
	if v.Kind == format.ValueArray && c.ClassName(v.ClassID) != "" {
		out = append(out, " of length "...)
		out = strconv.AppendInt(out, int64(v.Length()), 10)
	}
	return string(out)
}
