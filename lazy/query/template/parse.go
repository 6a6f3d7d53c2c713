package template

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"tracex/lazy/query/filter"
)

// Error is a fault in a template. Its Text is what was parsed.
type Error struct{ Fault filter.Error }

// Error returns the message with the column, the nearest names and the hint, in one line.
func (e *Error) Error() string { return e.Fault.Error() }

// maxParts bounds the texts and fields of a template.
const maxParts = 256

// Parse parses a template. The error is an *[Error].
func Parse(text string) (*Template, error) {
	p := parser{text: text, to: len(text)}
	t, err := p.template()
	if err != nil {
		return nil, err
	}
	return t, nil
}

// ParseLog parses a filter and a template for the points that match it: FILTER: "TEMPLATE". Without
// a template it is nil. The error is an *[Error] or a *[filter.Error]; their columns are those of text.
func ParseLog(text string) (where *filter.Expr, t *Template, err error) {
	end, open, shut := split(text)
	if where, err = filter.Parse(text[:end]); err != nil {
		return nil, nil, err
	}
	if open < 0 {
		return where, nil, nil
	}
	p := parser{text: text, at: open, to: shut}
	fault := (*Error)(nil)
	switch rest := strings.TrimLeftFunc(text[min(shut+1, len(text)):], unicode.IsSpace); {
	case shut == len(text):
		fault = p.fault(open-1, shut, `this " is not closed`, "")
	case rest != "":
		fault = p.fault(len(text)-len(rest), len(text), "there is more after the format", `a " in the format is written \"`)
	default:
		if t, fault = p.template(); fault == nil {
			return where, t, nil
		}
	}
	return nil, nil, fault
}

// split finds the template of a log point: after a colon, white space and a quote that are not in
// quotes themselves. The filter ends at end; the template is from open to shut, where the quote
// that ends it is, or the end of the text. open is -1 if there is none.
func split(text string) (end, open, shut int) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			if i = closing(text, i+1); i == len(text) {
				return len(text), -1, 0
			}
		case ':':
			rest := strings.TrimLeftFunc(text[i+1:], unicode.IsSpace)
			if start := len(text) - len(rest); start > i+1 && rest != "" && rest[0] == '"' {
				return i, start + 1, closing(text, start+1)
			}
		}
	}
	return len(text), -1, 0
}

// closing returns where the quote that closes a text is, which begins at an offset; len(text) if there
// is none.
func closing(text string, at int) int {
	for ; at < len(text) && text[at] != '"'; at++ {
		if text[at] == '\\' && at+1 < len(text) && (text[at+1] == '"' || text[at+1] == '\\') {
			at++
		}
	}
	return at
}

// parser reads a template, which is a part of a text.
type parser struct {
	text   string
	at, to int
	plain  []byte // text before the next field
	parts  []part
	needs  filter.Needs
}

func (p *parser) fault(at, to int, message, hint string, near ...string) *Error {
	return &Error{filter.Error{Text: p.text, At: at, To: max(at, min(to, len(p.text))), Message: message, Hint: hint, Near: near}}
}

func (p *parser) template() (*Template, *Error) {
	from := p.at
	for p.at < p.to {
		if len(p.parts) > maxParts {
			return nil, p.fault(p.at, p.to, "the format has too many fields", "")
		}
		switch b := p.text[p.at]; {
		case (b == '{' || b == '}') && p.at+1 < p.to && p.text[p.at+1] == b:
			p.plain = append(p.plain, b)
			p.at += 2
		case b == '{':
			if err := p.braces(); err != nil {
				return nil, err
			}
		case b == '}':
			return nil, p.fault(p.at, p.at+1, "this } closes nothing", "a brace is written }}")
		case b == '\\' && p.at+1 < p.to:
			r, n := filter.Escape(p.text[p.at+1 : p.to])
			if n == 0 {
				r = '\\'
			}
			p.plain = utf8.AppendRune(p.plain, r)
			p.at += 1 + n
		default:
			p.plain = append(p.plain, b)
			p.at++
		}
	}
	p.flush()
	return &Template{text: p.text[from:p.to], parts: p.parts, needs: p.needs}, nil
}

// flush makes a part of the text before a field.
func (p *parser) flush() {
	if len(p.plain) > 0 {
		p.parts = append(p.parts, part{text: strings.ToValidUTF8(string(p.plain), "\ufffd")})
		p.plain = p.plain[:0]
	}
}

// braces parses {field} or {field|field}.
func (p *parser) braces() *Error {
	open := p.at
	n := strings.IndexByte(p.text[open:p.to], '}')
	if n < 0 {
		return p.fault(open, p.to, "this { is not closed", "a brace is written {{")
	}
	at, end := open+1, open+n
	p.flush()
	var fields []field
	for _, name := range strings.Split(p.text[at:end], "|") {
		f, err := p.field(at, name)
		if err != nil {
			return err
		}
		if len(fields) == maxParts {
			return p.fault(at, end, "too many fields", "")
		}
		fields = append(fields, f)
		at += len(name) + 1
	}
	p.parts = append(p.parts, part{fields: fields})
	p.at = end + 1
	return nil
}

// field looks up the field whose name begins at an offset, with white space around it.
func (p *parser) field(at int, text string) (f field, err *Error) {
	name := strings.TrimSpace(text)
	at += strings.Index(text, name)
	if name == "" {
		return f, p.fault(at, at+1, "a field is missing", "such as {arg.1}; a brace is written {{")
	}
	of, operand, ok := filter.FieldNamed(name)
	if !ok && name == lineField.Name {
		of, ok = lineField, true
	}
	source := &sources[0]
	for i := range sources {
		if sources[i].name == of.Name {
			source = &sources[i]
		}
	}
	switch {
	case !ok && of.Name != "":
		return f, p.fault(at, at+len(name), of.Parts(), "")
	case !ok || source.name != of.Name:
		near := filter.NearestFields(name)
		hint := ""
		if len(near) == 0 {
			hint = "tracex help filter lists the fields"
		}
		return f, p.fault(at, at+len(name), "there is no field "+name, hint, near...)
	}
	p.needs = p.needs.And(source.needs)
	return field{source, operand}, nil
}
