// Package filter is the language in which people and scripts say which points of a trace they mean.
//
//	filter = and { "or" and }
//	and    = not { ["and"] not }
//	not    = { "-" | "not" } term
//	term   = "(" filter ")" | "in(" filter ")" | "has(" filter ")" | field op value | field | "#" event | text
//	op     = "=" "!=" "<" "<=" ">" ">=" "~" (regular expression) ":" (contains)
//	value  = word | "text in quotes" | range
//
// [Parse] reads a filter and knows no trace, [Expr.Bind] prepares it for one and knows its names, and
// [Filter.Match] tests one trace point, from [Facts] that its caller has. The package reads no trace
// itself. docs/filter.md is the language for users; [Fields] lists the fields.
//
// # Words and values
//
// A word ends at white space, or at a ")" that it did not open: withdraw(1, 2) is one word. In quotes
// a backslash escapes a quote and itself; \n, \r, \t and \u00e9 are characters; before anything
// else it is an ordinary character, as in "\d+". The field determines what a value means.
//
//	names           a name in one of its forms: withdraw, Account.withdraw, com.shop.Account.withdraw
//	numbers         17, 1,204,332; ranges with both ends: 5..9, 5.., ..9
//	times           10ms, 1.5s, 2us or 2µs, 1m30s; ranges
//	bytes           100, 64KiB, 1.5MB; ranges
//	recorded values null or nil, true, false, void; a number, compared by its value with numbers of all
//	                types; a range; "a string"; Class@129378 or @129378; any other word: a string, the
//	                class of an object, an enum constant, or the whole text that shows the value
//
// In a word after = or != a * is any text. After : case counts only if the value has capitals. After ~
// is an expression of Go's package regexp that may match anywhere. Both test all forms of a name;
// of a string, what it contains as well as what is shown.
//
// # What is not known
//
// A comparison with something unknown is false, and so is one with !=. Unknown are the times of a trace
// without times, the result of a call that did not end, and every field of a point that cannot have
// it: ret of a loop. The negation of a false comparison is true: "-ret=null" matches loops,
// "ret!=null" does not. There is no third truth value.
//
// A field that stands for several values, such as arg, matches if one of them does; arg!=null is "some
// argument is not null", -arg=null is "no argument is null".
package filter

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tracex/lazy/query/nearest"
)

// maxNested bounds parentheses and negations within one another.
const maxNested = 100

// Parse parses a filter. An empty text is a filter that matches everything. The error is an *[Error].
func Parse(text string) (*Expr, error) {
	p := parser{text: text}
	if p.space(); p.at == len(text) {
		return &Expr{root: &node{op: opAnd}, text: text}, nil
	}
	root, err := p.filter(0)
	if err == nil && p.at < len(text) {
		err = p.fault(p.at, p.at+1, "this ) closes nothing", `to look for the character, put the text in quotes: ")"`)
	}
	if err != nil {
		return nil, err
	}
	return &Expr{root: root, text: text}, nil
}

// filter parses: and { "or" and }.
func (p *parser) filter(depth int) (*node, error) {
	n := &node{op: opOr}
	for {
		kid, err := p.and(depth)
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, kid)
		if !p.keyword("or") {
			return flat(n), nil
		}
	}
}

// and parses: not { ["and"] not }.
func (p *parser) and(depth int) (*node, error) {
	n := &node{op: opAnd}
	for {
		p.space()
		at := p.at
		if rest := p.rest(); rest == "" || rest[0] == ')' || p.keyword("or") {
			p.at = at
			if len(n.kids) > 0 {
				return flat(n), nil
			}
			return nil, p.fault(at, at+1, "a term is missing here", "")
		}
		if len(n.kids) > 0 && p.keyword("and") {
			if rest := p.rest(); rest == "" || rest[0] == ')' {
				return nil, p.fault(p.at, p.at+1, `a term is missing after "and"`, "")
			}
		}
		kid, err := p.not(depth)
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, kid)
	}
}

