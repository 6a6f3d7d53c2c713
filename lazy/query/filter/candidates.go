package filter

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tracex/format"
	finder "tracex/lazy/literal"
)

// Candidate is a way to complete a filter.
type Candidate struct {
	Text  string // replaces the part of the filter from from to to
	About string // what it is, in a few words; "" if the text tells
}

// maxCandidates bounds what Complete returns.
const maxCandidates = 50

// candidatesFor collects candidates and keeps the best.
type candidatesFor struct {
	typed string
	low   string
	about *About
	list  []ranked
}

type ranked struct {
	Candidate
	rank int // less is better
}

func (c *candidatesFor) sorted() []Candidate {
	list := make([]Candidate, len(c.list))
	for i, r := range c.list {
		list[i] = r.Candidate
	}
	return list
}

// add adds a candidate of a rank. Among those of one rank the shorter is better.
func (c *candidatesFor) add(rank int, text, about string) {
	r := ranked{Candidate{text, about}, rank}
	compare := func(a, b ranked) int {
		return cmp.Or(a.rank-b.rank, len(a.Text)-len(b.Text), strings.Compare(a.Text, b.Text))
	}
	if n := len(c.list); n == maxCandidates && compare(r, c.list[n-1]) >= 0 {
		return
	}
	at, found := slices.BinarySearchFunc(c.list, r, compare)
	if found || slices.ContainsFunc(c.list, func(o ranked) bool { return o.Text == text }) {
		return
	}
	c.list = slices.Insert(c.list, at, r)
	c.list = c.list[:min(len(c.list), maxCandidates)]
}

// enough reports whether there are already better candidates than one of this rank and of at least
// this length.
func (c *candidatesFor) enough(rank, length int) bool {
	n := len(c.list)
	return n == maxCandidates && (rank > c.list[n-1].rank || rank == c.list[n-1].rank && length > len(c.list[n-1].Text))
}

// rank tells how well a name fits what was typed: 0 begins with it, 1 begins with it but for case, 2
// contains it; -1 does not.
func (c *candidatesFor) rank(name string) int {
	if c.low == "" {
		c.low = strings.ToLower(c.typed)
	}
	folded := finder.Folded(c.low)
	switch {
	case strings.HasPrefix(name, c.typed):
		return 0
	case len(name) >= len(c.low) && strings.EqualFold(name[:len(c.low)], c.low):
		return 1
	case isASCII(c.low) && folded.Index([]byte(name)) > 0:
		return 2
	}
	return -1
}

// Groups of candidates at one place; ranks within a group are less than 10.
const (
	groupFields = 10 * iota
	groupKeywords
	groupNames
)

// terms adds what can begin a term.
func (c *candidatesFor) terms() {
	c.fields()
	for _, k := range []Candidate{{"in(", "an event around it matches"}, {"has(", "an event below it matches"},
		{"not ", "excludes the term after it"}, {"or ", "either side matches"}} {
		if r := c.rank(k.Text); r == 0 {
			c.add(groupKeywords, k.Text, k.About)
		}
	}
	if len(c.typed) >= 2 {
		c.methods("method=", groupNames)
	}
}

// fields adds the fields that begin with what was typed.
func (c *candidatesFor) fields() {
	for i := range fields {
		f := &fields[i]
		if !strings.HasPrefix(f.Name, c.typed) {
			continue
		}
		text := f.Name + kindOps[f.kind][0].String()
		if f.id == idThrew {
			text = f.Name
		}
		// In the order of the documentation: all have one rank and the order of their numbers.
		c.addField(i, text, f.About)
	}
	for _, id := range [...]fieldID{idArg, idRet} {
		f := &fields[id]
		typed, ok := strings.CutPrefix(c.typed, f.Name+".")
		if !ok || strings.Contains(typed, ".") {
			continue
		}
		names, _ := c.about.operands(f, nil)
		n := 0
		for _, name := range names {
			if n < maxCandidates && strings.HasPrefix(name, typed) && fieldName(f.Name+"."+name) == f.Name+"."+name {
				c.addField(n-maxCandidates, f.Name+"."+name+opEq.String(), "")
				n++
			}
		}
	}
	c.captured()
}

// captured adds what was captured in the values of the row at the end of a path: arg.req.URL. with the names in it.
func (c *candidatesFor) captured() {
	of, _, _ := strings.Cut(c.typed, ".")
	f, _, known := fieldNamed(of)
	dot := strings.LastIndexByte(c.typed, '.')
	row := c.about.Row
	if !known || dot < len(of) || row == nil || row.Point.Class != format.ClassCall {
		return
	}
	var o Operand
	if dot > len(of) {
		if o, known = operandOf(f, c.typed[len(of)+1:dot]); !known {
			return
		}
	}
	var v *format.Value
	switch ctx := c.about.Context; {
	case f.id == idRecv:
		v = o.In(&row.Point.Target)
	case f.id == idArg && o != Operand{}:
		v = o.Argument(ctx, row.Point)
	case f.id == idRet && row.Footer != nil:
		v = o.Result(ctx, row.Point.Ref, &row.Footer.Result)
	}
	if v == nil || v.Captured == nil {
		return
	}
	n := 0
	add := func(name string) {
		if text := c.typed[:dot+1] + name; n < maxCandidates && strings.HasPrefix(text, c.typed) && fieldName(text) == text {
			c.addField(n-maxCandidates, text+opEq.String(), "of this row")
			n++
		}
	}
	for i := range v.Captured.Fields {
		if field := &v.Captured.Fields[i]; !field.Rest() {
			add(field.Name)
		}
	}
	for i := range v.Captured.Elements {
		add(strconv.Itoa(i))
	}
}

