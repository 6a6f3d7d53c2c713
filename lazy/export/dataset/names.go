package dataset

import (
	"strings"
	"sync"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// Bounds of what names are remembered: a hostile trace may have a new one in each point. What comes after
// gets the name tooMany.
const (
	mostNames   = 1 << 20
	mostMethods = 1 << 20
	mostWords   = 1 << 14 // of one lookup
	longestName = 1 << 12 // bytes
	mostBytes   = 1 << 28 // of all names
)

const tooMany = "(too many names)"

// none is the number of a name that a row does not have.
const none int32 = -1

// names numbers the names and the methods of an export. Any goroutine may use it.
type names struct {
	mu      sync.Mutex
	ids     map[string]int32
	list    []string
	bytes   int
	methods []*method

	free []*lookup
}

// method is what rows tell of a method. The numbers are those of names.
type method struct {
	name, class, pkg, parameters int32
	hash                         uint64
}

func newNames() *names { return &names{ids: make(map[string]int32)} }

// id returns the number of a name.
func (n *names) id(name string) int32 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.number(name)
}

// number is id, while mu is locked.
func (n *names) number(name string) int32 {
	name = cut(name)
	id, ok := n.ids[name]
	if ok {
		return id
	}
	if len(n.list) >= mostNames || n.bytes > mostBytes {
		name = tooMany
		if id, ok = n.ids[name]; ok {
			return id
		}
	}
	id = int32(len(n.list))
	name = strings.Clone(name)
	n.ids[name] = id
	n.list = append(n.list, name)
	n.bytes += len(name)
	return id
}

// cut returns a text as a name can be: valid UTF-8 that is not too long.
func cut(name string) string {
	if len(name) > longestName {
		name = name[:longestName]
	}
	return strings.ToValidUTF8(name, "\uFFFD")
}

// name returns a name by its number.
func (n *names) name(id int32) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.list[id]
}

// all returns the methods so far. They do not change.
func (n *names) all() []*method {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.methods[:len(n.methods):len(n.methods)]
}

// method returns the number of a method, which the caller keeps, by its id in the trace.
func (n *names) method(c *format.Context, ref int32) int32 {
	name, _ := c.CallName(ref, 0)
	class, types := "", ""
	m := c.Method(ref)
	if m != nil {
		if d := c.Class(m.ClassID); d != nil {
			class = d.Name
		}
		list := make([]string, len(m.Args))
		for i, t := range m.Args {
			list[i] = t.String()
		}
		types = strings.Join(list, ", ")
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.methods) == mostMethods {
		name, class, types = tooMany, "", ""
	}
	if len(n.methods) > mostMethods {
		return mostMethods
	}
	made := &method{name: n.number(name), class: none, pkg: none, parameters: n.number(types)}
	if class != "" {
		made.class, made.pkg = n.number(class), n.number(filter.PackageOf(class))
	}
	made.hash = hashMethod(class, name, types)
	n.methods = append(n.methods, made)
	return int32(len(n.methods) - 1)
}

// lookup remembers, for one visitor at a time, the numbers of what the ids of a trace stand for.
type lookup struct {
	*names
	context *format.Context
	text    []byte

	methods, classes, variables slots
	files, fields               slots // indexes in places, by code location, and in described, by field
	places                      []place
	described                   []field
	words                       map[string]int32
	types                       [32]int32 // by the kind of a value: the number of its name + 1; 0 if not known
	kinds                       [16]int32 // by the class of a point, the same way
	known                       []*method // by number
}

// place is where a call is made.
type place struct{ file, line int32 }

// take returns a lookup that no visitor uses.
func (n *names) take() *lookup {
	n.mu.Lock()
	defer n.mu.Unlock()
	if k := len(n.free); k > 0 {
		l := n.free[k-1]
		n.free = n.free[:k-1]
		return l
	}
	return &lookup{names: n, words: make(map[string]int32)}
}

// giveBack takes a lookup that is no longer used.
func (n *names) giveBack(l *lookup) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l.context = nil
	n.free = append(n.free, l)
}

