package instrumented

import (
	"iter"
	"strings"

	"tracex/recorder/instrument/raw"
)

// function is a function of a program, or a go statement.
type function struct {
	raw.Function
	method        int32 // its id
	class, name   string
	args, results []*typ // nil: not known
	returns       bool   // results are known, see program.returned
	called        bool

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
func newFunction(d *raw.Function, names *packages) *function {
	f := &function{Function: *d, method: none}
	pkg := linkName(d.Package)
	if d.Flags&raw.FunctionMain != 0 {
		pkg = "main"
	}
	f.class, f.name = names.split(pkg + "." + d.Name)
	if d.Flags&raw.FunctionGo != 0 {
		f.class, _ = names.split(pkg + ".f")
		f.name, f.statement = splitStatement(d.Name)
	}
	return f
}

// linkName returns a package path in the form that names of functions have: the dots of its last
// element are escaped.
func linkName(path string) string {
	last := strings.LastIndexByte(path, '/') + 1
	return path[:last] + strings.ReplaceAll(path[last:], ".", "%2e")
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
