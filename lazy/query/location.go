package query

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/literal"
	"tracex/lazy/query/filter"
)

// LocationKind is what a Location is.
type LocationKind uint8

const (
	FieldLocation    LocationKind = iota // a field: of one object, of all objects, or static
	ElementLocation                      // an element of an array
	VariableLocation                     // a variable: of one call, of all calls of a method, or of all calls
	ObjectLocation                       // an object or an array with everything in it
)

// Location is a place that holds values: what [History] is about. It is written as
//
//	Account.balance          a field of all objects, or a static one
//	Account@129378.balance   that of one object
//	[I@4711[3]               an element of an array
//	Account@129378           an object
//	Account.deposit:amount   a variable in all calls of a method; :amount in all calls
//	#1204:amount             a variable in one call
//
// The class before @ may be left out.
type Location struct {
	Kind LocationKind
	Text string // as above

	ids     map[int32]bool // fields or variables
	names   map[string]bool
	owners  map[int32]bool // classes that declare the fields
	static  bool
	one     bool // of the object with this hash
	hash    int32
	classes map[int32]bool // of that object; nil for any
	builder bool           // the class is that of builders, which has no id
	index   int32
	methods map[int32]bool // that the variable is in; nil for any
	call    *lazy.Position // that the variable is in; nil for any
	event   int32          // of that call; -1 until it is known
}

// Title names the location on a screen.
func (l *Location) Title() string {
	if l.call == nil || l.event < 0 {
		return l.Text
	}
	return l.Text[strings.LastIndexByte(l.Text, ':')+1:] + " in " + lazy.EventHandle(l.event).String()
}

// One reports whether the location is a single place: the values in it follow each other.
func (l *Location) One() bool {
	switch l.Kind {
	case FieldLocation:
		return l.one || l.static
	case VariableLocation:
		return l.call != nil
	}
	return l.Kind == ElementLocation
}