// not parses: { "-" | "not" } term.
func (p *parser) not(depth int) (*node, error) {
	at := p.at
	switch {
	case depth > maxNested:
		return nil, p.fault(p.at, p.at+1, "nested too deeply", "")
	case p.keyword("not"):
	case strings.HasPrefix(p.rest(), "-"):
		p.at++
	default:
		return p.term(depth)
	}
	if next, _ := utf8.DecodeRuneInString(p.rest()); p.at == len(p.text) || next == ')' || unicode.IsSpace(next) {
		return nil, p.fault(at, p.at, fmt.Sprintf("what %s excludes must follow it", strings.TrimSpace(p.text[at:p.at])), "for the text, put it in quotes")
	}
	n, err := p.not(depth + 1)
	if err != nil {
		return nil, err
	}
	return not(n), nil
}

// term parses a group, in(…), has(…), a field, or a text.
func (p *parser) term(depth int) (*node, error) {
	at := p.at
	switch rest := p.rest(); {
	case p.keyword("and"), p.keyword("or"):
		return nil, p.fault(at, p.at, "a term is missing here", "for the text, put it in quotes")
	case rest[0] == '(':
		return p.group(depth, "the filter in these parentheses")
	case rest[0] == '"':
		text, err := p.quoted()
		if err == nil && text == "" {
			err = p.fault(at, p.at, "an empty text is in every row", "")
		}
		return &node{op: opText, raw: text, text: newContains(text)}, errorOf(err)
	case p.keyword("in"), p.keyword("has"):
		name := strings.ToLower(strings.TrimSpace(p.text[at:p.at]))
		if !strings.HasPrefix(p.rest(), "(") {
			return nil, p.fault(at, at+len(name), name+" needs a filter in parentheses: "+name+"(method=withdraw)", "for the text, put it in quotes")
		}
		kid, err := p.group(depth, name+"( )")
		n := &node{op: opIn, kids: []*node{kid}}
		if name == "has" {
			n.op = opHas
		}
		return n, err
	}
	if n, err := p.test(); n != nil || err != nil {
		return n, errorOf(err)
	}
	if err := p.foreign(); err != nil {
		return nil, err
	}
	text, _ := p.word()
	return &node{op: opText, raw: text, text: newContains(text)}, nil
}

// foreign refuses what other languages have: words that begin with an operator.
func (p *parser) foreign() error {
	at := p.at
	first, _ := p.word()
	p.at = at
	switch c := first[0]; {
	case first == "&&" || first == "&":
		return p.fault(at, at+len(first), "terms are joined without an operator: a b", "for the text, put it in quotes")
	case first == "||" || first == "|":
		return p.fault(at, at+len(first), `alternatives are joined by "or": a or b`, "for the text, put it in quotes")
	case c == '!' && len(first) > 1 && first[1] != '=' && first[1] != '~':
		return p.fault(at, at+1, "an exclusion begins with -, not !", "for the text, put it in quotes")
	case strings.IndexByte("=<>~:!", c) >= 0 && first != "!":
		return p.fault(at, at+1, "no field is before this operator", "for the text, put it in quotes")
	}
	return nil
}

// group parses a filter in parentheses.
func (p *parser) group(depth int, what string) (*node, error) {
	at := p.at
	p.at++
	p.space()
	if strings.HasPrefix(p.rest(), ")") {
		return nil, p.fault(at, p.at+1, what+" is empty", "")
	}
	if p.at == len(p.text) {
		return nil, p.fault(p.at, p.at, what+" is missing", "")
	}
	n, err := p.filter(depth + 1)
	if err != nil {
		return nil, err
	}
	if p.at == len(p.text) {
		return nil, p.fault(at, at+1, "this ( is not closed", "")
	}
	p.at++
	return n, nil
}