// methodOf returns the number of a method by its id.
func (l *lookup) methodOf(ref int32) int32 {
	m, ok := l.methods.get(ref)
	if !ok {
		m = l.names.method(l.context, ref)
		l.methods.put(ref, m)
	}
	return m
}

// class returns the number of the full name of a class by its id; none if the trace does not have it.
func (l *lookup) class(id int32) int32 {
	n, ok := l.classes.get(id)
	if !ok {
		n = none
		if d := l.context.Class(id); d != nil {
			n = l.id(d.Name)
		}
		l.classes.put(id, n)
	}
	return n
}

// place returns the file and line of a code location.
func (l *lookup) place(location int32) place {
	i, ok := l.files.get(location)
	if !ok {
		p := place{none, none}
		if file, line, known := l.context.FileLine(location); known {
			p.line = int32(line)
			if file != "" {
				p.file = l.id(file)
			}
		}
		i = int32(len(l.places))
		if len(l.places) >= mostDense { // of a damaged trace
			return p
		}
		l.places = append(l.places, p)
		l.files.put(location, i)
	}
	return l.places[i]
}

// field is what rows tell of a field.
type field struct{ name, class int32 }

// field returns the names of a field by its id.
func (l *lookup) field(id int32) field {
	i, ok := l.fields.get(id)
	if !ok {
		f := field{none, none}
		if d := l.context.Field(id); d != nil {
			f = field{l.id(d.Name), l.class(d.ClassID)}
		}
		i = int32(len(l.described))
		if len(l.described) >= mostDense { // of a damaged trace
			return f
		}
		l.described = append(l.described, f)
		l.fields.put(id, i)
	}
	return l.described[i]
}

// variable returns the number of the name of a variable by its id.
func (l *lookup) variable(id int32) int32 {
	n, ok := l.variables.get(id)
	if !ok {
		n = none
		if d := l.context.Variable(id); d != nil {
			n = l.id(d.Name)
		}
		l.variables.put(id, n)
	}
	return n
}

// hash returns the hash of a method by its number.
func (l *lookup) hash(method int32) uint64 {
	for int(method) >= len(l.known) {
		l.known = l.all()
	}
	return l.known[method].hash
}

// word returns the number of one of a few words.
func (l *lookup) word(w string) int32 {
	n, ok := l.words[w]
	if !ok {
		if n = l.id(w); len(l.words) < mostWords {
			l.words[w] = n
		}
	}
	return n
}

// pointKind returns the number of what points of a class are called.
func (l *lookup) pointKind(c format.Class) int32 {
	if int(c) >= len(l.kinds) {
		return l.word(c.String())
	}
	if l.kinds[c] == 0 {
		l.kinds[c] = l.word(c.String()) + 1
	}
	return l.kinds[c] - 1
}

// at lets the lookup read the descriptors during a visit.
func (l *lookup) at(p *lazy.PassPoint) *lookup {
	l.context = p.Context()
	return l
}

// slots are numbers by ids, for one goroutine.
type slots struct {
	dense  []int32 // number + 2; 0 if not known
	sparse map[int32]int32
}

// mostDense bounds the ids that slots keeps in a slice, and how many others: recorders count ids from 0, a damaged
// trace may have any.
const mostDense = 1 << 20

func (s *slots) get(id int32) (n int32, ok bool) {
	if uint32(id) < uint32(len(s.dense)) {
		n = s.dense[id] - 2
		return n, n > -2
	}
	n, ok = s.sparse[id]
	return n, ok
}

func (s *slots) put(id, n int32) {
	if id >= 0 && id < mostDense {
		for int(id) >= len(s.dense) {
			s.dense = append(s.dense, make([]int32, max(64, len(s.dense)))...)
		}
		s.dense[id] = n + 2
		return
	}
	if s.sparse == nil {
		s.sparse = make(map[int32]int32)
	}
	if len(s.sparse) < mostDense {
		s.sparse[id] = n
	}
}
