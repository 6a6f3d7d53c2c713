package instrumented

import (
	"iter"
	"reflect"
	"slices"
	"strings"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/instrument/raw"
	"tracex/recorder/internal/gonames"
)

// function is a function of a program, or a go statement.
type function struct {
	raw.Function
	method        int32 // its id
	class, name   string
	args, results []*typ // nil: not known
	returns       bool   // results are known, see program.returned
	called        bool
	wait          bool // no function: see [stream.waits]

	// Of a go statement.
	statement string // what is between its last parentheses
	place     int32
	placed    bool
}

// mostFunctions bounds the ids of functions that are found by index.
const mostFunctions = 1 << 20

// functions are the functions of a program, by id.
type functions struct {
	list []*function
	rest map[uint32]*function // those with large ids
}

func (fs *functions) get(id uint32) *function {
	if id < uint32(len(fs.list)) {
		return fs.list[id]
	}
	return fs.rest[id]
}

// all yields the functions, in no order.
func (fs *functions) all() iter.Seq[*function] {
	return func(yield func(*function) bool) {
		for _, f := range fs.list {
			if f != nil && !yield(f) {
				return
			}
		}
		for _, f := range fs.rest {
			if !yield(f) {
				return
			}
		}
	}
}

func (fs *functions) add(f *function) {
	switch {
	case f.ID >= mostFunctions:
		if fs.rest == nil {
			fs.rest = map[uint32]*function{}
		}
		fs.rest[f.ID] = f
		return
	case f.ID >= uint32(len(fs.list)):
		fs.list = append(fs.list, make([]*function, int(f.ID)+1-len(fs.list))...)
	}
	fs.list[f.ID] = f
}

// newFunction names a function.
func newFunction(d *raw.Function, names *programNames) *function {
	f := &function{Function: *d, method: none}
	main := d.Flags&raw.FunctionMain != 0
	pkg, linked := names.of(d.Package, main), "p."
	if main {
		linked = "main."
	}
	if d.Flags&raw.FunctionGo != 0 {
		f.class = pkg
		f.name, f.statement = splitStatement(d.Name)
		return f
	}
	_, receiver, name := gonames.Split(linked + d.Name)
	f.class, f.name = gonames.Class(pkg, receiver), name
	return f
}

// splitStatement splits the text of a go statement, go worker(i, s), into what is called and
// the text of its arguments.
func splitStatement(text string) (name, arguments string) {
	if !strings.HasPrefix(text, "go ") {
		text = "go " + text
	}
	if !strings.HasSuffix(text, ")") {
		return text, ""
	}
	open := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')', ']', '}':
			open++
		case '(', '[', '{':
			if open--; open == 0 {
				return text[:i], text[i+1 : len(text)-1]
			}
		}
	}
	return text, ""
}

// named reports whether a pattern without a wildcard names a function, or one that it is a literal in.
func (f *function) named(pattern string) bool {
	own := gonames.PackageName(f.Package)
	if f.Flags&raw.FunctionMain != 0 {
		own = "main"
	}
	ends := slices.AppendSeq([]string{own}, gonames.Package{Path: f.Package, Name: own}.Ends())
	for path := f.Package; ; {
		ends = append(ends, path)
		slash := strings.IndexByte(path, '/')
		if slash < 0 {
			break
		}
		path = path[slash+1:]
	}
	bare := strings.NewReplacer("(*", "", ")", "", "[...]", "").Replace(f.Name)
	for _, end := range ends {
		name, of := strings.CutPrefix(pattern, end)
		name, dotted := strings.CutPrefix(name, ".")
		if of && (name == "" || dotted && (within(f.Name, name) || within(bare, name))) {
			return true
		}
	}
	return false
}

// within reports whether a function is that with a name, or a literal in that.
func within(function, name string) bool {
	rest, ok := strings.CutPrefix(function, name)
	return ok && (rest == "" || strings.HasPrefix(rest, ".func") || strings.HasPrefix(rest, "-range"))
}

// program has the functions and types that a process has described, and what they are in the trace.
type program struct {
	dict      *dictionary
	text      uint64 // address of its code
	symbols   symbols
	functions functions
	types     types
	places    places
	waits     [raw.WaitMost + 1]*function // by what they are for
	more      func(thorough bool)         // reads descriptors written since the step began
}

// address returns the address of a place in the program's code.
func (p *program) address(offset uint32) uint64 { return p.text + uint64(offset) }