// test parses a field with its operator and value. It returns nil if there is none.
func (p *parser) test() (*node, *Error) {
	at := p.at
	if event, ok := p.handle(); ok {
		t := &test{field: &fields[idEvent], op: opEq, value: literal{raw: event}, at: at, end: at, valueAt: at, to: p.at}
		if message, _, _ := t.value.set(t.field, opEq); message == "" {
			return &node{op: opTest, test: t}, nil
		}
		p.at = at
	}
	name := fieldName(p.rest())
	if name == "" {
		return nil, nil
	}
	f, operand, known := fieldNamed(name)
	end := at + len(name)
	p.at = end
	if f != nil {
		p.space()
	}
	o, length := operator(p.rest())
	switch {
	case o == opNone && f != nil && known && f.alone && wordEnds(p.text[end:]):
		p.at = end
		return &node{op: opTest, test: &test{field: f, at: at, end: end, valueAt: end, to: end}}, nil
	case f == nil && (name == "in" || name == "has") && o != opNone:
		return nil, p.fault(at, end, name+" needs a filter in parentheses: "+name+"(method=withdraw)", "for the text, put it in quotes")
	case o == opNone, !known && o == opContains && !misspelled(name), o == opContains && sourceLine(operand, p.rest()[length:]):
		p.at = at
		return nil, nil
	case f != nil && !known:
		return nil, p.fault(at, end, f.Parts(), "")
	case f == nil:
		return nil, p.fault(at, end, "there is no field "+name, "for the text, put it in quotes", nearest.Alike(name, fieldNames)...)
	}
	t := &test{field: f, operand: operand, op: o, at: at, end: end}
	if operand.Path != "" {
		t.sought = new(sought)
	}
	opAt := p.at
	p.at += length
	return p.value(t, opAt)
}

// sourceSuffixes are those of files that traces name.
var sourceSuffixes = []string{"c", "cc", "cpp", "cs", "go", "groovy", "java", "js", "kt", "kts", "py", "rs", "scala", "ts"}

// sourceLine reports whether an operand and the text after a colon are of a place, as in recv.go:12: people search for it as a text.
func sourceLine(o Operand, rest string) bool {
	if i := strings.IndexAny(rest, " \t\n()"); i >= 0 {
		rest = rest[:i]
	}
	return rest != "" && strings.Trim(rest, "0123456789") == "" && slices.Contains(sourceSuffixes, o.Path[strings.LastIndexByte(o.Path, '.')+1:])
}

// Parts tells what may follow the field and a dot.
func (f *Field) Parts() string {
	switch f.id {
	case idArg:
		return "arguments have numbers: arg.1 is the first"
	case idRet:
		return "results have numbers: ret.1 is the first"
	case idRecv:
		return "names of captured fields follow the dot: recv.name"
	}
	return "there is nothing in the field " + f.Name
}

// value parses the value of a test.
func (p *parser) value(t *test, opAt int) (*node, *Error) {
	if !slices.Contains(kindOps[t.field.kind], t.op) {
		hint := "it takes " + strings.Join(t.field.Ops(), " ")
		return nil, p.fault(opAt, p.at, fmt.Sprintf("%s cannot be compared with %v", t.field.Name, t.op), hint)
	}
	opEnd := p.at
	p.space()
	t.valueAt = p.at
	l := &t.value
	switch rest := p.rest(); {
	case rest == "" || rest[0] == ')':
		return nil, p.fault(p.at, p.at+1, "a value must follow "+p.text[t.at:opEnd], "")
	case rest[0] == '"':
		var err *Error
		if l.raw, err = p.quoted(); err != nil {
			return nil, err
		}
		l.quoted = true
	default:
		if rest[0] == '=' || rest[0] == '~' {
			return nil, p.fault(opAt, p.at+1, "there is no operator "+p.text[opAt:p.at+1], "the operators are = != < <= > >= ~ (regular expression) : (contains)")
		}
		var ok bool
		if l.raw, ok = p.word(); !ok {
			at := t.valueAt + strings.IndexByte(l.raw, '(')
			return nil, p.fault(at, at+1, "this ( is not closed", "put the value in quotes")
		}
	}
	t.to = p.at
	if l.raw == "" && t.op == opContains {
		return nil, p.fault(t.valueAt, t.to, "an empty text is in everything", "")
	}
	if message, hint, near := l.set(t.field, t.op); message != "" {
		return nil, p.fault(t.valueAt, t.to, message, hint, near...)
	}
	return &node{op: opTest, test: t}, nil
}
