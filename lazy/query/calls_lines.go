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
	if len(at) == 0 {
		return nil, nil
	}
	c := &lineReader{lines: lines, g: g}
	p := lazy.Pass{Raw: s.Raw, Collect: s.Over(c).Collect}
	for _, at := range at {
		p.Ranges = append(p.Ranges, lazy.PassRange{Thread: at.Thread, From: at.At, To: at.At + 1})
	}
	err := r.Pass(ctx, p)
	return c.made, err
}

// lineReader is the collector of readLines.
type lineReader struct {
	lines *template.Template
	g     *display.Glyphs
	made  []string
}

// lineVisitor is its visitor.
type lineVisitor struct {
	of   *lineReader
	m    *matcher
	made []string
}

func (c *lineReader) Visitor() lazy.Visitor {
	return &lineVisitor{of: c, m: &matcher{needs: c.lines.Needs()}}
}

func (c *lineReader) Merge(v lazy.Visitor) error {
	c.made = append(c.made, v.(*lineVisitor).made...)
	return nil
}

func (c *lineReader) Reset() { c.made = nil }

func (v *lineVisitor) Begin(int32, []lazy.PassFrame) { v.m.begin() }
func (v *lineVisitor) Around(p *lazy.PassPoint)      { v.m.enter(p) }
func (v *lineVisitor) Exit(*lazy.PassPoint)          {}
func (v *lineVisitor) Leaf(p *lazy.PassPoint)        { v.write(p) }
func (v *lineVisitor) Enter(p *lazy.PassPoint)       { v.write(p) }

func (v *lineVisitor) write(p *lazy.PassPoint) {
	if err := v.m.learn(p); err != nil {
		p.Fail(err)
		return
	}
	v.made = append(v.made, string(v.of.lines.Append(nil, p.Context(), &v.m.facts, v.of.g)))
}
