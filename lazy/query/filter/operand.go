package filter

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tracex/format"
	"tracex/lazy/query/nearest"
)

// Operand is which argument or result of a call is meant, and what of it:
//
//	arg.2              the second argument
//	arg.req            that of the parameter req
//	arg.2.URL.Path     what was captured in it: fields by their names, elements by their numbers from 0
//	ret.2, ret.err     the second of several results, the one with this name
//	ret.id, recv.name  what was captured in the only result, and in the receiver
type Operand struct {
	Number int    // of an argument or a result, from 1; 0 without
	Path   string // names with dots between them; "" without
}

// operand reads what follows the name of a field and its dot.
func operandOf(f *Field, text string) (o Operand, ok bool) {
	if slices.Contains(strings.Split(text, "."), "") {
		return o, false
	}
	switch f.id {
	case idArg, idRet:
		number, path, _ := strings.Cut(text, ".")
		if number[0] < '0' || number[0] > '9' {
			return Operand{Path: text}, true
		}
		n, err := strconv.Atoi(number)
		return Operand{n, path}, err == nil && n >= 1 && n <= 0xffff
	case idRecv:
		return Operand{Path: text}, true
	}
	return o, false
}

// append appends the operand, with the dot before it.
func (o Operand) append(b []byte) []byte {
	if o.Number > 0 {
		b = strconv.AppendInt(append(b, '.'), int64(o.Number), 10)
	}
	if o.Path != "" {
		b = append(append(b, '.'), o.Path...)
	}
	return b
}

func (o Operand) String() string { return string(o.append(nil)) }

// Argument returns the argument of a call, or what was captured in it; nil if there is none. The operand is not empty.
func (o Operand) Argument(c *format.Context, p *format.Point) *format.Value {
	return o.argument(c, p, nil)
}

func (o Operand) argument(c *format.Context, p *format.Point, s *sought) *format.Value {
	n, path := o.Number-1, o.Path
	if n < 0 {
		var name string
		name, path, _ = strings.Cut(path, ".")
		for n = 0; n < len(p.Args) && format.ArgumentName(c, p, n) != name; {
			n++
		}
	}
	if n >= len(p.Args) {
		return nil
	}
	return s.captured(&p.Args[n], path)
}

// Result returns what a call returned, or what was captured in it; nil if there is none.
func (o Operand) Result(c *format.Context, method int32, v *format.Value) *format.Value {
	return o.result(c, method, v, nil)
}

func (o Operand) result(c *format.Context, method int32, v *format.Value, s *sought) *format.Value {
	n, path := o.Number, o.Path
	if n == 0 && path != "" {
		name, rest, _ := strings.Cut(path, ".")
		names, list := format.ResultNames(c, method), v.Results(c)
		if len(names) == max(1, len(list)) {
			n = ResultNamed(names, name)
		}
		if n > 0 {
			path = rest
		} else {
			s.miss(path, func(yield func(string)) {
				for _, name := range names {
					if name == format.ErrorResult {
						name = format.ErrorName
					}
					if name != "" {
						yield(name)
					}
				}
			})
			if list != nil {
				return nil
			}
		}
	}
	if v = v.Result(c, n); v == nil {
		return nil
	}
	return s.captured(v, path)
}

// ResultNamed returns the number of the result with a name, from 1; 0 if there is none. An error without a name is err.
func ResultNamed(names []string, name string) int {
	n := slices.Index(names, name) + 1
	if n == 0 && name == format.ErrorName {
		n = slices.Index(names, format.ErrorResult) + 1
	}
	return n
}

// In returns what was captured in a value; nil if there is nothing.
func (o Operand) In(v *format.Value) *format.Value { return (*sought)(nil).captured(v, o.Path) }

// operandName reports whether c may be in what follows the dot of a field: names of Go, the JVM and other languages.
func operandName(c rune) bool {
	return c == '.' || c == '_' || c == '$' || unicode.IsLetter(c) || unicode.IsDigit(c)
}

// methodName is a method as code locations name it.
type methodName struct{ class, method string }

// operands returns the names of the arguments, or of the results, that calls of methods have, nil for those of all methods, in the order of
// the alphabet. several is that each of the methods is known to return several results.
func (a *About) operands(f *Field, methods map[methodName]bool) (names []string, several bool) {
	seen := map[string]bool{"": true}
	found := 0
	several = true
	for d := range format.Declarations(a.Context) {
		switch {
		case d.Method == "" && found < len(methods), methods == nil: // the names at calls are those of parameters that are not known
		case d.Method == "" || !methods[methodName{d.Class, d.Method}]:
			continue
		default:
			found++
		}
		list := d.Parameters
		if f.id == idRet {
			list = d.Results
			several = several && (d.Method == "" || len(list) > 1)
		}
		for _, name := range list {
			if f.id == idRet && name == format.ErrorResult {
				name = format.ErrorName
			}
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names, several && found == len(methods) && names != nil
}

// mostNames is how many names a fault lists.
const mostNames = 10

// Lacks tells why an operand is of no call that the filter may match: what is wrong, what to do, and the names that there are. It is
// empty if there may be such a call.
func (e *Expr) Lacks(a About, field string, o Operand) (message, hint string, near []string) {
	f, _, _ := fieldNamed(field)
	return lacksOperand(e.bind(&a, e.root), &a, f, o)
}

func lacksOperand(of *Filter, a *About, f *Field, o Operand) (message, hint string, near []string) {
	if f == nil || f.id != idArg && f.id != idRet || o.Number > 0 || o.Path == "" {
		return "", "", nil
	}
	name, _, _ := strings.Cut(o.Path, ".")
	names, _ := a.operands(f, nil)
	if f.id == idArg && names == nil {
		return "this trace has no names of parameters", "arg.1 is the first", nil
	}
	methods, whose := map[methodName]bool{}, "call"
	for d := range a.Context.Methods() {
		if class := a.Context.Class(d.ClassID); class == nil || of.Quick(format.ClassCall, d.ID, anyThread) == No {
			whose = "such call"
		} else {
			methods[methodName{class.Name, d.Name}] = true
		}
	}
	several := false
	if names, several = a.operands(f, methods); len(methods) == 1 {
		for m := range methods {
			whose = "call of " + m.method
		}
	}
	if slices.Contains(names, name) || f.id == idRet && !several {
		return "", "", nil
	}
	what := "parameter"
	if f.id == idRet {
		what = "result"
	}
	message = "no " + whose + " has a " + what + " " + name
	if near = nearest.Alike(name, slices.Values(names)); len(near) == 0 {
		if more := len(names) - mostNames; more > 0 {
			hint = "there are " + strings.Join(names[:mostNames], ", ") + " and " + strconv.Itoa(more) + " more"
		} else if len(names) > 0 {
			hint = "there are " + strings.Join(names, ", ")
		}
	}
	return message, hint, near
}