// addField adds a field; its number keeps the order.
func (c *candidatesFor) addField(number int, text, about string) {
	if !slices.ContainsFunc(c.list, func(o ranked) bool { return o.Text == text }) {
		c.list = append(c.list, ranked{Candidate{text, about}, groupFields - len(fields) + number})
	}
}

// operators adds a field with each of its operators.
func (c *candidatesFor) operators(name string, f *Field) {
	if f.alone {
		c.addField(0, name, f.About)
	}
	for _, o := range kindOps[f.kind] {
		c.addField(0, name+o.String(), opAbout[o])
	}
}

var opAbout = [...]string{opEq: "is", opNe: "is not", opLess: "is less than", opAtMost: "is at most", opMore: "is more than",
	opAtLeast: "is at least", opRegexp: "matches the regular expression", opContains: "contains"}

// values adds values of a field.
func (c *candidatesFor) values(f *Field) {
	ctx := c.about.Context
	switch f.id {
	case idMethod:
		c.methods("", 0)
	case idField:
		for d := range ctx.Fields() {
			c.name(d.Name, func() string { return ctx.ClassName(d.ClassID) + "." + ctx.FieldName(d.ID) })
		}
	case idVar:
		for d := range ctx.Variables() {
			c.name(d.Name, func() string { return ctx.VariableName(d.ID) })
		}
	case idClass, idExc, idObj:
		for d := range ctx.Classes() {
			if f.id == idExc && !strings.HasSuffix(d.Name, "Exception") && !strings.HasSuffix(d.Name, "Error") {
				continue
			}
			c.name(d.Name[strings.LastIndexAny(d.Name, ".$")+1:], func() string { return ctx.ClassName(d.ID) })
		}
	case idPkg:
		for d := range ctx.Classes() {
			c.word(PackageOf(d.Name), "")
		}
	case idFile:
		for file := range files(ctx) {
			fileNames(file, func(name string) bool { c.word(name, ""); return true })
		}
	case idThread:
		for id, name := range c.about.threads() {
			if name == "" {
				threadNames(id, "", func(number string) bool { name = number; return false })
			}
			c.word(name, "")
		}
	case idKind:
		for i, w := range kindWords[:11] {
			c.listed(i, w.word)
		}
	case idStatus:
		for i, w := range statusWords {
			c.listed(i, w.word)
		}
	case idThrew:
		c.listed(0, "true")
		c.listed(1, "false")
	case idRet, idRecv, idArg, idValue:
		for i, w := range []string{"null", "true", "false"} {
			c.listed(i, w)
		}
	}
}

// listed adds a word of a list in the order of the list.
func (c *candidatesFor) listed(number int, word string) {
	if strings.HasPrefix(word, c.typed) {
		c.list = append(c.list, ranked{Candidate{Text: word}, number})
	}
}

// word adds a value if it fits.
func (c *candidatesFor) word(value, about string) {
	if r := c.rank(value); r >= 0 && value != "" {
		c.add(r, Word(value), about)
	}
}

// name adds a name if it fits, or its short form does.
func (c *candidatesFor) name(short string, shown func() string) {
	r := c.rank(short)
	if r < 0 && !strings.ContainsAny(c.typed, ". ") {
		return
	}
	if c.enough(r, len(short)) {
		return
	}
	name := shown()
	if r < 0 {
		if r = c.rank(name); r < 0 {
			return
		}
	}
	c.add(r, Word(name), "")
}

// methods adds calls that fit, with a text before their names.
func (c *candidatesFor) methods(before string, group int) {
	ctx := c.about.Context
	classes := make(map[int32]classFit)
	for d := range ctx.Methods() {
		class, ok := classes[d.ClassID]
		if !ok {
			class = c.classFit(ctx.ClassName(d.ClassID))
			classes[d.ClassID] = class
		}
		r := -1
		switch {
		case class.qualified && strings.HasPrefix(d.Name, c.typed[min(len(c.typed), class.length+1):]),
			class.made && d.Name == constructor:
			r = 0
		case !class.qualified && !class.made:
			if r = c.rank(d.Name); r < 0 && class.rank >= 0 {
				r = class.rank + 3
			}
		}
		length := class.length + 1 + len(d.Name)
		if d.Name == constructor {
			length = class.length + len(`"new "`)
		}
		if r < 0 || c.enough(group+r, len(before)+length) {
			continue // saves making the name
		}
		name, _ := ctx.CallName(d.ID, 0)
		c.add(group+r, before+Word(name), "")
	}
}

// classFit tells how a class fits what was typed for a method.
type classFit struct {
	length    int  // of the shown name
	rank      int  // of the shown name
	qualified bool // the class and a dot were typed: the name of the method decides
	made      bool // "new" was typed, and the class begins as what follows
}

func (c *candidatesFor) classFit(name string) classFit {
	return classFit{
		length: len(name), rank: c.rank(name),
		qualified: len(c.typed) > len(name) && c.typed[len(name)] == '.' && strings.EqualFold(c.typed[:len(name)], name),
		made:      strings.HasPrefix(c.typed, "new ") && strings.HasPrefix("new "+name, c.typed),
	}
}
