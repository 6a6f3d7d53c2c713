package filter

import (
	"fmt"
	"time"
	"unicode/utf8"

	"tracex/format"
)

// Suggest returns terms that match a point, the most useful first: calls of the same method, with the
// same result, at least as long. Each fact that is not known is left out.
func Suggest(c *format.Context, x *Facts) []Candidate {
	s := suggestions{c: c, x: x}
	p := x.Point
	switch p.Class {
	case format.ClassCall:
		s.call()
	case format.ClassFieldRead, format.ClassFieldWrite:
		if d := c.Field(p.Ref); d != nil {
			name := d.Name
			if of := c.Class(d.ClassID); of != nil {
				name = of.Name + "." + name
			}
			s.add("field="+Word(name), "this field")
		}
		s.value("obj", &p.Target, "this object")
	case format.ClassVariableRead, format.ClassVariableWrite:
		if d := c.Variable(p.Ref); d != nil {
			s.add("var="+Word(d.Name), "variables of this name")
		}
	case format.ClassArrayRead, format.ClassArrayWrite:
		s.value("obj", &p.Target, "this array")
	case format.ClassThrow, format.ClassCatch:
		if d := c.Class(p.Value.ClassID); d != nil {
			s.add("exc="+Word(d.Name), "exceptions of this class")
		}
	}
	if !p.Class.Container() && p.Class != format.ClassSnapshot {
		s.value("value", &p.Value, "the same value")
	}
	s.rest()
	return s.list
}

type suggestions struct {
	c    *format.Context
	x    *Facts
	list []Candidate
}

// add adds a term if it matches the point.
func (s *suggestions) add(term, about string) {
	e, err := Parse(term)
	if err != nil {
		return
	}
	if f, err := e.Bind(About{Context: s.c, Growing: true}); err == nil && f.Match(s.x) {
		s.list = append(s.list, Candidate{term, about})
	}
}

func (s *suggestions) call() {
	p := s.x.Point
	if term := MethodTerm(s.c, p.Ref); term != "" {
		s.add(term, "calls of this method")
	}
	if f := s.x.Footer; f != nil && threw(f) {
		s.add("exc="+Word(f.Exception), "exceptions of this class")
	} else if f != nil {
		list := f.Result.Results(s.c)
		for i := range list {
			s.value(fmt.Sprintf("ret.%d", i+1), &list[i].Value, "the same result")
		}
		if list == nil {
			s.value("ret", &f.Result, "the same result")
		}
	}
	if p.Target.Kind != format.ValueNull {
		s.value("recv", &p.Target, "on this object")
		s.value("obj", &p.Target, "this object in any role")
	}
	for i := range p.Args[:min(len(p.Args), 9)] {
		s.value(fmt.Sprintf("arg.%d", i+1), &p.Args[i], "the same argument")
	}
	if d := s.c.Method(p.Ref); d != nil {
		if of := s.c.Class(d.ClassID); of != nil {
			s.add("class="+Word(of.Name), "this class")
			s.add("pkg="+Word(PackageOf(of.Name)), "this package")
		}
	}
}

// rest adds the terms that all points may have.
func (s *suggestions) rest() {
	if s.x.Known&KnownDuration != 0 {
		s.add("dur>="+time.Duration(s.x.Duration).String(), "at least as long")
	}
	if d := s.c.Thread(s.x.Thread); d != nil && d.Name != "" {
		s.add("thread="+Word(d.Name), "this thread")
	} else {
		s.add(fmt.Sprintf("thread=%d", s.x.Thread+1), "this thread")
	}
	if file, line, ok := s.c.FileLine(s.x.Point.Location); ok {
		s.add(fmt.Sprintf("file=%s line=%d", Word(file), line), "this line of the source")
	}
}

// value adds a term for a recorded value.
func (s *suggestions) value(field string, v *format.Value, about string) {
	text := string(s.c.AppendValueText(nil, v))
	switch {
	case v.Kind == format.ValueBuilder, HasIdentity(v) && v.Kind != format.ValueBuilder && s.c.Class(v.ClassID) == nil:
		text = fmt.Sprintf("@%d", v.Hash())
	case HasIdentity(v):
		if text = fmt.Sprintf("%s@%d", s.c.ClassName(v.ClassID), v.Hash()); Word(text) != text {
			text = fmt.Sprintf("@%d", v.Hash())
		}
	case isText(v) && v.Kind != format.ValueRawString:
		if text = Quote(v.Text); !utf8.ValidString(v.Text) {
			return
		}
	default:
		text = Word(text)
	}
	s.add(field+"="+text, about)
}

// MethodTerm returns the term that matches the calls of one method and of no overload:
// method=com.shop.Account.withdraw(int). It is "" for an unknown method.
func MethodTerm(c *format.Context, method int32) string {
	d := c.Method(method)
	if d == nil {
		return ""
	}
	class := c.ClassName(d.ClassID) // of one that damaged data does not describe
	if of := c.Class(d.ClassID); of != nil {
		class = of.Name
	}
	return "method=" + Word(class+"."+d.Name+Signature(d, ", ", true))
}