// function returns the function with an id; nil if there is none.
func (p *program) function(id uint32) *function {
	f := p.functions.get(id)
	if f == nil {
		p.more(true)
		if f = p.functions.get(id); f == nil {
			return nil
		}
	}
	if f.method == none && f.Flags&raw.FunctionGo == 0 {
		p.prepare(f)
	}
	return f
}

// prepare completes a function when it is first used.
func (p *program) prepare(f *function) {
	result := calltrace.Anything
	if len(f.Results) == 0 {
		result = format.Type{Kind: format.TypeVoid}
	}
	f.method = p.dict.method(f.class, f.name, result)
	p.dict.declaration(f)
	f.args, f.results = p.typesOf(f.Arguments), make([]*typ, len(f.Results))
}

// typesOf returns the types with some ids; nil for those that are not known.
func (p *program) typesOf(ids []uint32) []*typ {
	list := make([]*typ, len(ids))
	for i, id := range ids {
		if id != 0 {
			list[i] = p.typeOf(id)
		}
	}
	return list
}

// results notes the types of a function's results.
func (p *program) results(r *raw.Results) {
	if f := p.functions.get(r.Function); f != nil && len(f.Results) == len(r.Types) {
		f.Results, f.returns = r.Types, false
	}
}

// returned returns the types of the results of a function that has ended: the program has described
// them before that.
func (p *program) returned(f *function) []*typ {
	if !f.returns && len(f.Results) > 0 {
		if f.Results[0] == 0 {
			p.more(true)
		}
		f.results, f.returns = p.typesOf(f.Results), f.Results[0] != 0
	}
	return f.results
}

// typeOf returns the type with an id; nil if there is none.
func (p *program) typeOf(id uint32) *typ {
	if t := p.types.get(id); t != nil || id == 0 {
		return t
	}
	p.more(true)
	return p.types.get(id)
}

// member returns the type of a field of a struct; nil if it is not known.
func (p *program) member(t *typ, i int) *typ {
	m := t.members[i]
	if m == nil {
		if m = p.types.get(t.Fields[i].Type); m == nil {
			p.more(false)
			m = p.types.get(t.Fields[i].Type)
		}
		t.members[i] = m
	}
	return m
}

// element returns the type that a pointer refers to; nil if it is not known.
func (p *program) element(t *typ) *typ {
	if t == nil {
		return nil
	}
	to := p.types.get(t.Element)
	if to == nil {
		p.more(false)
		to = p.types.get(t.Element)
	}
	return to
}

// classOf returns the class of a type.
func (p *program) classOf(t *typ) int32 {
	if t == nil {
		return p.dict.class("unknown")
	}
	if t.id == none {
		t.id = p.dict.class(t.class())
	}
	return t.id
}

// places are the locations of calls by their return addresses.
type places struct {
	all    map[uint32]int32
	recent [1 << 10]struct { // by the lower bits of the address
		pc, id int32
		known  bool
	}
}

// Where the runtime calls nothing that is in the source: the function around each goroutine, and the file of
// wrappers that the compiler makes.
const (
	goexit        = "runtime.goexit"
	autogenerated = "<autogenerated>"
)

// location returns the location of a call by its return address; none if it is not known.
func (p *program) location(pc uint32) int32 {
	ps := &p.places
	slot := &ps.recent[pc%uint32(len(ps.recent))]
	if slot.known && slot.pc == int32(pc) {
		return slot.id
	}
	id, ok := ps.all[pc]
	if !ok {
		s := p.symbols.at(p.address(pc) - 1)
		id = none
		if s.file != "" && s.file != autogenerated && s.name != goexit {
			id = p.dict.location(s.file, s.line, s.class, s.method)
		}
		ps.all[pc] = id
	}
	slot.pc, slot.id, slot.known = int32(pc), id, true
	return id
}

// referred returns the class of what an address refers to: for a pointer, that of its element.
func (p *program) referred(t *typ) int32 {
	switch {
	case t == nil:
		return p.classOf(t)
	case t.refers != none:
		return t.refers
	case t.Kind != reflect.Pointer:
		t.refers = p.classOf(t)
		return t.refers
	}
	if to := p.element(t); to != nil {
		t.refers = p.classOf(to)
		return t.refers
	}
	if t.id == none {
		t.id = p.dict.class(strings.TrimPrefix(t.class(), "*"))
	}
	return t.id
}
