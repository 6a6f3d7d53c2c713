package query

import (
	"bufio"
	"context"
	"io"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
	"tracex/lazy/query/template"
)

// WriteFormat writes a line for each of the first limit rows of a table of calls, or for all if limit
// is 0: the template with the values of the call. more is how many rows are left out.
func (c *Calls) WriteFormat(ctx context.Context, w io.Writer, t *table.Table, lines *template.Template, limit int, g *display.Glyphs) (more int, err error) {
	rows, ok := t.Rows.(*callRows)
	if !ok {
		return 0, nil
	}
	n := rows.Len()
	if limit > 0 && limit < n {
		n, more = limit, n-limit
	}
	out := bufio.NewWriter(w)
	var b []byte
	for from := 0; from < n; from += windowRows {
		at, _ := rows.places(from, min(from+windowRows, n))
		list, err := readLines(ctx, c.r, &c.scope, lines, g, at)
		if err != nil {
			return more, err
		}
		for _, text := range list {
			b = append(appendVisible(b[:0], text, lines), '\n')
			if _, err := out.Write(b); err != nil {
				return more, err
			}
		}
	}
	return more, out.Flush()
}

// appendVisible appends a text with its control characters escaped, apart from those that the
// template has itself.
func appendVisible(b []byte, text string, lines *template.Template) []byte {
	for text != "" {
		i := strings.IndexAny(text, "\n\t")
		if i < 0 {
			return format.AppendEscaped(b, text)
		}
		b = format.AppendEscaped(b, text[:i])
		if typed := lines.String(); strings.Contains(typed, text[i:i+1]) || strings.Contains(typed, map[byte]string{'\n': `\n`, '\t': `\t`}[text[i]]) {
			b = append(b, text[i])
		} else {
			b = format.AppendEscaped(b, text[i:i+1])
		}
		text = text[i+1:]
	}
	return b
}

// readLines writes a template for points at places, in the order of these.
func readLines(ctx context.Context, r *lazy.LazyTraceReader, s *Scope, lines *template.Template, g *display.Glyphs, at []lazy.Position) ([]string, error) {
	return readAt(ctx, r, s, at, func() look[string] {
		m := &matcher{needs: lines.Needs()}
		return learning(m, func(p *lazy.PassPoint) (string, bool, error) {
			err := m.learn(p)
			if err != nil {
				return "", false, err
			}
			return string(lines.Append(nil, p.Context(), &m.facts, g)), true, nil
		})
	})
}