// objectText is what a location in an object, an array or a call looks like.
var objectText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^(?P<class>.*)@(?P<hash>-?[0-9]+)(?:\[(?P<index>-?[0-9]+)\]|\.(?P<field>.+))?$`)
})

// ParseLocation reads a location. object names the object of a field: "Account@129378" or "129378"; ""
// for all. The error is a [*NoLocationError] or a [*ManyLocationsError] if the names do not lead to one.
func ParseLocation(ctx context.Context, r *lazy.LazyTraceReader, text, object string) (l *Location, err error) {
	p := locationParser{text: text}
	if in, variable, ok := cutVariable(text); ok {
		if h, ok := lazy.ParseHandle(in); ok {
			at, event := h.Position, int32(-1)
			if h.Numbered {
				if at, event, err = r.Find(ctx, h); err != nil {
					return nil, err
				}
			}
			p.call, p.event = &at, event
			in = ""
		}
		p.in, p.text, p.named = in, variable, true
	}
	r.WithContext(func(c *format.Context) {
		p.c = c
		l, err = p.parse(object)
	})
	return l, err
}

// cutVariable cuts "method:variable". A name may have a colon in it only before the last one.
func cutVariable(text string) (in, variable string, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 || strings.Contains(text[i:], ")") {
		return "", "", false
	}
	return text[:i], text[i+1:], true
}

type locationParser struct {
	c     *format.Context
	text  string
	in    string // "method" of "method:variable"
	named bool   // it is ":variable", with something before it or not
	call  *lazy.Position
	event int32
}

func (p *locationParser) parse(object string) (*Location, error) {
	if p.named {
		return p.variable()
	}
	if m := objectText().FindStringSubmatch(p.text); m != nil {
		if object != "" {
			return nil, fmt.Errorf("%s names an object already", p.text)
		}
		parts := make(map[string]string)
		for i, name := range objectText().SubexpNames() {
			parts[name] = m[i]
		}
		return p.inObject(parts["class"], parts["hash"], parts["index"], parts["field"])
	}
	found, near := p.fields(p.text)
	if object != "" {
		class, hash, ok := strings.Cut(object, "@")
		if !ok {
			class, hash = "", object
		}
		l, err := p.inObject(class, hash, "", "")
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, &NoLocationError{p.text, near}
		}
		return l.ofFields(p.c, found), nil
	}
	variables, nearVariables := p.variables(p.text)
	switch groups := p.byOwner(found); {
	case len(groups)+min(len(variables), 1) == 0:
		return nil, &NoLocationError{p.text, slices.Compact(append(near, nearVariables...))}
	case len(groups) == 1 && len(variables) == 0:
		l := &Location{Kind: FieldLocation}
		return l.ofFields(p.c, groups[0]), nil
	case len(groups) == 0:
		return &Location{Kind: VariableLocation, ids: variables, Text: ":" + p.text}, nil
	default:
		e := &ManyLocationsError{Text: p.text}
		for _, g := range groups {
			e.Choices = append(e.Choices, fieldText(p.c, g[0], true))
		}
		if len(variables) > 0 {
			e.Choices = append(e.Choices, ":"+p.text)
		}
		return nil, e
	}
}

// matching returns what a term of a filter names: the ids for which is reports it. near are names that
// are spelled alike if there is none.
func (p *locationParser) matching(field, name string) (f *filter.Filter, near []string) {
	e, err := filter.Parse(field + "=" + filter.Word(name))
	if err != nil {
		return nil, nil
	}
	f, err = e.Bind(filter.About{Context: p.c})
	var fault *filter.Error
	if errors.As(err, &fault) {
		return nil, fault.Near
	}
	return f, nil
}

// fields returns the fields that a name may be of.
func (p *locationParser) fields(name string) (ids []int32, near []string) {
	f, near := p.matching("field", name)
	if f == nil {
		return nil, near
	}
	for d := range p.c.Fields() {
		if f.Quick(format.ClassFieldWrite, d.ID, 0) == filter.Yes {
			ids = append(ids, d.ID)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// variables returns the variables of a name.
func (p *locationParser) variables(name string) (ids map[int32]bool, near []string) {
	f, near := p.matching("var", name)
	if f == nil {
		return nil, near
	}
	ids = make(map[int32]bool)
	for d := range p.c.Variables() {
		if f.Quick(format.ClassVariableWrite, d.ID, 0) == filter.Yes {
			ids[d.ID] = true
		}
	}
	return ids, nil
}

// byOwner groups fields by the full names of their classes and their own.
func (p *locationParser) byOwner(ids []int32) (groups [][]int32) {
	at := make(map[string]int)
	for _, id := range ids {
		name := fieldText(p.c, id, true)
		i, ok := at[name]
		if !ok {
			i = len(groups)
			at[name] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], id)
	}
	slices.SortFunc(groups, func(a, b []int32) int { return cmp.Compare(fieldText(p.c, a[0], true), fieldText(p.c, b[0], true)) })
	return groups
}

// fieldText writes a field with its class: the full name of it, or the short one.
func fieldText(c *format.Context, id int32, full bool) string {
	d := c.Field(id)
	if d == nil {
		return c.FieldName(id)
	}
	class := c.ClassName(d.ClassID)
	if of := c.Class(d.ClassID); of != nil && full {
		class = of.Name
	}
	return class + "." + d.Name
}

// ofFields makes l a location of fields: of the object that it names, if any.
func (l *Location) ofFields(c *format.Context, ids []int32) *Location {
	object := l.Text
	l.Kind, l.ids, l.names, l.owners = FieldLocation, make(map[int32]bool), make(map[string]bool), make(map[int32]bool)
	l.static = len(ids) > 0
	for _, id := range ids {
		l.ids[id] = true
		d := c.Field(id)
		if d == nil {
			l.static = false
			continue
		}
		l.names[d.Name], l.owners[d.ClassID] = true, true
		l.static = l.static && d.Static
		l.Text = fieldText(c, id, false)
		if object != "" {
			l.Text = object + "." + d.Name
		}
	}
	return l
}

// variable reads "method:variable" and "#1204:variable".
func (p *locationParser) variable() (*Location, error) {
	name := p.text
	ids, near := p.variables(name)
	if len(ids) == 0 {
		return nil, &NoLocationError{name, near}
	}
	l := &Location{Kind: VariableLocation, ids: ids, Text: p.in + ":" + name, call: p.call, event: p.event}
	if p.in == "" {
		if p.call != nil {
			l.Text = lazy.PositionHandle(*p.call).String() + ":" + name
		}
		return l, nil
	}
	f, near := p.matching("method", p.in)
	if f == nil {
		return nil, &NoMethodError{p.in, near}
	}
	l.methods = make(map[int32]bool)
	for d := range p.c.Methods() {
		if f.Quick(format.ClassCall, d.ID, 0) == filter.Yes {
			l.methods[d.ID] = true
		}
	}
	return l, nil
}

// inObject reads the parts of "class@hash[index]" and "class@hash.field".
func (p *locationParser) inObject(class, hash, index, field string) (*Location, error) {
	n, err := strconv.ParseInt(hash, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("%s is no object: an identity hash such as Account@129378 is needed", hash)
	}
	if n == 0 {
		return nil, &NoObjectError{class + "@" + hash}
	}
	l := &Location{Kind: ObjectLocation, one: true, hash: int32(n), Text: class + "@" + hash}
	if class != "" {
		l.builder = class == builderClass || class == "java.lang."+builderClass
		l.classes = make(map[int32]bool)
		var names []string
		for d := range p.c.Classes() {
			if d.Name == class || p.c.ClassName(d.ID) == class || strings.HasSuffix(d.Name, "."+class) || strings.HasSuffix(d.Name, "$"+class) {
				l.classes[d.ID] = true
			}
			names = append(names, d.Name)
		}
		var id int32
		if _, err := fmt.Sscanf(class, "<class %d>", &id); err == nil && class == p.c.ClassName(id) { // as rows show one that damaged data does not describe
			l.classes[id] = true
		}
		if len(l.classes) == 0 && !l.builder {
			_, near := p.matching("class", class)
			return nil, &NoLocationError{class, near}
		}
	}
	switch {
	case index != "":
		i, err := strconv.ParseInt(index, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s is no index of an array", index)
		}
		l.Kind, l.index = ElementLocation, int32(i)
		l.Text += "[" + index + "]"
	case field != "":
		ids, near := p.fields(field)
		if len(ids) == 0 {
			return nil, &NoLocationError{field, near}
		}
		return l.ofFields(p.c, ids), nil
	}
	return l, nil
}

// builderClass is the class of a value of kind builder, which has no class id.
const builderClass = "StringBuilder"

// is reports whether a value is the object of the location.
func (l *Location) is(v *format.Value) bool {
	if !filter.HasIdentity(v) || v.Hash() != l.hash {
		return false
	}
	if v.Kind == format.ValueBuilder {
		return l.classes == nil || l.builder
	}
	return l.classes == nil || l.classes[v.ClassID]
}

// tellsObject reports whether a value can be told from others by its class and its identity hash. A hash
// of 0 is that of values without identity, such as structs of Go that are no pointers.
func tellsObject(v *format.Value) bool { return filter.HasIdentity(v) && v.Hash() != 0 }

// ObjectOf names the object that a value is; "" if it cannot be told from others.
func ObjectOf(c *format.Context, v *format.Value) string {
	if !tellsObject(v) {
		return ""
	}
	return objectName(c, v)
}

// objectName names an object: Account@129378.
func objectName(c *format.Context, v *format.Value) string {
	class := builderClass
	if v.Kind != format.ValueBuilder {
		class = c.ClassName(v.ClassID)
	}
	return class + "@" + strconv.Itoa(int(v.Hash()))
}

// among returns traces that are rare in the data; nil if there are none.
func (l *Location) among() (list []literal.Text) {
	traces := l.traces()
	if !l.one || len(traces) == 0 || len(traces[0]) < 8 && l.hash > -1<<16 && l.hash < 1<<16 {
		return nil
	}
	for _, b := range traces {
		list = append(list, literal.Exact(string(b)))
	}
	return list
}

// traces returns byte strings: the encoding of each point with the object of the location, or with an
// object of its class, has at least one.
func (l *Location) traces() (list [][]byte) {
	switch {
	case l.one && (l.classes == nil || l.builder || len(l.classes) > 8):
		return [][]byte{encoded(l.hash)}
	case l.one:
		for id := range l.classes {
			list = append(list, append(encoded(id), encoded(l.hash)...))
		}
	default:
		for id := range l.owners {
			list = append(list, encoded(id))
		}
	}
	slices.SortFunc(list, bytes.Compare)
	return list
}

// objects returns all objects that the location may be of; none if they are too many.
func (l *Location) objects() (list []format.Value) {
	if l.classes == nil || len(l.classes) > 64 {
		return nil
	}
	bits := int64(uint32(l.hash))
	if l.builder {
		list = append(list, format.Value{Kind: format.ValueBuilder, Bits: bits})
	}
	for id := range l.classes {
		list = append(list, format.Value{Kind: format.ValueObject, ClassID: id, Bits: bits})
	}
	return list
}

// encoded returns an id or a hash as it is in the data.
func encoded(n int32) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
